/**
 * The call log in pages, and counted. Numbers of calls have no gaps, so every offset is found by arithmetic and a search in an
 * index.
 */

import { type CallCounts, isCallStatus } from '../../contract.ts';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import type { Client } from '../../storage/database/database.ts';
import { isoTime } from '../../text/iso.ts';
import { damaged } from '../damage.ts';
import { type CallRow, callOf } from './rows.ts';

/** The calls of an organization that a state knows: numbers from `first` to `last`. */
export interface Known {
  organizationId: number;
  first: number;
  last: number;
}

const FIRST_INSTANT = -62_135_596_800_000;
const LAST_INSTANT = 253_402_300_799_999;

/** Newest first. */
export async function callPage(
  client: Client,
  known: Known,
  { from, until, agentId }: CallFilter,
  limit: number,
  offset: number,
): Promise<CallPage> {
  const column = agentId === undefined ? 'call_number' : 'agent_call';
  const whose = agentId === undefined ? '' : 'and agent_id = $2';
  const base = [known.organizationId, ...(agentId === undefined ? [] : [agentId])];
  const at = (place: number) => `$${base.length + place}`;
  const isWhole = agentId === undefined && from <= FIRST_INSTANT && until > LAST_INSTANT;
  const range = isWhole ? known : await rangeOf();
  if (range === undefined || range.last < range.first) return { calls: [], total: 0 };
  const total = range.last - range.first + 1;
  const newest = range.last - offset;
  if (newest < range.first) return { calls: [], total };
  const { rows } = await client.query<CallRow>(
    `select call_number, agent_id, at, called_to, call_from, call_duration, call_status, call_outcome, transcript, recording_url
       from calls where organization_id = $1 ${whose} and ${column} <= ${at(1)} and ${column} > ${at(2)}
       order by ${column} desc`,
    [...base, newest, Math.max(range.first - 1, newest - limit)],
  );
  const many = Math.min(limit, newest - range.first + 1);
  if (rows.length !== many)
    throw damaged(`the calls of organization ${known.organizationId} are not those that it counts`);
  return { calls: rows.map((row) => callOf(known.organizationId, row)), total };

  /** The first and the last number in the span, of those that the state knows. */
  async function rangeOf(): Promise<{ first: number; last: number } | undefined> {
    const inside = `organization_id = $1 ${whose} and at >= ${at(1)} and at < ${at(2)} and call_number <= ${at(3)}`;
    const end = (order: string) =>
      `(select ${column} from calls where ${inside} order by at ${order}, ${column} ${order} limit 1)`;
    const { rows: found } = await client.query<{ first: number | null; last: number | null }>(
      `select ${end('asc')} as first, ${end('desc')} as last`,
      [...base, ...spanOf({ from, until }), known.last],
    );
    const [ends] = found;
    return ends?.first == null || ends.last == null ? undefined : { first: ends.first, last: ends.last };
  }
}

/** The two ends of a filter's time. */
function spanOf({ from, until }: Pick<CallFilter, 'from' | 'until'>): [string, string] {
  return [instant(Math.max(from, FIRST_INSTANT)), instant(Math.min(until, LAST_INSTANT + 1))];
}

/** As the database reads it; the last one of the calendar is followed by one of the year 10000. */
function instant(milliseconds: number): string {
  return milliseconds > LAST_INSTANT ? 'infinity' : isoTime(milliseconds);
}

const QUARTER_HOUR = 900;

/**
 * Calls counted by the database, for statistics: two passes over them, of which only sums come here. Inside a transaction, whose
 * next statements are planned as these are.
 */
export async function callCounts(client: Client, known: Known, filter: CallFilter): Promise<CallCounts> {
  const { agentId } = filter;
  const counted = `from calls where organization_id = $1 and call_number between $2 and $3
    and at >= ($4::timestamptz[])[1] and at < ($4::timestamptz[])[2] ${agentId === undefined ? '' : 'and agent_id = $5'}`;
  const span = spanOf(filter);
  const values = [known.organizationId, known.first, known.last, span, ...(agentId === undefined ? [] : [agentId])];
  // There are few groups, which nobody can see from the columns: it would sort all calls on the disk.
  await client.query('set local enable_sort = off');
  const quarters = await client.query<CallCounts['quarters'][number]>(
    `select floor(date_part('epoch', at) / ${QUARTER_HOUR}) * ${QUARTER_HOUR * 1000} as start, call_status = 'completed' as "isCompleted",
            count(*) as calls, round(date_part('epoch', min(at)) * 1000) as first, round(date_part('epoch', max(at)) * 1000) as last
       ${counted} group by 1, 2`,
    values,
  );
  const kinds = await client.query<CallCounts['kinds'][number]>(
    `select agent_id as "agentId", call_status as status, call_outcome as outcome,
            case when call_status = 'completed' then call_duration end as seconds, count(*) as calls
       ${counted} group by 1, 2, 3, 4`,
    values,
  );
  const odd = kinds.rows.find(({ status }) => !isCallStatus(status));
  if (odd !== undefined) throw damaged(`calls of agent ${odd.agentId} have a status that is none`);
  return { quarters: quarters.rows, kinds: kinds.rows };
}

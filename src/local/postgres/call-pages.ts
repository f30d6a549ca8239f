/** Pages of the call log. Numbers of calls have no gaps, so every offset is found by arithmetic and a search in an index. */

import type { Client } from '../../database/database.ts';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import { damaged } from './damage.ts';
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
    const { rows: found } = await client.query<{ first: string | null; last: string | null }>(
      `select ${end('asc')} as first, ${end('desc')} as last`,
      [...base, ...spanOf({ from, until }), known.last],
    );
    const [ends] = found;
    return ends?.first == null || ends.last == null
      ? undefined
      : { first: Number(ends.first), last: Number(ends.last) };
  }
}

/** The two ends of a filter's time. */
export function spanOf({ from, until }: Pick<CallFilter, 'from' | 'until'>): [string, string] {
  return [instant(Math.max(from, FIRST_INSTANT)), instant(Math.min(until, LAST_INSTANT + 1))];
}

/** As the database reads it; the last one of the calendar is followed by one of the year 10000. */
function instant(milliseconds: number): string {
  return milliseconds > LAST_INSTANT ? 'infinity' : new Date(milliseconds).toISOString();
}

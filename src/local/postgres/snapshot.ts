/** What an organization holds by one state of it, as others read it; and its call log in pages, and counted. */
import { type CallCounts, isCallStatus, LAST_INSTANT } from '../../contract.ts';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import { callsSinceReset, type State } from '../../engine/state.ts';
import type { Client } from '../../storage/database/connection.ts';
import { isoTime } from '../../text/iso.ts';
import { damaged, type Snapshot } from '../store.ts';
import { contactsOf, pagesOf, rowsOf, waitingOf } from './campaign-rows.ts';
import { type CallRow, callOf, type Row } from './rows.ts';

/** Takes some rows of a table, in an order in which they may be inserted. */
type TakeRows = (table: string, rows: readonly Row[]) => Promise<void>;

/** Reads with one state of everything; gives `none` where there is nothing to be read. */
export type Read = <T>(body: (client: Client) => Promise<T>, none: T) => Promise<T>;

export interface PostgresSnapshot extends Snapshot {
  /** Everything as rows of tables: also what no other method tells. */
  eachRow(take: TakeRows): Promise<void>;
}

export function isOfPostgres(snapshot: Snapshot): snapshot is PostgresSnapshot {
  return 'eachRow' in snapshot;
}

export function snapshotOver(state: State, read: Read): PostgresSnapshot {
  const { organization_id: organizationId } = state.organization;
  const last = state.next_call_number - 1;
  const known = { organizationId, first: last - callsSinceReset(state) + 1, last };
  return {
    state,
    callPage: (filter, limit, offset) =>
      read((client) => callPage(client, known, filter, limit, offset), { calls: [], total: 0 }),
    callCounts: (filter) => read((client) => callCounts(client, known, filter), { quarters: [], kinds: [] }),
    contactsOf: (campaignId) => read((client) => contactsOf(client, campaignId), []),
    rowsOf: (campaignId) => read((client) => rowsOf(client, campaignId), undefined),
    waitingOf: (campaignId) => read((client) => waitingOf(client, campaignId), { numbers: [], retries: [] }),
    eachRow: (take) => read((client) => eachRow(client, organizationId, take), undefined),
  };
}

interface Table {
  name: string;
  /** What numbers its rows, among those that have the same. */
  place: string;
  of: 'organization_id' | 'campaign_id';
  /** The version of the tables that has it; by default the first. */
  since?: number;
}

/** In an order in which they can be inserted. */
const TABLES: readonly Table[] = [
  { name: 'organizations', place: 'organization_id', of: 'organization_id' },
  { name: 'agents', place: 'agent_id', of: 'organization_id' },
  { name: 'campaigns', place: 'campaign_id', of: 'organization_id' },
  { name: 'contacts', place: 'contact', of: 'campaign_id' },
  { name: 'retries', place: 'number', of: 'campaign_id' },
  { name: 'original_rows', place: 'contact', of: 'campaign_id' },
  { name: 'calls', place: 'call_number', of: 'organization_id' },
  { name: 'wallet_changes', place: 'change_id', of: 'organization_id', since: 2 },
];
/** Below each number of a row. */
const BEGINNING = -2;

/** Inside a transaction, which lasts as long as `take` takes. */
async function eachRow(client: Client, organizationId: number, take: TakeRows): Promise<void> {
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min'`);
  const { rows: versions } = await client.query<{ version: number }>('select max(version) as version from migrations');
  const { rows: campaigns } = await client.query<{ id: number }>(
    'select campaign_id as id from campaigns where organization_id = $1 order by campaign_id',
    [organizationId],
  );
  for (const { name, place, of, since = 1 } of TABLES) {
    if (since > (versions[0]?.version ?? 0)) continue;
    const sql = `select t.${place} as place, to_jsonb(t) as row from ${name} t
      where t.${of} = $1 and t.${place} > $2 order by t.${place} limit $3`;
    for (const id of of === 'campaign_id' ? campaigns.map((campaign) => campaign.id) : [organizationId])
      for await (const rows of pagesOf<{ row: Row }>(client, sql, id, BEGINNING)) {
        await take(
          name,
          rows.map(({ row }) => row),
        );
      }
  }
}

/** The calls of an organization that a state knows: numbers from `first` to `last`. */
export interface Known {
  organizationId: number;
  first: number;
  last: number;
}

/** Of the year 1: the database knows no year 0. */
const FIRST_INSTANT = -62_135_596_800_000;

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
    `select floor(date_part('epoch', at) / ${QUARTER_HOUR}) * ${QUARTER_HOUR * 1000} as start,
            call_status = 'completed' as "isCompleted",
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

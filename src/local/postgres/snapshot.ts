/** What an organization holds by one state of it, as others read it. */

import { callsSinceReset, type State } from '../../engine/state.ts';
import type { Client } from '../../storage/database/database.ts';
import type { Snapshot } from '../store.ts';
import { callCounts, callPage } from './calls.ts';
import { contactsOf, pagesOf, rowsOf, waitingOf } from './campaign-rows.ts';
import type { Row } from './insert.ts';

/** Takes some rows of a table, in an order in which they may be inserted. */
export type TakeRows = (table: string, rows: readonly Row[]) => Promise<void>;

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

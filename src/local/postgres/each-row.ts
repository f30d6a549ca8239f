/** All rows of an organization, as they are, for a copy. */
import type { Client } from '../../database/database.ts';
import type { Row, TakeRows } from '../store.ts';
import { pagesOf } from './campaign-rows.ts';

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
export async function eachRow(client: Client, organizationId: number, take: TakeRows): Promise<void> {
  await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min'`);
  const { rows: versions } = await client.query<{ version: number }>('select max(version) as version from migrations');
  const { rows: campaigns } = await client.query<{ id: string }>(
    'select campaign_id as id from campaigns where organization_id = $1 order by campaign_id',
    [organizationId],
  );
  for (const { name, place, of, since = 1 } of TABLES) {
    if (since > (versions[0]?.version ?? 0)) continue;
    const sql = `select t.${place} as place, to_jsonb(t) as row from ${name} t
      where t.${of} = $1 and t.${place} > $2 order by t.${place} limit $3`;
    for (const id of of === 'campaign_id' ? campaigns.map((campaign) => Number(campaign.id)) : [organizationId])
      for await (const rows of pagesOf<{ row: Row }>(client, sql, id, BEGINNING)) {
        await take(
          name,
          rows.map(({ row }) => row),
        );
      }
  }
}

/** The rows of an organization: created, and replaced by a reset. */
import { randomUUID } from 'node:crypto';
import type { State } from '../../engine/state.ts';
import type { Client } from '../../storage/database/database.ts';
import { isoTime } from '../../text/iso.ts';
import { idsAfter, type NextIds } from '../next-ids.ts';
import { insertRows } from './insert.ts';
import { organizationColumns } from './rows.ts';

/**
 * The commit that the organization's row names; undefined if there is no such organization. `for update`: nobody else changes the
 * organization until the end of the transaction; undefined, too, if it is to skip one that somebody else is changing.
 */
export async function readCommitId(
  client: Client,
  organizationId: number,
  lock: '' | 'for update' | 'for update skip locked' = '',
): Promise<string | undefined> {
  const { rows } = await client.query<{ commit_id: string }>({
    name: `commit id ${lock}`,
    text: `select commit_id from organizations where organization_id = $1 ${lock}`,
    values: [organizationId],
  });
  return rows[0]?.commit_id;
}

/** Makes the ids that count up over all organizations no lower than these. */
export async function raiseIds(client: Client, ids: NextIds): Promise<void> {
  await client.query(
    `insert into engine (next_organization_id, next_agent_id, next_campaign_id) values ($1, $2, $3)
       on conflict (one) do update set next_organization_id = greatest(engine.next_organization_id, $1),
         next_agent_id = greatest(engine.next_agent_id, $2), next_campaign_id = greatest(engine.next_campaign_id, $3)`,
    [ids.next_organization_id, ids.next_agent_id, ids.next_campaign_id],
  );
}

/** A new organization with its agents. The first one begins to count ids for all. */
export async function create(client: Client, state: State): Promise<void> {
  await raiseIds(client, idsAfter(state));
  await insertRows(client, { table: 'organizations' }, [{ ...organizationColumns(state), commit_id: randomUUID() }]);
  await insertBeginning(client, state);
}

/** What an organization begins with, new or after a reset. */
export async function insertBeginning(client: Client, { organization, clock, agents }: State): Promise<void> {
  const { organization_id, balance } = organization;
  await insertWalletChanges(client, organization_id, [{ kind: 'opening', at: clock.last, amount: balance }]);
  const rows = agents.map((agent) => ({ organization_id, ...agent }));
  await insertRows(client, { table: 'agents' }, rows);
}

/** Everything of an organization but its own row. */
export async function deleteRows(client: Client, organizationId: number): Promise<void> {
  const ofCampaigns = 'campaign_id in (select campaign_id from campaigns where organization_id = $1)';
  for (const table of ['contacts', 'retries'])
    await client.query(`delete from ${table} where ${ofCampaigns}`, [organizationId]);
  for (const table of ['calls', 'campaigns', 'agents', 'wallet_changes'])
    await client.query(`delete from ${table} where organization_id = $1`, [organizationId]);
}

/** Another state in place of the organization's, as another commit; its agents and campaigns are not touched. */
export async function replaceState(client: Client, state: State, commitId: string = randomUUID()): Promise<void> {
  const { organization_id, ...known } = organizationColumns(state);
  const columns = { ...known, commit_id: commitId };
  const set = Object.keys(columns).map((name, at) => `${name} = $${at + 2}`);
  await client.query({
    name: 'replace state',
    text: `update organizations set ${set.join(', ')} where organization_id = $1`,
    values: [organization_id, ...Object.values(columns)],
  });
}

/** What moves a wallet besides the charges of calls, which stand with the calls. What a wallet holds is the sum of both. */
export interface WalletChange {
  kind: 'opening' | 'top_up' | 'correction';
  /** Milliseconds since the epoch. */
  at: number;
  /** Millionths. */
  amount: number;
}

export async function insertWalletChanges(
  client: Client,
  organization_id: number,
  changes: readonly WalletChange[],
): Promise<void> {
  const rows = changes.map((change) => ({ organization_id, ...change, at: isoTime(change.at) }));
  await insertRows(client, { table: 'wallet_changes' }, rows);
}

/** The rows of an organization: read as what its store keeps, created, and replaced by a reset. */
import { randomUUID } from 'node:crypto';
import type { Client } from '../../database/database.ts';
import type { State } from '../../engine/state.ts';
import { idsAfter, type NextIds } from '../next-ids.ts';
import { damaged, EMPTY_ENGINE } from './damage.ts';
import {
  type AgentRow,
  type CampaignRow,
  type EngineRow,
  type Kept,
  keptOf,
  type OrganizationRow,
  organizationColumns,
} from './rows.ts';
import { insertWalletChanges, openingOf } from './wallet.ts';

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

/** Undefined if the organization does not exist. With `isLocked`, nobody else changes it until the end of the transaction. */
export async function readKept(client: Client, organizationId: number, isLocked = false): Promise<Kept | undefined> {
  const organization = await client.query<OrganizationRow>(
    `select o.*, (select min(call_number) from calls where organization_id = $1) as oldest_call,
            (select max(call_number) from calls where organization_id = $1) as newest_call,
            (select at from calls where organization_id = $1 order by call_number desc limit 1) as newest_at
       from organizations o where organization_id = $1${isLocked ? ' for update' : ''}`,
    [organizationId],
  );
  const engine = await client.query<EngineRow>('select next_agent_id, next_campaign_id from engine');
  const [engineRow] = engine.rows;
  const [organizationRow] = organization.rows;
  if (organizationRow === undefined) return undefined;
  if (engineRow === undefined) throw damaged(EMPTY_ENGINE);
  const agents = await client.query<AgentRow>(
    `select agent_id, agent_name, agent_description, base_prompt, voice_id, language, greeting, conversation_goal, status,
       created_at, updated_at, calls from agents where organization_id = $1 order by agent_id`,
    [organizationId],
  );
  const campaigns = await client.query<CampaignRow>(
    'select * from campaigns where organization_id = $1 order by campaign_id',
    [organizationId],
  );
  return keptOf(engineRow, organizationRow, agents.rows, campaigns.rows);
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
  const columns = { ...organizationColumns(state), commit_id: randomUUID() };
  const names = Object.keys(columns);
  await client.query(
    `insert into organizations (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(columns),
  );
  await insertWalletChanges(client, state.organization.organization_id, [openingOf(state)]);
  await insertAgents(client, state);
}

export async function insertAgents(
  client: Client,
  { organization: { organization_id }, agents }: State,
): Promise<void> {
  for (const agent of agents) {
    const columns = ['organization_id', ...Object.keys(agent)].join(', ');
    await client.query(
      `insert into agents (${columns}) select ${columns} from json_populate_record(null::agents, $1)`,
      [JSON.stringify({ organization_id, ...agent })],
    );
  }
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

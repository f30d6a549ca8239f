/** What a store keeps of one organization between transactions, read from its rows. */
import { flawsOf } from '../../engine/soundness.ts';
import { callsSinceReset, type State, stateSchema } from '../../engine/state.ts';
import type { Client } from '../../storage/database/connection.ts';
import type { ReadAheadQueues } from '../queues.ts';
import { damaged, type GivenIds } from '../store.ts';
import {
  type AgentRow,
  type CampaignRow,
  campaignOf,
  dueAt,
  type OrganizationRow,
  organizationColumns,
} from './rows.ts';

export type Retries = Pick<CampaignRow, 'retries_added' | 'retries_taken'>;

/** What a store keeps of one organization between two transactions. */
export interface Kept {
  state: State;
  commitId: string;
  /** By agent, how many calls of it are in the log. */
  callsOf: Map<number, number>;
  /** By campaign, its contacts and retries as far as they were read ahead. */
  queues: Map<number, ReadAheadQueues>;
  /** By campaign, how many of its retries were added and taken. */
  retries: Map<number, Retries>;
  /** What the rows say, to see what has changed. */
  written: { organization: string; agents: Map<number, string>; campaigns: Map<number, string> };
}

export const EMPTY_ENGINE = 'the table engine is empty';

/** Undefined if the organization does not exist. With `isLocked`, nobody else changes it until the end of the transaction. */
export async function readKept(client: Client, organizationId: number, isLocked = false): Promise<Kept | undefined> {
  const organization = await client.query<OrganizationRow>(
    `select o.*, (select min(call_number) from calls where organization_id = $1) as oldest_call,
            (select max(call_number) from calls where organization_id = $1) as newest_call,
            (select at from calls where organization_id = $1 order by call_number desc limit 1) as newest_at
       from organizations o where organization_id = $1${isLocked ? ' for update' : ''}`,
    [organizationId],
  );
  const engine = await client.query<GivenIds>('select next_agent_id, next_campaign_id from engine');
  const [engineRow] = engine.rows;
  const [organizationRow] = organization.rows;
  if (organizationRow === undefined) return undefined;
  if (engineRow === undefined) throw damaged(EMPTY_ENGINE);
  const agents = await client.query<AgentRow>('select * from agents where organization_id = $1 order by agent_id', [
    organizationId,
  ]);
  const campaigns = await client.query<CampaignRow>(
    'select * from campaigns where organization_id = $1 order by campaign_id',
    [organizationId],
  );
  return keptOf(engineRow, organizationRow, agents.rows, campaigns.rows);
}

/** Throws FileError if the rows do not hold together. */
function keptOf(
  engine: GivenIds,
  organization: OrganizationRow,
  agents: readonly AgentRow[],
  campaigns: readonly CampaignRow[],
): Kept {
  // What a schema does not know it leaves out.
  const state = {
    ...organization,
    clock: { offset: organization.clock_offset, last: organization.clock_last },
    organization,
    agents,
    campaigns: campaigns.map(campaignOf),
    ...engine,
  };
  const checked = stateSchema.safeParse(state);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw damaged(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { data } = checked;
  const [flaw = timeFlaw(data, organization) ?? countFlaw(data, organization, agents, campaigns)] = flawsOf(data);
  if (flaw !== undefined) throw damaged(`organization ${organization.organization_id} ${flaw}`);
  return {
    state: data,
    commitId: organization.commit_id,
    callsOf: new Map(agents.map((agent) => [agent.agent_id, agent.calls])),
    queues: new Map(),
    retries: new Map(campaigns.map((row) => [row.campaign_id, row])),
    written: {
      organization: JSON.stringify(organizationColumns(data)),
      agents: new Map(data.agents.map((agent) => [agent.agent_id, JSON.stringify(agent)])),
      campaigns: new Map(data.campaigns.map((campaign) => [campaign.campaign_id, JSON.stringify(campaign)])),
    },
  };
}

function timeFlaw(state: State, { newest_at, due_at }: OrganizationRow): string | undefined {
  if (newest_at !== null && !(newest_at.getTime() <= state.clock.last))
    return 'has a call that is later than its clock';
  return due_at === dueAt(state) ? undefined : 'says another time at which something falls due';
}

/** Of rows that are counted in others: whoever changed one by hand has seldom changed both. */
function countFlaw(
  state: State,
  { oldest_call, newest_call }: OrganizationRow,
  agents: readonly AgentRow[],
  campaigns: readonly CampaignRow[],
): string | undefined {
  const counted = callsSinceReset(state);
  const first = state.calls_before_reset + 1;
  const hasEnds =
    counted === 0 ? newest_call === null : oldest_call === first && newest_call === state.next_call_number - 1;
  const ofAgents = agents.reduce((sum, { calls }) => sum + calls, 0);
  if (!hasEnds || ofAgents !== counted) return 'counts another number of calls than there are';
  const other = campaigns.find(
    ({ retries_waiting, retries_added, retries_taken }) => retries_waiting !== retries_added - retries_taken,
  );
  return other && `has campaign ${other.campaign_id} count other retries than there are`;
}

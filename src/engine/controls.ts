/** What an operator can do to the local engine besides the service's own operations. Errors are those of `errors.ts`. */
import { E164 } from '../contract.ts';
import { InputError, ServiceError } from '../errors.ts';
import { pauseCampaignsOf } from './campaigns.ts';
import { fromMicros } from './money.ts';
import type { AgentRecord, State } from './state.ts';

/** Millionths: a wallet beyond this is a slip of the finger. */
const MAX_BALANCE = 1_000_000_000_000_000;

/** Adds `amount` millionths to the wallet and returns the new balance in millionths. */
export function topUp(state: State, amount: number): number {
  const balance = state.organization.balance + amount;
  if (amount <= 0) throw new InputError('A top-up must be more than 0.');
  if (balance > MAX_BALANCE) throw new InputError(`A wallet holds at most ${fromMicros(MAX_BALANCE)}.`);
  state.organization.balance = balance;
  return balance;
}

export function addNumber(state: State, number: string): void {
  if (!E164.test(number)) throw new InputError(`${number} is not an E.164 number, like +14155550100.`);
  if (state.organization.numbers.includes(number)) throw new InputError(`${number} is registered already.`);
  state.organization.numbers.push(number);
}

export function removeNumber(state: State, number: string): void {
  const { organization } = state;
  if (!organization.numbers.includes(number)) {
    throw new ServiceError(404, 'not_found', `${number} is not registered.`, { hint: 'vagent local number list' });
  }
  organization.numbers = organization.numbers.filter((registered) => registered !== number);
}

/** Moves an agent to `status`; its campaigns pause when it stops being active. `now` is in milliseconds. */
export function setAgentStatus(state: State, agentId: number, status: AgentRecord['status'], now: number): AgentRecord {
  const agent = state.agents.find(({ agent_id }) => agent_id === agentId);
  if (agent === undefined) {
    throw new ServiceError(404, 'agent_not_found', `There is no agent ${agentId}.`, { hint: 'vagent agent list' });
  }
  if (agent.status !== status) {
    agent.status = status;
    agent.updated_at = new Date(now).toISOString();
    pauseCampaignsOf(state, agentId);
  }
  return agent;
}

/** The counts that `local status` shows. Money as decimals, times as ISO 8601. */
export function describe(state: State, now: number) {
  return {
    seed: state.seed,
    now: new Date(now).toISOString(),
    balance: fromMicros(state.organization.balance),
    numbers: state.organization.numbers,
    agents: state.agents.length,
    calls: state.next_call_number - 1,
    campaigns: state.campaigns.map((campaign) => ({
      campaign_id: campaign.campaign_id,
      campaign_name: campaign.campaign_name,
      status: campaign.status,
      reason: campaign.reason,
      total_contacts: campaign.total_contacts,
      reached: campaign.reached,
      exhausted: campaign.exhausted,
      waiting: campaign.total_contacts - campaign.reached - campaign.exhausted,
      attempts: campaign.attempts,
    })),
  };
}

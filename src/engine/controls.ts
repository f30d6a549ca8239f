/** What an operator can do to the local engine besides the service's operations. Throws the errors of `errors.ts`. */
import { CONTACT_STATES, E164 } from '../contract.ts';
import { InputError, ServiceError } from '../errors.ts';
import { isoTime } from '../text/iso.ts';
import { eachNamed } from '../text/json.ts';
import { isCalling, nextSlot, pause } from './campaigns.ts';
import { agentIn, requireBalance } from './handlers.ts';
import { fromMicros } from './money.ts';
import { CALLING_AGENT_STATUS } from './policy.ts';
import { type AgentRecord, type Campaign, callsSinceReset, type State } from './state.ts';

/** Millionths: a larger wallet is probably a typing error. */
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
  if (!E164.test(number)) throw new InputError(`${number} is not an international number, like +14155550100.`);
  if (state.organization.numbers.includes(number)) throw new InputError(`${number} is registered already.`);
  state.organization.numbers.push(number);
}

export function removeNumber(state: State, number: string): void {
  const { organization } = state;
  if (!organization.numbers.includes(number)) {
    throw new ServiceError(404, 'not_found', `${number} is not registered.`, {
      reason: { kind: 'number_not_registered' },
    });
  }
  organization.numbers = organization.numbers.filter((registered) => registered !== number);
}

/** Moves an agent to `status`; its campaigns pause when it stops being active. `now` is in milliseconds. */
export function setAgentStatus(state: State, agentId: number, status: AgentRecord['status'], now: number): AgentRecord {
  const agent = agentIn(state, agentId, { reason: { kind: 'agent_not_found' } });
  if (agent.status !== status) {
    agent.status = status;
    agent.updated_at = isoTime(now);
    const own = state.campaigns.filter(({ agent_id }) => agent_id === agentId);
    if (status !== CALLING_AGENT_STATUS) for (const one of own.filter(isCalling)) pause(one, 'agent_not_active');
  }
  return agent;
}

/** Stops a campaign until the operator resumes it. */
export function pauseCampaign(state: State, campaignId: number): Campaign {
  const campaign = campaignOf(state, campaignId);
  if (!isCalling(campaign)) {
    throw new InputError(
      `Campaign ${campaignId} is ${campaign.status}; only a scheduled or running one can be paused.`,
    );
  }
  pause(campaign, 'operator');
  return campaign;
}

/**
 * Resumes a paused campaign, for whatever reason it was paused; `now` is in milliseconds. It dials at once if its next slot
 * passed during the pause, else at that slot: a pause never brings two dials closer together than the pace allows.
 */
export function resumeCampaign(state: State, campaignId: number, now: number): Campaign {
  const campaign = campaignOf(state, campaignId);
  if (campaign.status !== 'paused') {
    throw new InputError(`Campaign ${campaignId} is ${campaign.status}; only a paused one can be resumed.`);
  }
  requireCallingAgent(state, campaign);
  requireBalance(state, { reason: { kind: 'balance_too_low' } });
  campaign.status = campaign.start_time > now ? 'scheduled' : 'running';
  campaign.reason = null;
  // A slot that is exactly now is kept: counting anew from it could shorten an hour by a millisecond through rounding.
  if (nextSlot(campaign) < now) campaign.pace = { anchor: now, dials: 0 };
  return campaign;
}

function campaignOf(state: State, campaignId: number): Campaign {
  const campaign = state.campaigns.find(({ campaign_id }) => campaign_id === campaignId);
  if (campaign !== undefined) return campaign;
  throw new ServiceError(404, 'not_found', `There is no campaign ${campaignId}.`, {
    reason: { kind: 'campaign_not_found' },
  });
}

function requireCallingAgent(state: State, { campaign_id, agent_id }: Campaign): void {
  const status = state.agents.find((agent) => agent.agent_id === agent_id)?.status;
  if (status === CALLING_AGENT_STATUS) return;
  const message = `Campaign ${campaign_id} cannot be resumed: its agent ${agent_id} is not active.`;
  throw new ServiceError(400, 'agent_not_active', message, {
    reason: { kind: 'agent_not_active', agentId: agent_id },
  });
}

/** The counts that `local status` shows. Money as decimal numbers, times as ISO 8601. */
export function describe(state: State, now: number) {
  return {
    seed: state.seed,
    now: isoTime(now),
    balance: fromMicros(state.organization.balance),
    numbers: state.organization.numbers,
    agents: state.agents.length,
    calls: callsSinceReset(state),
    campaigns: state.campaigns.map(describeCampaign),
  };
}

/** What `local status` and `local campaign` show of a campaign. */
export function describeCampaign(campaign: Campaign) {
  const { total_contacts, exhausted, voicemail = 0 } = campaign;
  const reached = campaign.reached - voicemail;
  const waiting = total_contacts - campaign.reached - exhausted;
  const states = { ...eachNamed(CONTACT_STATES, () => 0), waiting, reached, not_reached: exhausted + voicemail };
  return {
    campaign_id: campaign.campaign_id,
    campaign_name: campaign.campaign_name,
    status: campaign.status,
    reason: campaign.reason,
    total_contacts,
    /** Where voicemails were not counted, they are among them. */
    reached,
    voicemail: campaign.voicemail ?? null,
    exhausted,
    waiting,
    attempts: campaign.attempts,
    states,
  };
}

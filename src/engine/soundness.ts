/**
 * What a state must be besides what its schema says: whatever is changed by hand and does not add up is refused, before anybody
 * is called. Every state that the engine has ever made is sound.
 */
import { E164, FIRST_ORGANIZATION, localCredentials, parseInstant } from '../contract.ts';
import { isCalling, type Retry } from './campaigns.ts';
import { VOICES } from './handlers.ts';
import {
  CALLING_AGENT_STATUS,
  LONGEST_CONVERSATION,
  MAX_CALLS_PER_HOUR,
  MAX_CONTACTS,
  MAX_PRICE_PER_MINUTE,
  MAX_RETRY_ATTEMPTS,
  MAX_RETRY_DELAY,
  SHORTEST_CONVERSATION,
} from './policy.ts';
import type { AgentRecord, Campaign, Scenario, State } from './state.ts';

/** Each completes a sentence about what keeps the state: `has campaign 3 with attempts that cannot be`. */
export function flawsOf(state: State): string[] {
  return [
    ...organizationFlaws(state),
    ...state.agents.flatMap((agent) => withName(`agent ${agent.agent_id}`, agentFlaws(agent))),
    ...state.campaigns.flatMap((campaign) => [
      ...withName(`campaign ${campaign.campaign_id}`, campaignFlaws(campaign, state)),
      ...callingFlaws(campaign, state),
    ]),
  ];
}

/** Not for the engine, which knows whoever has its key: the commands have no other. Completes the same sentence. */
export function keyFlaw({ organization: { organization_id, api_key } }: State): string | undefined {
  return api_key === localCredentials(organization_id).api_key ? undefined : 'has another key than the commands use';
}

function organizationFlaws(state: State): string[] {
  const { organization, scenario, agents, campaigns, ...counts } = state;
  const { organization_id, numbers } = organization;
  const agentIds = [...agents.map(({ agent_id }) => agent_id), counts.next_agent_id];
  const campaignIds = [...campaigns.map(({ campaign_id }) => campaign_id), counts.next_campaign_id];
  const given = new Set(campaigns.map(({ campaign_number }) => campaign_number));
  return found({
    [`names the organization ${organization_id}, which none has`]: organization_id < FIRST_ORGANIZATION,
    'has numbers of its own that are none': !numbers.every((number) => E164.test(number)),
    'names a number of its own twice': new Set(numbers).size < numbers.length,
    'counts further than numbers are exact': isBeyondCounting(state),
    'counts fewer calls than before a reset': counts.next_call_number - 1 < counts.calls_before_reset,
    'has agents out of order': !isRising(agentIds.slice(0, -1)),
    'has campaigns out of order': !isRising(campaignIds.slice(0, -1)),
    [UNGIVEN_ID]: !isRising(agentIds.slice(-2)) || !isRising(campaignIds.slice(-2)),
    'has campaigns of the same number, or one whose number is still to be given':
      given.size < campaigns.length || Math.max(0, ...given) >= counts.next_campaign_number,
    ...scenarioFlaws(scenario),
  });
}

/** Ids may be counted elsewhere, for all organizations. */
export const UNGIVEN_ID = 'has an agent or a campaign whose id is still to be given';

/** Counts go no further: a number holds twice as much exactly, and nothing of a store comes near. */
export const MOST_COUNTED = 2 ** 52;

function isBeyondCounting({ organization, ...counts }: State): boolean {
  const { next_agent_id, next_campaign_id, next_campaign_number, next_call_number } = counts;
  const numbers = [next_agent_id, next_campaign_id, next_campaign_number, next_call_number];
  return [...numbers, Math.abs(organization.balance), organization.demo_agent_id].some((one) => one > MOST_COUNTED);
}

/** How much the four rates may miss 1 by: a third is no exact decimal. */
const RATES_MISS = 1e-6;

function scenarioFlaws(scenario: Scenario): Record<string, boolean> {
  const { answer_rate, busy_rate, no_answer_rate, failed_rate, price_per_minute } = scenario;
  const durations = [scenario.min_duration, scenario.median_duration, scenario.max_duration];
  const inBounds = [SHORTEST_CONVERSATION, ...durations, LONGEST_CONVERSATION];
  return {
    'has a scenario whose rates do not add up to 1':
      Math.abs(answer_rate + busy_rate + no_answer_rate + failed_rate - 1) > RATES_MISS,
    'has a scenario whose durations do not rise, or are out of bounds': inBounds.some(
      (duration, at) => at > 0 && duration < (inBounds[at - 1] as number),
    ),
    'has a scenario with a price out of bounds': price_per_minute < 0 || price_per_minute > MAX_PRICE_PER_MINUTE,
  };
}

function agentFlaws({ agent_name, base_prompt, voice_id, created_at, updated_at }: AgentRecord): string[] {
  return found({
    'no name or no prompt': !/\S/.test(agent_name) || !/\S/.test(base_prompt),
    'a voice that does not exist': VOICES.every((voice) => voice.voice_id !== voice_id),
    'times that are none': parseInstant(created_at) === undefined || parseInstant(updated_at) === undefined,
  });
}

function campaignFlaws(campaign: Campaign, { clock }: State): string[] {
  const { status, reason, total_contacts: total, next_contact: next, retries_waiting: waiting, pace } = campaign;
  const { attempts, reached, exhausted, retry_attempts, retry_delay, retry_due } = campaign;
  return found({
    'no name': !/\S/.test(campaign.campaign_name),
    'a number to call from that is none': !E164.test(campaign.call_from),
    'a pace or retries out of bounds':
      campaign.calls_per_hour > MAX_CALLS_PER_HOUR ||
      retry_attempts > MAX_RETRY_ATTEMPTS ||
      retry_delay > MAX_RETRY_DELAY,
    'a reason for a pause that is none': (reason === null) === (status === 'paused'),
    'more contacts dialled than there are': next > total || total > MAX_CONTACTS,
    'attempts that cannot be': attempts < next || attempts > next * (1 + retry_attempts) || pace.dials > attempts,
    'a retry that is due, and none that waits': retry_due !== null && waiting === 0,
    'a retry that waits, and none that is due': retry_due === null && waiting > 0,
    'another end than its contacts have': (reached + exhausted === total) !== (status === 'completed'),
    'a start to come, and attempts': status === 'scheduled' && attempts > 0,
    'a pace that began later than now': pace.dials > 0 && pace.anchor > clock.last,
  });
}

function callingFlaws(campaign: Campaign, { agents }: State): string[] {
  const { campaign_id: id, agent_id, status, reason, reached, voicemail = 0, exhausted } = campaign;
  const { retries_waiting, next_contact } = campaign;
  const agent = agents.find((one) => one.agent_id === agent_id);
  const mayCall = status !== 'completed' && reason !== 'agent_not_active';
  return found({
    [`has two different counts for the contacts of campaign ${id}`]:
      reached + exhausted + retries_waiting !== next_contact || voicemail > reached,
    [`has campaign ${id} call with agent ${agent_id}, which does not exist`]: mayCall && agent === undefined,
    [`has campaign ${id} call with agent ${agent_id}, which is ${agent?.status}`]:
      isCalling(campaign) && agent !== undefined && agent.status !== CALLING_AGENT_STATUS,
  });
}

/**
 * What keeps a retry from being one of those that wait for its campaign, of which `before` is the one above it; completes a
 * sentence about it.
 */
export function retryFlaw(
  { index, attempt, due }: RetryPlace,
  { next_contact, retry_attempts }: Pick<Campaign, 'next_contact' | 'retry_attempts'>,
  before: RetryPlace | undefined,
): string | undefined {
  if (index < 0 || index >= next_contact || index === before?.index)
    return 'is a retry of a contact that waits for none';
  if (attempt < 2 || attempt > 1 + retry_attempts) return 'is a retry beyond those of its campaign';
  if (before !== undefined && due < before.due) return 'is a retry that is due before the one above it';
  return undefined;
}

type RetryPlace = Pick<Retry, 'index' | 'attempt' | 'due'>;

export function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number > (numbers[at - 1] as number));
}

function found(flaws: Record<string, boolean>): string[] {
  return Object.keys(flaws).filter((flaw) => flaws[flaw]);
}

function withName(whose: string, flaws: readonly string[]): string[] {
  return flaws.map((flaw) => `has ${whose} with ${flaw}`);
}

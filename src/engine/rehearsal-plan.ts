/** What is rehearsed: a campaign created in a copy of the state, and the campaigns that share its wallet. */
import type { CheckedRequest, Contact } from '../contract.ts';
import { requireBounds, requireContactBounds } from './bounds.ts';
import { nextEvent, type Waiting } from './campaigns.ts';
import { handlers } from './handlers.ts';
import { MemoryQueues } from './memory-queues.ts';
import { MINIMUM_BALANCE } from './policy.ts';
import { type Expectations, expectedScenario } from './scenario.ts';
import { type Campaign, DEFAULT_SEED, initialState, type Scenario, type State } from './state.ts';

/** A campaign that has just been created. It can be played any number of times, because playing does not change it. */
export interface Plan {
  /** Holds only this campaign, and the expected results of its calls. */
  state: State;
  campaign: Campaign;
  contacts: readonly Contact[];
  /** Millionths in the wallet, or null if unknown: then it never becomes empty. */
  balance: number | null;
  others: Others;
}

/** The store's other campaigns that will still call, as last committed, and the expected results of their calls. */
export interface Others {
  campaigns: Campaign[];
  queues: Map<number, MemoryQueues>;
  scenario: Scenario;
}

/** Where a campaign would be created: the engine's state, and its clock in milliseconds since the epoch. */
export interface Setting {
  state: State;
  now: number;
  isWalletKnown: boolean;
  /** The phones that a campaign of the state has still to call. */
  waitingOf(campaignId: number): Waiting;
}

/**
 * Creates the campaign in a copy of the state, with the scenario that the operator expects. Throws the ServiceErrors of
 * create-campaign, except for a balance below the minimum, because a rehearsal is meant to show what is missing.
 */
export function planCampaign(
  { state, now, isWalletKnown, waitingOf }: Setting,
  request: CheckedRequest<'createCampaign'>,
  expectations: Expectations,
): Plan {
  const { balance } = state.organization;
  const own: State = {
    ...state,
    clock: { ...state.clock, last: now },
    organization: { ...state.organization, balance: MINIMUM_BALANCE },
    campaigns: [],
  };
  requireBounds(request);
  requireContactBounds(request.contacts);
  handlers.createCampaign(own, request, { now });
  const campaign = own.campaigns[0] as Campaign;
  own.scenario = expectedScenario(own, campaign, expectations);
  return {
    state: own,
    campaign,
    contacts: request.contacts,
    balance: isWalletKnown ? balance : null,
    others: othersOf(state, waitingOf),
  };
}

/** Those of a state that will still call. */
export function othersOf({ campaigns, scenario }: State, waitingOf: Setting['waitingOf']): Others {
  const live = campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
  const queues = new Map<number, MemoryQueues>();
  for (const { campaign_id, next_contact } of live) {
    queues.set(campaign_id, MemoryQueues.of(waitingOf(campaign_id), next_contact));
  }
  return { campaigns: live, queues, scenario };
}

/** A new store that has an agent and a number of another service, which cannot be looked up here. */
export function assumedSetting(agentId: number, callFrom: string, now: number): Setting {
  const state = initialState({ seed: DEFAULT_SEED, now, empty: false });
  state.agents = state.agents.map((agent) => ({ ...agent, agent_id: agentId }));
  state.organization.numbers = [callFrom];
  return { state, now, isWalletKnown: false, waitingOf: () => ({ numbers: [], retries: [] }) };
}

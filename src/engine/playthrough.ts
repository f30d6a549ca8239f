/**
 * Plays a rehearsed campaign to its end in memory. The same engine with the same random draws runs campaigns, so a rehearsal
 * predicts exactly what the local engine will do.
 */
import type { Contact } from '../contract.ts';
import { type Attempt, type Call, settle } from './calls.ts';
import { advanceWith, nextEvent } from './campaigns.ts';
import { MemoryQueues } from './memory-queues.ts';
import { MINIMUM_BALANCE } from './policy.ts';
import type { Others, Plan } from './rehearsal-plan.ts';
import type { Scenario, State } from './state.ts';

/** The result of playing a campaign once. Instants are in milliseconds since the epoch, money in millionths. */
export interface Playthrough {
  attempts: number;
  reached: number;
  voicemail: number;
  exhausted: number;
  /** Null if the wallet did not allow a single call. */
  firstCall: number | null;
  lastCall: number | null;
  cost: number;
  /** What all campaigns together had spent when the last call of this one was placed. */
  spentBeforeLastCall: number;
  isPaused: boolean;
  byStatus: Map<string, number>;
  byOutcome: Map<string, number>;
}

export interface Cast {
  contactAt: (index: number) => Contact;
  seed: number;
  /** Millionths in the wallet, or null for one that never becomes empty. */
  balance: number | null;
  /** The campaigns that call at the same time. */
  others: Others;
}

/** Plays a plan once, yielding after each call, until this campaign has ended. */
export function* play({ state: before, campaign: created }: Plan, cast: Cast): Generator<void, Playthrough> {
  const campaign = structuredClone(created);
  const { campaigns, queues } = copyOf(cast.others);
  campaigns.push(campaign);
  queues.set(campaign.campaign_id, new MemoryQueues(cast.contactAt));
  const state: State = {
    ...before,
    seed: cast.seed,
    clock: { ...before.clock },
    organization: { ...before.organization, balance: cast.balance ?? MINIMUM_BALANCE },
    campaigns,
  };
  const { organization, clock } = state;
  const own = campaign.campaign_number;
  const settleOwn = settlingAs(before.scenario);
  const settleOther = settlingAs(cast.others.scenario);
  const settleAny: typeof settleOwn = (world, call, attempt) =>
    (attempt.id === own ? settleOwn : settleOther)(world, call, attempt);
  const played = newPlaythrough();
  let spent = 0;
  for (const { id, call_status, call_outcome, cost } of advanceWith(settleAny, state, 'idle', queuesIn(queues))) {
    if (id === own) {
      played.firstCall ??= clock.last;
      played.lastCall = clock.last;
      played.spentBeforeLastCall = spent;
      played.cost += cost;
      count(played.byStatus, call_status);
      count(played.byOutcome, call_outcome);
    }
    spent += cost;
    if (cast.balance === null) organization.balance = MINIMUM_BALANCE;
    yield;
    if (campaign.status === 'completed' || campaign.status === 'paused') break;
  }
  const { attempts, exhausted, status } = campaign;
  const voicemail = campaign.voicemail ?? 0;
  const reached = campaign.reached - voicemail;
  return { ...played, attempts, reached, voicemail, exhausted, isPaused: status === 'paused' };
}

/** A rehearsal's log is never read, so its entries are not written. */
function settlingAs(scenario: Scenario) {
  return ({ seed, organization }: State, { agent }: Call, attempt: Attempt) => {
    const { status: call_status, outcome: call_outcome, cost } = settle(seed, scenario, agent, attempt);
    organization.balance -= cost;
    return { id: attempt.id, call_status, call_outcome, cost };
  };
}

function copyOf({ campaigns, queues }: Others): Pick<Others, 'campaigns' | 'queues'> {
  return {
    campaigns: structuredClone(campaigns),
    queues: new Map([...queues].map(([id, waiting]) => [id, waiting.copy()])),
  };
}

function queuesIn(queues: Map<number, MemoryQueues>) {
  return (campaignId: number) => queues.get(campaignId) as MemoryQueues;
}

/** A plan at its own time: all events of the other campaigns that fell due since the last commit have happened. */
export function* caughtUp(plan: Plan): Generator<void, Plan> {
  const { state, others, balance } = plan;
  if (others.campaigns.length === 0) return plan;
  const { campaigns, queues } = copyOf(others);
  const organization = { ...state.organization, balance: balance ?? MINIMUM_BALANCE };
  const world: State = { ...state, clock: { ...state.clock }, organization, campaigns };
  const settleOther = settlingAs(others.scenario);
  for (const _call of advanceWith(settleOther, world, state.clock.last, queuesIn(queues))) yield;
  const live = campaigns.filter((campaign) => nextEvent(campaign) !== undefined);
  return {
    ...plan,
    balance: balance === null ? null : organization.balance,
    others: { ...others, campaigns: live, queues },
  };
}

function newPlaythrough(): Playthrough {
  return {
    attempts: 0,
    reached: 0,
    voicemail: 0,
    exhausted: 0,
    firstCall: null,
    lastCall: null,
    cost: 0,
    spentBeforeLastCall: 0,
    isPaused: false,
    byStatus: new Map(),
    byOutcome: new Map(),
  };
}

function count(counts: Map<string, number>, label: string): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

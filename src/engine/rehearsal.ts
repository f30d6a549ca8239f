/**
 * A campaign played to its end in memory: when it would end and what it would cost, before anybody's phone rings.
 *
 * The engine that plays it is the one that runs campaigns, with the same keys of chance, so a rehearsal foretells exactly
 * what the local engine will do. Other campaigns of the store stand still meanwhile: they share nothing with this one but
 * the wallet, and what they will take from it is not this campaign's cost.
 */
import type { CheckedRequest, Contact } from '../contract.ts';
import { type Attempt, type Call, settle } from './calls.ts';
import { advanceWith, type CampaignQueues, type Retry } from './campaigns.ts';
import { handlers } from './handlers.ts';
import { fromMicros } from './money.ts';
import { MINIMUM_BALANCE } from './policy.ts';
import { type Expectations, expectedScenario } from './scenario.ts';
import { type Campaign, DEFAULT_SEED, initialState, type State } from './state.ts';

/** A campaign that has just been created, ready to be played any number of times: playing changes nothing of it. */
export interface Plan {
  /** Holds this campaign and no other. */
  state: State;
  campaign: Campaign;
  contacts: readonly Contact[];
  /** Millionths in the wallet, or null where nobody knows: then it never runs dry. */
  balance: number | null;
}

/** Where a campaign would be created: the engine's state, and its clock in milliseconds since the epoch. */
export interface Setting {
  state: State;
  now: number;
  isWalletKnown: boolean;
}

/**
 * Creates the campaign in a copy of the state, with a scenario as the operator expects it. Throws the ServiceErrors of
 * create-campaign, but for the one that asks a minimum of the wallet: what is missing there is what a rehearsal is to tell.
 */
export function planCampaign(
  { state, now, isWalletKnown }: Setting,
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
  handlers.createCampaign(own, request, { now, callPage: readsNoPages });
  const campaign = own.campaigns[0] as Campaign;
  own.scenario = expectedScenario(own, campaign, expectations);
  return { state: own, campaign, contacts: request.contacts, balance: isWalletKnown ? balance : null };
}

function readsNoPages(): never {
  throw new Error('create-campaign reads no pages');
}

/** A new store's state in which an agent and a number of another service exist: nobody here can look them up. */
export function assumedState(agentId: number, callFrom: string, now: number): State {
  const state = initialState({ seed: DEFAULT_SEED, now, empty: false });
  state.agents = state.agents.map((agent) => ({ ...agent, agent_id: agentId }));
  state.organization.numbers = [callFrom];
  return state;
}

// Playing ------------------------------------------------------------------------------------------------------------

/** What became of one run. Instants are in milliseconds since the epoch, money in millionths. */
interface Run {
  attempts: number;
  reached: number;
  exhausted: number;
  /** Null where the wallet did not allow a single call. */
  firstCall: number | null;
  lastCall: number | null;
  cost: number;
  /** What had been spent when the last call was placed. */
  costBeforeLastCall: number;
  isPaused: boolean;
  byStatus: Map<string, number>;
  byOutcome: Map<string, number>;
}

/** The campaign's contacts and waiting retries, held in memory. */
class ContactQueues implements CampaignQueues {
  readonly #contactAt: (index: number) => Contact;
  #taken = 0;
  /** A ring of bare numbers, index, attempt and due of each: a million objects that wait for hours would be a burden. */
  #ring = new Float64Array(FIRST_ROOM * NUMBERS_A_RETRY);
  /** Where in the ring the first waiting retry begins, and how many of its numbers are in use. */
  #head = 0;
  #used = 0;

  constructor(contactAt: (index: number) => Contact) {
    this.#contactAt = contactAt;
  }

  takeContact(): Contact {
    return this.#contactAt(this.#taken++);
  }

  takeRetry(): Retry {
    const [index, attempt, due] = this.#ring.subarray(this.#head) as unknown as [number, number, number];
    this.#head = (this.#head + NUMBERS_A_RETRY) % this.#ring.length;
    this.#used -= NUMBERS_A_RETRY;
    return { index, attempt, due, contact: this.#contactAt(index) };
  }

  retryDue(): number | null {
    return this.#used === 0 ? null : (this.#ring[this.#head + 2] as number);
  }

  addRetry({ index, attempt, due }: Retry): void {
    if (this.#used === this.#ring.length) this.#grow();
    this.#ring.set([index, attempt, due], (this.#head + this.#used) % this.#ring.length);
    this.#used += NUMBERS_A_RETRY;
  }

  #grow(): void {
    const ring = new Float64Array(this.#ring.length * 2);
    ring.set(this.#ring.subarray(this.#head));
    ring.set(this.#ring.subarray(0, this.#head), this.#ring.length - this.#head);
    this.#ring = ring;
    this.#head = 0;
  }
}

const NUMBERS_A_RETRY = 3;
/** Retries that a ring has room for at first. */
const FIRST_ROOM = 64;

interface Cast {
  contactAt: (index: number) => Contact;
  seed: number;
  /** Millionths in the wallet, or null for one that never runs dry. */
  balance: number | null;
}

/** Plays a plan once, yielding after each call. */
function* play({ state: before, campaign: created }: Plan, cast: Cast): Generator<void, Run> {
  const campaign = structuredClone(created);
  const state: State = {
    ...before,
    seed: cast.seed,
    clock: { ...before.clock },
    organization: { ...before.organization, balance: cast.balance ?? MINIMUM_BALANCE },
    campaigns: [campaign],
  };
  const { organization, clock } = state;
  const run = newRun();
  let balance = organization.balance;
  const queues = new ContactQueues(cast.contactAt);
  for (const { call_status, call_outcome } of advanceWith(settleOnly, state, 'idle', () => queues)) {
    run.firstCall ??= clock.last;
    run.lastCall = clock.last;
    run.costBeforeLastCall = run.cost;
    run.cost += balance - organization.balance;
    if (cast.balance === null) organization.balance = MINIMUM_BALANCE;
    balance = organization.balance;
    count(run.byStatus, call_status ?? '');
    count(run.byOutcome, call_outcome ?? '');
    yield;
  }
  const { attempts, reached, exhausted, status } = campaign;
  return { ...run, attempts, reached, exhausted, isPaused: status === 'paused' };
}

/** Nobody will read the log of a rehearsal: its entries are not written. */
function settleOnly({ seed, scenario, organization }: State, { agent }: Call, attempt: Attempt) {
  const { status: call_status, outcome: call_outcome, cost } = settle(seed, scenario, agent, attempt);
  organization.balance -= cost;
  return { call_status, call_outcome };
}

function newRun(): Run {
  return {
    attempts: 0,
    reached: 0,
    exhausted: 0,
    firstCall: null,
    lastCall: null,
    cost: 0,
    costBeforeLastCall: 0,
    isPaused: false,
    byStatus: new Map(),
    byOutcome: new Map(),
  };
}

function count(counts: Map<string, number>, label: string): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

/** Chance has no say here: a number with this ending fails on every attempt. */
const UNREACHABLE: Contact = { phone_number: '+14155550193' };

// The report ---------------------------------------------------------------------------------------------------------

/** Times are UTC ISO 8601, money is a decimal number. */
export interface Report {
  contacts: number;
  attempts: number;
  reached: number;
  exhausted: number;
  /** Null, as `last_call`, where the wallet does not allow a single call. */
  first_call: string | null;
  last_call: string | null;
  /** When the last call is placed if nobody is ever reached. */
  worst_case_finish: string;
  cost: number;
  /** In the wallet now; null where nobody knows, as the next two. */
  balance: number | null;
  /** Whether that lets the campaign play to its end. */
  enough: boolean | null;
  /** The smallest top-up with which it does. */
  shortfall: number | null;
  /** Why the campaign stands still at the end, if it does. */
  paused: 'insufficient_balance' | null;
  by_status: Record<string, number>;
  by_outcome: Record<string, number>;
  runs: number;
  /** How many of the runs the wallet ends early. */
  paused_runs: number;
  percentiles?: Spread;
}

export interface Spread {
  last_call: Percentiles<string | null>;
  attempts: Percentiles<number>;
  cost: Percentiles<number>;
}

export interface Percentiles<T> {
  p5: T;
  p50: T;
  p95: T;
}

/**
 * Plays a plan `runs` times, yielding after each call so that whoever drives it may stop, and reports the first run and how
 * far the runs differ. Run k (the first is 0) draws from the state's seed plus k: run 0 is what the engine would do.
 */
export function* rehearse(plan: Plan, runs: number): Generator<void, Report> {
  const { contacts, balance, state } = plan;
  const contactAt = (index: number) => contacts[index] as Contact;
  const played: Run[] = [];
  for (let run = 0; run < runs; run++) {
    played.push(yield* play(plan, { contactAt, seed: state.seed + run, balance }));
  }
  const first = played[0] as Run;
  const worst = yield* play(plan, { contactAt: () => UNREACHABLE, seed: state.seed, balance: null });
  const whole = first.isPaused ? yield* play(plan, { contactAt, seed: state.seed, balance: null }) : first;
  return report(plan, { played, first, worst, whole });
}

interface Played {
  played: Run[];
  first: Run;
  /** The run in which nobody is reached. */
  worst: Run;
  /** The first run as it would be if the wallet never ran dry. */
  whole: Run;
}

function report({ contacts, balance }: Plan, { played, first, worst, whole }: Played): Report {
  // At a dial the wallet must hold the minimum: the last one asks the most.
  const needed = whole.costBeforeLastCall + MINIMUM_BALANCE;
  return {
    contacts: contacts.length,
    attempts: first.attempts,
    reached: first.reached,
    exhausted: first.exhausted,
    first_call: isoTime(first.firstCall),
    last_call: isoTime(first.lastCall),
    worst_case_finish: new Date(latest([worst, whole, ...played])).toISOString(),
    cost: fromMicros(first.cost),
    balance: balance === null ? null : fromMicros(balance),
    enough: balance === null ? null : !first.isPaused,
    shortfall: balance === null ? null : fromMicros(Math.max(0, needed - balance)),
    paused: first.isPaused ? 'insufficient_balance' : null,
    by_status: sorted(first.byStatus),
    by_outcome: sorted(first.byOutcome),
    runs: played.length,
    paused_runs: played.filter(({ isPaused }) => isPaused).length,
    ...(played.length > 1 && { percentiles: spread(played) }),
  };
}

/**
 * Of all runs, because instants are whole milliseconds: at paces of thousands of calls an hour one retry may miss its slot
 * by a rounding, and a run in which somebody was reached may end a slot or two after the one in which nobody was.
 */
function latest(runs: readonly Run[]): number {
  return runs.reduce((instant, { lastCall }) => Math.max(instant, lastCall ?? instant), Number.NEGATIVE_INFINITY);
}

function spread(runs: readonly Run[]): Spread {
  const percentiles = <T>(value: (run: Run) => number, show: (value: number) => T): Percentiles<T> => {
    const values = runs.map(value).sort((a, b) => a - b);
    // The nearest rank: a value that one of the runs really had.
    const at = (percent: number) => show(values[Math.ceil((percent / 100) * values.length) - 1] as number);
    return { p5: at(5), p50: at(50), p95: at(95) };
  };
  return {
    // With one wallet for all, either every run has a call or none has.
    last_call: percentiles(
      ({ lastCall }) => lastCall ?? Number.NaN,
      (instant) => isoTime(Number.isNaN(instant) ? null : instant),
    ),
    attempts: percentiles(
      ({ attempts }) => attempts,
      (value) => value,
    ),
    cost: percentiles(({ cost }) => cost, fromMicros),
  };
}

function isoTime(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** The most frequent first. */
function sorted(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)));
}

/**
 * A rehearsal: when a campaign would end and what it would cost, before anybody's phone rings. Other campaigns of the store are
 * played too, because they use the same wallet; their spending is not part of this campaign's cost.
 */
import type { Contact } from '../contract.ts';
import { fromMicros } from './money.ts';
import { worstCaseFinish } from './pace.ts';
import { type Percentiles, percentiles } from './percentiles.ts';
import { type Cast, caughtUp, type Playthrough, play } from './playthrough.ts';
import { MINIMUM_BALANCE } from './policy.ts';
import type { Plan } from './rehearsal-plan.ts';

/** Times are UTC ISO 8601, money is a decimal number. */
export interface Rehearsal {
  contacts: number;
  attempts: number;
  reached: number;
  voicemail: number;
  exhausted: number;
  /** Null, like `last_call`, if the wallet does not allow a single call. */
  first_call: string | null;
  last_call: string | null;
  /** When the last call is placed if nobody is ever reached. */
  worst_case_finish: string;
  cost: number;
  /** In the wallet now; null if unknown, like the next two. */
  balance: number | null;
  /** Whether the balance lets the campaign run to its end. */
  enough: boolean | null;
  /** The smallest top-up with which it does. */
  shortfall: number | null;
  /** Why the campaign is paused at the end, if it is. */
  paused: 'insufficient_balance' | null;
  by_status: Record<string, number>;
  by_outcome: Record<string, number>;
  /** How many other campaigns use the same wallet meanwhile; absent if none does. */
  other_campaigns?: number;
  runs: number;
  /** How many of the runs end early because of the wallet. */
  paused_runs: number;
  percentiles?: Spread;
}

export interface Spread {
  /** Over the runs in which the wallet allowed a call. */
  last_call: Percentiles<string | null>;
  attempts: Percentiles<number>;
  cost: Percentiles<number>;
}

/**
 * Plays a plan `runs` times and reports the first run and how much the runs differ. Yields after each call, so that the caller
 * may stop. Run k (the first is 0) uses the store's random seed plus k, so run 0 is what the engine would do.
 */
export function* rehearse(committed: Plan, runs: number): Generator<void, Rehearsal> {
  const plan = yield* caughtUp(committed);
  const { contacts, state, balance, others } = plan;
  const cast: Cast = { contactAt: (index) => contacts[index] as Contact, seed: state.seed, balance, others };
  const played: Playthrough[] = [];
  for (let run = 0; run < runs; run++) played.push(yield* play(plan, { ...cast, seed: state.seed + run }));
  const first = played[0] as Playthrough;
  const whole = first.isPaused ? yield* play(plan, { ...cast, balance: null }) : first;
  return report(plan, { played, first, whole });
}

interface Played {
  played: Playthrough[];
  first: Playthrough;
  /** The first run as it would be if the wallet never became empty. */
  whole: Playthrough;
}

function report({ contacts, balance, campaign, others }: Plan, { played, first, whole }: Played): Rehearsal {
  // Before each dial the wallet must hold the minimum, so the last call needs the most.
  const needed = whole.spentBeforeLastCall + MINIMUM_BALANCE;
  return {
    contacts: contacts.length,
    attempts: first.attempts,
    reached: first.reached,
    voicemail: first.voicemail,
    exhausted: first.exhausted,
    first_call: isoTime(first.firstCall),
    last_call: isoTime(first.lastCall),
    worst_case_finish: new Date(latest(worstCaseFinish(campaign), [whole, ...played])).toISOString(),
    cost: fromMicros(first.cost),
    balance: balance === null ? null : fromMicros(balance),
    enough: balance === null ? null : !first.isPaused,
    shortfall: balance === null ? null : fromMicros(Math.max(0, needed - balance)),
    paused: first.isPaused ? 'insufficient_balance' : null,
    by_status: sorted(first.byStatus),
    by_outcome: sorted(first.byOutcome),
    ...(others.campaigns.length > 0 && { other_campaigns: others.campaigns.length }),
    runs: played.length,
    paused_runs: played.filter(({ isPaused }) => isPaused).length,
    ...(played.length > 1 && { percentiles: spread(played) }),
  };
}

/**
 * The latest of `worst` and the ends of all runs, because instants are whole milliseconds: at thousands of calls an hour,
 * rounding may make a retry miss its slot, so that a run in which somebody was reached ends a slot or two later than one in
 * which nobody was.
 */
function latest(worst: number, runs: readonly Playthrough[]): number {
  return runs.reduce((instant, { lastCall }) => Math.max(instant, lastCall ?? instant), worst);
}

function spread(runs: readonly Playthrough[]): Spread {
  const lastCalls = runs.map(({ lastCall }) => lastCall).filter((instant) => instant !== null);
  const attempts = runs.map((run) => run.attempts);
  const costs = runs.map((run) => fromMicros(run.cost));
  return {
    last_call: lastCalls.length === 0 ? NO_CALLS : percentiles(lastCalls, isoTime),
    attempts: percentiles(attempts, (value) => value),
    cost: percentiles(costs, (value) => value),
  };
}

const NO_CALLS = { p5: null, p50: null, p95: null };

function isoTime(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** The most frequent first. */
function sorted(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)));
}

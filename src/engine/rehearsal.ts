/**
 * A rehearsal: when a campaign would end and what it would cost, before anybody's phone rings. Other campaigns of the store are
 * played too, because they use the same wallet; their spending is not part of this campaign's cost.
 */
import type { CheckedRequest, Contact } from '../contract.ts';
import { isoTime, isoTimeOrNull } from '../text/iso.ts';
import { percentile } from '../text/numbers.ts';
import { requireBounds, requireContactBounds } from './bounds.ts';
import { fromMicros } from './money.ts';
import { worstCaseFinish } from './pace.ts';
import { MINIMUM_BALANCE } from './policy.ts';
import { type Expectations, expectedScenario } from './scenario.ts';
import { type Setting, Simulation } from './simulation.ts';
import type { Campaign, Scenario } from './state.ts';

/** Times are UTC ISO 8601, money is a decimal number. */
export type Rehearsal = ReturnType<typeof report>;

/** A campaign that would be created, beside those that will still call. Playing does not change it. */
export interface PlannedCampaign {
  others: Simulation;
  request: CheckedRequest<'createCampaign'>;
  now: number;
  /** The expected results of its calls. */
  expected: Scenario;
}

/**
 * With the scenario that the operator expects. Throws the ServiceErrors of create-campaign, except for a balance below the
 * minimum, because a rehearsal is meant to show what is missing.
 */
export function planCampaign(
  setting: Setting,
  request: CheckedRequest<'createCampaign'>,
  expectations: Expectations,
): PlannedCampaign {
  requireBounds(request);
  requireContactBounds(request.contacts);
  const others = Simulation.of(setting);
  const plan = { others, request, now: setting.now, expected: setting.state.scenario };
  const campaign = createIn(others.copy(), plan);
  return { ...plan, expected: expectedScenario(setting.state, campaign, expectations) };
}

function createIn(world: Simulation, { request, now, expected }: PlannedCampaign): Campaign {
  const { organization } = world.state;
  const { balance } = organization;
  organization.balance = Number.POSITIVE_INFINITY;
  const campaign = world.create(request, now, {
    contactAt: (index) => request.contacts[index] as Contact,
    expected,
  });
  organization.balance = balance;
  return campaign;
}

/**
 * Plays a plan `runs` times and reports the first run and how much the runs differ. Yields after each call, so that the caller
 * may stop. Run k (the first is 0) uses the store's random seed plus k, so run 0 is what the engine would do.
 */
export function* rehearse(committed: PlannedCampaign, runs: number): Generator<void, Rehearsal> {
  const others = committed.others.copy();
  // All events of the other campaigns that fell due since the last commit happen first.
  for (const _call of others.advance(committed.now)) yield;
  const plan = { ...committed, others };
  const { seed, organization } = others.state;
  const played: Playthrough[] = [];
  for (let run = 0; run < runs; run++) played.push(yield* play(plan, seed + run, organization.balance));
  const first = played[0] as Playthrough;
  const whole = first.isPaused ? yield* play(plan, seed, Number.POSITIVE_INFINITY) : first;
  return report(plan, played, whole);
}

/** The result of playing a campaign once. */
interface Playthrough extends Run {
  /** As it stands at the end. */
  campaign: Campaign;
  isPaused: boolean;
  firstCall: number | undefined;
  /** What all campaigns together had spent when the last call of this one was placed. */
  spentBeforeLastCall: number;
  byStatus: Map<string, number>;
  byOutcome: Map<string, number>;
}

/** Yields after each call, until the campaign has ended. */
function* play(plan: PlannedCampaign, seed: number, balance: number): Generator<void, Playthrough> {
  const world = plan.others.copy(seed);
  const campaign = createIn(world, plan);
  world.state.organization.balance = balance;
  const played = { ...{ cost: 0, spentBeforeLastCall: 0 }, byStatus: new Map(), byOutcome: new Map() };
  let [firstCall, lastCall]: (number | undefined)[] = [];
  let spent = 0;
  for (const { attempt, at, cost, call_status, call_outcome } of world.advance('idle')) {
    if (attempt.id === campaign.campaign_number) {
      firstCall ??= at;
      lastCall = at;
      played.spentBeforeLastCall = spent;
      played.cost += cost;
      count(played.byStatus, call_status);
      count(played.byOutcome, call_outcome);
    }
    spent += cost;
    yield;
    if (campaign.status === 'completed' || campaign.status === 'paused') break;
  }
  const { attempts, status } = campaign;
  return { ...played, campaign, attempts, firstCall, lastCall, isPaused: status === 'paused' };
}

/** `whole` is the first run as it would be if the wallet never became empty. */
function report({ others, request }: PlannedCampaign, played: Playthrough[], whole: Playthrough) {
  const first = played[0] as Playthrough;
  const { campaign, isPaused } = first;
  const { reached, voicemail = 0 } = campaign;
  const { balance } = others.state.organization;
  const isKnown = balance !== Number.POSITIVE_INFINITY;
  // Before each dial the wallet must hold the minimum, so the last call needs the most.
  const needed = whole.spentBeforeLastCall + MINIMUM_BALANCE;
  const besides = others.state.campaigns.length;
  return {
    contacts: request.contacts.length,
    attempts: first.attempts,
    reached: reached - voicemail,
    // A machine that took the call is nobody.
    not_reached: campaign.exhausted + voicemail,
    // Null, like the last, if the wallet does not allow a single call.
    first_call: isoTimeOrNull(first.firstCall),
    last_call: isoTimeOrNull(first.lastCall),
    // If nobody is ever reached.
    worst_case_finish: isoTime(latest(worstCaseFinish(campaign), [whole, ...played])),
    cost: fromMicros(first.cost),
    // In the wallet now, whether it lets the campaign run to its end, and the smallest top-up with which it does.
    balance: isKnown ? fromMicros(balance) : null,
    enough: isKnown ? !isPaused : null,
    shortfall: isKnown ? fromMicros(Math.max(0, needed - balance)) : null,
    paused: isPaused ? 'insufficient_balance' : null,
    by_status: sorted(first.byStatus),
    by_outcome: sorted(first.byOutcome),
    // Those that use the same wallet meanwhile.
    ...(besides > 0 && { other_campaigns: besides }),
    runs: played.length,
    // Those that end early because of the wallet.
    paused_runs: played.filter((run) => run.isPaused).length,
    ...(played.length > 1 && { percentiles: spreadOf(played) }),
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

function count(counts: Map<string, number>, label: string): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

/** The most frequent first. */
function sorted(counts: Map<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)));
}

export interface Percentiles<T> {
  p5: T;
  p50: T;
  p95: T;
}

/** What counts of one run. Milliseconds since the epoch, and millionths. */
export interface Run {
  lastCall: number | undefined;
  attempts: number;
  cost: number;
}

/** How much runs differ: UTC ISO 8601, of those in which somebody was called, and decimal numbers. */
export function spreadOf(runs: readonly Run[]) {
  const lastCalls = runs.map(({ lastCall }) => lastCall).filter((instant) => instant !== undefined);
  const [costs, attempts] = [runs.map(({ cost }) => cost), runs.map((run) => run.attempts)];
  return {
    last_call: percentiles(lastCalls, isoTimeOrNull),
    attempts: percentiles(attempts, (count) => count ?? 0),
    cost: percentiles(costs, (amount) => fromMicros(amount ?? 0)),
  };
}

function percentiles<T>(values: readonly number[], show: (value: number | null) => T): Percentiles<T> {
  const rising = values.toSorted((a, b) => a - b).map((value) => [value, 1] as const);
  return { p5: show(percentile(rising, 5)), p50: show(percentile(rising, 50)), p95: show(percentile(rising, 95)) };
}

/** A rehearsal of a plan: when it would end, what it would cost and what would come of its contacts, before anybody is called. */
import { fromMicros } from '../../engine/money.ts';
import { type Run, type Spread, spreadOf } from '../../engine/spread.ts';
import { isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { type Played, playPlan } from './play.ts';
import type { Rehearsed } from './stage.ts';

/** Times are UTC ISO 8601, money is a decimal number. */
export interface PlanRehearsal {
  plan_id: number;
  /** All of the plan; by their states they add up to it. */
  contacts: number;
  /** Those that are still to come, as are the attempts and the cost. */
  waves: number;
  attempts: number;
  reached: number;
  exhausted: number;
  unseen: number;
  excluded: number;
  /** Whom the plan would not call any more. */
  left: number;
  /** Null, like `finish`, if nobody would be called. */
  first_call: string | null;
  /** When the last call is made. */
  finish: string | null;
  cost: number;
  runs: number;
  /** Why the plan would be stopped before its end, if it would. */
  stopped: string | null;
  /** How many of the runs are stopped. */
  stopped_runs: number;
  percentiles?: Omit<Spread, 'lastCall'> & { finish: Spread['lastCall'] };
  wave_list: { wave: number; start: string; contacts: number; from: string }[];
  /** Whether the plan would wait after its canary; the rehearsal goes on at once. */
  waits_after_canary: boolean;
}

/**
 * Plays a plan `runs` times and reports the first run, and how much the runs differ. Yields after each step, so that the caller
 * may stop. Run k (the first is 0) uses the engine's random seed plus k, so run 0 is what the local engine would do.
 */
export function* rehearsePlan(rehearsed: Rehearsed, runs: number): Generator<void, PlanRehearsal> {
  const { seed } = rehearsed.engine.state;
  const first = yield* playPlan(rehearsed, { seed });
  const played = [runOf(first)];
  for (let run = 1; run < runs; run++) played.push(runOf(yield* playPlan(rehearsed, { seed: seed + run })));
  const { counts } = first;
  return {
    plan_id: rehearsed.loaded.plan.plan_id,
    contacts: rehearsed.loaded.plan.contacts,
    waves: first.waves.length,
    attempts: first.attempts,
    reached: counts.reached,
    exhausted: counts.exhausted,
    unseen: counts.unseen + counts.handed,
    excluded: counts.excluded,
    left: counts.left + counts.new + counts.again,
    first_call: isoTimeOrNull(first.firstCall),
    finish: isoTimeOrNull(first.lastCall),
    cost: fromMicros(first.cost),
    runs,
    stopped: first.stopped ?? null,
    stopped_runs: played.filter(({ isStopped }) => isStopped).length,
    ...(runs > 1 && { percentiles: percentilesOf(played) }),
    wave_list: first.waves.map(({ wave, start, rows, from }) => ({
      wave,
      start: isoTime(start),
      contacts: rows.length,
      from,
    })),
    waits_after_canary: first.wasResumed,
  };
}

/** What of a run is kept. */
function runOf({ lastCall, attempts, cost, stopped }: Played): Run & { isStopped: boolean } {
  return { lastCall, attempts, cost, isStopped: stopped !== undefined };
}

function percentilesOf(played: readonly Run[]): NonNullable<PlanRehearsal['percentiles']> {
  const { lastCall: finish, attempts, cost } = spreadOf(played);
  return { finish, attempts, cost };
}

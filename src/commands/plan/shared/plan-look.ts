/** A plan at one moment, as it is watched: from its rows alone, no service is asked. */
import { fromMicros } from '../../../engine/money.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import { placedWaves } from '../../../plans/waves.ts';
import { type Day, dayOf } from './draw-day.ts';
import { type PlanRecord, planRecord, type WaveRecord, wavesOut } from './plan-record.ts';

export interface PlanLook {
  record: PlanRecord;
  /** Milliseconds since the epoch, by the clock that places the calls. */
  at: number;
  budget: number | undefined;
  /** Of the latest attempts; undefined before the first. */
  latest: { answered: number; attempts: number } | undefined;
  /** How many waves were placed, or may have been. */
  waves: number;
  /** Those with contacts whose call was not seen yet, the oldest first. */
  running: readonly WaveRecord[];
  /** Milliseconds since somebody last ran the plan, by the clock of this machine; undefined if nobody ever did. */
  sinceRun: number | undefined;
  day: Day;
}

/** Places of which the day is drawn. */
const MOST_PLACES = 5;

export function lookAt(loaded: LoadedPlan, now: number, sinceRun: number | undefined): PlanLook {
  const { plan, position, hours } = loaded;
  const { latest, open } = position;
  const { budget } = plan.rules;
  const answered = latest.filter((result) => result === 'reached' || result === 'voicemail').length;
  return {
    record: planRecord(loaded, now),
    at: now,
    budget: budget === undefined ? undefined : fromMicros(budget),
    latest: latest.length === 0 ? undefined : { answered, attempts: latest.length },
    waves: placedWaves(position),
    running: wavesOut(loaded),
    sinceRun,
    day: dayOf({ plan, hours, open }, waitingByPlace(loaded), { now, most: MOST_PLACES }),
  };
}

function waitingByPlace({ plan, roster }: LoadedPlan): Uint32Array {
  const counts = new Uint32Array(plan.places.length);
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if (state === 'new' || state === 'again') (counts[roster.placeOf(row)] as number) += 1;
  }
  return counts;
}

/** Whether nothing will happen any more without somebody's doing. */
export function isAtRest({ record }: Pick<PlanLook, 'record'>): boolean {
  return record.state !== 'open';
}

/** A run every ten minutes may be late once. */
const MOST_BETWEEN_RUNS = 25 * 60_000;

/** Whether a run has something to do, and nobody has run the plan for long. */
export function isNeglected({ record: { state, next }, running, sinceRun, at }: PlanLook): boolean {
  const isDue = next !== null && Date.parse(next.at) <= at;
  const hasWork = state === 'open' && (isDue || running.length > 0);
  return hasWork && (sinceRun === undefined || sinceRun > MOST_BETWEEN_RUNS);
}

export const SNAPSHOT_FIELDS = [
  ...['plan_id', 'plan_name', 'at', 'state', 'reason', 'contacts', 'attempts', 'spent', 'budget', 'answer_rate'],
  ...['waves', 'running', 'next', 'not_run_for', 'is_over'],
] as const;

/** As it is printed for programs. Times are UTC ISO 8601, money is a decimal number. */
export function snapshotOf(look: PlanLook): Record<(typeof SNAPSHOT_FIELDS)[number], unknown> {
  const { latest, sinceRun, record } = look;
  const { plan_id, plan_name, state, reason, contacts, attempts, spent, next } = record;
  return {
    ...{ plan_id, plan_name, at: new Date(look.at).toISOString(), state, reason, contacts, attempts, spent },
    budget: look.budget ?? null,
    answer_rate: latest === undefined ? null : Math.round((10_000 * latest.answered) / latest.attempts) / 10_000,
    ...{ waves: look.waves, running: look.running, next },
    not_run_for: sinceRun === undefined ? null : Math.round(sinceRun / 1000),
    is_over: isAtRest(look),
  };
}

/** What the time alone changes is no news. */
export function newsOf(look: PlanLook): string {
  const { at: _at, next: _next, not_run_for: _notRun, ...rest } = snapshotOf(look);
  return JSON.stringify([rest, look.record.next?.why, isNeglected(look)]);
}

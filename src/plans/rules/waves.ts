/**
 * When a wave is over, when its calls will not be waited for any longer, and how a service keeps the pace that was asked for: what
 * was seen is expected again. Milliseconds since the epoch.
 */
import { MAX_NAME_LENGTH } from '../../engine/policy.ts';
import { DAY, HOUR, MINUTE } from '../../text/units.ts';
import type { LoadedPlan, OpenWave, Plan, Position, SlowWave } from './plan.ts';
import { MARGIN, type PlanRules, UNSEEN_AFTER } from './rules.ts';

/** The least between the starts of two waves, unless the second is long enough to fill it. */
const GATHERING = 10 * MINUTE;

/** Between two dials of a wave, in milliseconds; not always a whole number. */
export function intervalOf({ callsPerHour }: Pick<PlanRules, 'callsPerHour'>): number {
  return HOUR / callsPerHour;
}

/** How many contacts a wave may have by its length alone. */
export function longestWave({ callsPerHour, wave }: Pick<PlanRules, 'callsPerHour' | 'wave'>): number {
  return Math.max(1, Math.floor((wave * callsPerHour) / HOUR));
}

/** The same in milliseconds for a plan: never longer than its waves. */
export function gatheringTime({ wave }: Pick<PlanRules, 'wave'>): number {
  return Math.min(wave, GATHERING);
}

type Paced = Pick<OpenWave, 'start' | 'interval' | 'contacts'>;

/** By the pace: an interval after its last dial, rounded up. */
export function endOf({ start, interval, contacts }: Paced): number {
  return Math.ceil(start + contacts * interval);
}

/** From when on the next wave does not wait for the calls of this one, because the service has had time enough for them. */
export function blocksUntil(wave: Paced, margin = MARGIN): number {
  return endOf(wave) + margin;
}

export function unseenAt(wave: Paced): number {
  return endOf(wave) + UNSEEN_AFTER;
}

/** How many waves were placed, or may have been. */
export function placedWaves({ waves, notPlaced = 0 }: Pick<Position, 'waves' | 'notPlaced'>): number {
  return waves - notPlaced;
}

/**
 * Whether a wave of the plan was placed, or may have been: the canary is the first such wave. A wave that was certainly not
 * placed is taken back from `given`.
 */
export function hasWave({ given }: Pick<Position, 'given'>): boolean {
  return given.length > 0;
}

/** Characters of a plan's name: with the largest numbers behind it, the local engine still takes it. */
export const LONGEST_PLAN_NAME = MAX_NAME_LENGTH - 50;

/** Such as `Spring (plan 3, wave 7)`. */
export function waveName({ plan_id, plan_name }: Pick<Plan, 'plan_id' | 'plan_name'>, wave: number): string {
  return `${plan_name} (plan ${plan_id}, wave ${wave})`;
}

/** Whether a campaign has the name of a wave, of whichever plan. */
export function isWaveName(name: string): boolean {
  return / \(plan \d{1,15}, wave \d{1,15}\)$/.test(name);
}

/** The number of the wave of a plan that has this name; undefined if it is none. */
export function waveNamed(name: string, plan: Pick<Plan, 'plan_id' | 'plan_name'>): number | undefined {
  const [, digits] = /, wave (\d{1,15})\)$/.exec(name) ?? [];
  const wave = Number(digits);
  return digits !== undefined && waveName(plan, wave) === name ? wave : undefined;
}

// Pace ---------------------------------------------------------------------------------------------------------------

export type Pace = Pick<SlowWave, 'late' | 'stretch'>;

/** Of the margin, so much is for what was not seen before; calls that are late by less are no sign. */
const SPARE = MARGIN / 2;
/** From such a length on it shows whether a wave is slow from call to call, or begins late. */
const LONG_ENOUGH = 10 * MINUTE;
/** How much longer waves are later, where that does not show. */
const MOST_SCALED = 2;
/** An evening is expected to be as slow as the one before the weekend. */
const REMEMBERED = 4 * DAY;

/** With a call of a wave at an instant. */
export function withCall(
  slow: readonly SlowWave[] = [],
  { start, interval, contacts }: Paced,
  at: number,
  rules: PlanRules,
): readonly SlowWave[] {
  const planned = (contacts - 1) * interval;
  const late = at - start - planned;
  if (late <= SPARE) return slow;
  const longest = (longestWave(rules) - 1) * intervalOf(rules);
  const longer = planned === 0 ? 1 : Math.max(1, longest / planned);
  const isLong = planned >= LONG_ENOUGH;
  const seen: SlowWave = {
    at,
    late: late * (isLong ? longer : Math.min(longer, MOST_SCALED)),
    stretch: isLong ? (at - start) / planned : 1,
  };
  const isOutdone = (one: SlowWave) =>
    one.at <= seen.at && (one.at <= seen.at - REMEMBERED || (one.late <= seen.late && one.stretch <= seen.stretch));
  return [...slow.filter((one) => !isOutdone(one)), seen];
}

/** What is to be expected at an instant; of all times if none is given. */
export function paceSeen({ slow = [] }: Pick<Position, 'slow'>, now = 0): Pace {
  const recent = slow.filter(({ at }) => at > now - REMEMBERED);
  return {
    late: Math.max(0, ...recent.map(({ late }) => late)),
    stretch: Math.max(1, ...recent.map(({ stretch }) => stretch)),
  };
}

/** Milliseconds before the end of anybody's calling window, and after a wave, in which no call is planned. */
export function marginOf({ position }: Pick<LoadedPlan, 'position'>, now: number): number {
  const { late } = paceSeen(position, now);
  return late === 0 ? MARGIN : Math.max(MARGIN, late + SPARE);
}

/** When the last call of something else is made at the latest, retries included, at the pace that was seen. */
export function slowedUntil({ start, until }: { start: number; until: number }, { late, stretch }: Pace): number {
  return start + (until - start) * stretch + late;
}

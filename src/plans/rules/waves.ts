/** When a wave is over, and when its calls will not be waited for any longer. Milliseconds since the epoch. */

import { MAX_NAME_LENGTH } from '../../engine/policy.ts';
import { HOUR, MINUTE } from '../../text/units.ts';
import type { OpenWave, Plan, Position } from './plan.ts';
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

/** The number of the wave of a plan that has this name; undefined if it is none. */
export function waveNamed(name: string, plan: Pick<Plan, 'plan_id' | 'plan_name'>): number | undefined {
  const [, digits] = /, wave (\d{1,15})\)$/.exec(name) ?? [];
  const wave = Number(digits);
  return digits !== undefined && waveName(plan, wave) === name ? wave : undefined;
}

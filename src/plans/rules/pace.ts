/** How a service keeps the pace that was asked for, by the calls of a plan's waves: what was seen is expected again. */

import { DAY, MINUTE } from '../../text/units.ts';
import type { LoadedPlan, OpenWave, Position, SlowWave } from './plan.ts';
import { MARGIN, type PlanRules } from './rules.ts';
import { intervalOf, longestWave } from './waves.ts';

export type Pace = Pick<SlowWave, 'late' | 'stretch'>;

/** Of the margin, so much is for what was not seen before; calls that are late by less are no sign. */
const SPARE = MARGIN / 2;
/** From such a length on it is told whether a wave is slow from call to call, or begins late. */
const TELLING = 10 * MINUTE;
/** How much longer waves are later, where that is not told. */
const MOST_SCALED = 2;
/** An evening is expected to be as slow as the one before the weekend. */
const REMEMBERED = 4 * DAY;

/** With a call of a wave at an instant. */
export function withCall(
  slow: readonly SlowWave[] = [],
  { start, interval, contacts }: Pick<OpenWave, 'start' | 'interval' | 'contacts'>,
  at: number,
  rules: PlanRules,
): readonly SlowWave[] {
  const planned = (contacts - 1) * interval;
  const late = at - start - planned;
  if (late <= SPARE) return slow;
  const longest = (longestWave(rules) - 1) * intervalOf(rules);
  const longer = planned === 0 ? 1 : Math.max(1, longest / planned);
  const isTold = planned >= TELLING;
  const seen: SlowWave = {
    at,
    late: late * (isTold ? longer : Math.min(longer, MOST_SCALED)),
    stretch: isTold ? (at - start) / planned : 1,
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

/** Milliseconds before the end of anybody's hours, and after a wave, in which no call is planned. */
export function marginOf({ position }: Pick<LoadedPlan, 'position'>, now: number): number {
  const { late } = paceSeen(position, now);
  return late === 0 ? MARGIN : Math.max(MARGIN, late + SPARE);
}

/** When the last call of something else is made at the latest, retries included, at the pace that was seen. */
export function slowedUntil({ start, until }: { start: number; until: number }, { late, stretch }: Pace): number {
  return start + (until - start) * stretch + late;
}

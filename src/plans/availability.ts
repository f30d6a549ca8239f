/** From when on the caps and gaps of a phone allow another dial. Milliseconds since the epoch. */
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';

type Caps = Pick<PlanRules, 'minGap' | 'maxPerNumber'>;

/** By the dials that are known; 0 if there was none. */
export function availableAt(roster: Roster, row: number, caps: Caps): number {
  const gap = gapOver(roster, row, caps);
  // Without a dial there is no gap, and no cap either.
  return gap === 0 ? 0 : Math.max(gap, capOver(roster, row, caps));
}

export function gapOver(roster: Roster, row: number, { minGap }: Caps): number {
  const latest = roster.dialOf(row, 0);
  return latest === 0 ? 0 : latest + minGap;
}

export function capOver(roster: Roster, row: number, { maxPerNumber }: Caps): number {
  if (maxPerNumber === undefined) return 0;
  const dial = roster.dialOf(row, maxPerNumber.count - 1);
  return dial === 0 ? 0 : dial + maxPerNumber.within;
}

/** When somebody may be called who may not be called now. Milliseconds since the epoch. */

import { Openings } from './openings.ts';
import { marginOf } from './pace.ts';
import type { LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';

/** What a plan does not know by itself. */
export interface Outlook {
  /** By the service's clock. */
  now: number;
  /** By how much it is ahead of this machine's, in milliseconds: the hours hold by both. As the plan knows it if not given. */
  ahead?: number;
  /**
   * From when on other campaigns, plans and calls leave the phone of a row alone, besides the dials that the roster knows;
   * Infinity while nobody can say.
   */
  pendingUntil?: (row: number) => number;
}

/** The last of a contact's reasons to end. */
export interface Look {
  at: number;
  why: 'window' | 'retry' | 'gap' | 'cap' | 'others' | 'start' | 'from_cap';
}

/**
 * The earliest instant, not before that of `base`, at which a contact may be dialled, which is the first moment for a wave.
 * Undefined if there is nobody to call, or only phones of which a call is awaited. The instant is Infinity if nobody can say.
 */
export function nextLook(loaded: LoadedPlan, { now, pendingUntil }: Outlook, base: Look): Look | undefined {
  const { plan, roster, hours } = loaded;
  const { rules } = plan;
  const openings = new Openings(hours, base.at, marginOf(loaded, now));
  const awaited = roster.awaitedPhones();
  let best: Look | undefined;
  /** Who is not earlier than this is of no interest. */
  let before = Number.POSITIVE_INFINITY;
  for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
    const place = roster.placeOf(row);
    if (best !== undefined && openings.of(place).from >= before) continue;
    if (roster.attemptsOf(row) >= rules.maxAttempts) continue;
    if (awaited.size > 0 && awaited.has(roster.phoneOf(row))) continue;
    const due = roster.dueOf(row);
    const gap = gapOver(roster, row, rules);
    const cap = capOver(roster, row, rules);
    const known = Math.max(base.at, due, gap, cap);
    if (best !== undefined && known >= before) continue;
    const free = pendingUntil === undefined ? 0 : pendingUntil(row);
    const allowed = Math.max(known, free);
    if (best !== undefined && allowed >= before) continue;
    const at = allowed === Number.POSITIVE_INFINITY ? allowed : openings.firstIn(place, allowed);
    if (best !== undefined && at >= before) continue;
    const reasons = [
      [base.at, base.why] as const,
      [due, 'retry'],
      [gap, 'gap'],
      [cap, 'cap'],
      [free, 'others'],
    ] as const;
    best = { at, why: reasons.find(([until]) => until === at)?.[1] ?? 'window' };
    before = at;
  }
  return best;
}

type Caps = Pick<PlanRules, 'minGap' | 'maxPerNumber'>;

/** From when on the caps and gaps of its phone allow a dial, by the dials that are known; 0 if there was none. */
export function availableAt(roster: Roster, row: number, caps: Caps): number {
  const gap = gapOver(roster, row, caps);
  // Without a dial there is no gap, and no cap either.
  return gap === 0 ? 0 : Math.max(gap, capOver(roster, row, caps));
}

function gapOver(roster: Roster, row: number, { minGap }: Caps): number {
  const latest = roster.dialOf(row, 0);
  return latest === 0 ? 0 : latest + minGap;
}

function capOver(roster: Roster, row: number, { maxPerNumber }: Caps): number {
  if (maxPerNumber === undefined) return 0;
  const dial = roster.dialOf(row, maxPerNumber.count - 1);
  return dial === 0 ? 0 : dial + maxPerNumber.within;
}

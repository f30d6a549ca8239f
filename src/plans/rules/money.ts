/** What a plan has spent and may still spend, in millionths. Calls are charged by started minutes, as far as a plan knows. */
import { MINUTE, SECOND } from '../../text/units.ts';
import type { LoadedPlan } from './plan.ts';
import type { PlanRules } from './rules.ts';

/** `seconds` of a conversation; 0 without a price. */
export function costOf(seconds: number, { pricePerMinute }: Pick<PlanRules, 'pricePerMinute'>): number {
  return Math.ceil((seconds * SECOND) / MINUTE) * (pricePerMinute ?? 0);
}

/** Of one more call: answered, and as long as the longest that is expected or was seen. */
export function worstCall({ plan: { rules }, position }: LoadedPlan): number {
  return costOf(Math.max(rules.longest, position.longest), rules);
}

/** How many contacts have an attempt whose call was not seen yet. */
export function unsettled({ position: { open } }: LoadedPlan): number {
  return open.reduce((sum, wave) => sum + wave.unsettled, 0);
}

/** Attempts that may be charged, or have been, although no call of them was seen: awaited, unseen, or recalled. */
export function uncharged(loaded: LoadedPlan): number {
  const { counts, recalledAttempts } = loaded.roster;
  return unsettled(loaded) + counts.unseen + recalledAttempts;
}

/** By how much calls that are going on have already cost more than the worst that was expected of them. */
function overrun({ plan: { rules }, lasting = [] }: LoadedPlan, expected: number): number {
  return lasting.reduce((sum, seconds) => sum + Math.max(0, costOf(seconds, rules) - expected), 0);
}

/**
 * How many more calls the budget allows if each costs the most; Infinity without a budget. Attempts of which nothing is known
 * count as much, whether they are waited for or not; a call that is going on counts at its length so far if that is longer.
 */
export function affordable(loaded: LoadedPlan): number {
  const { plan, position } = loaded;
  const { budget } = plan.rules;
  if (budget === undefined) return Number.POSITIVE_INFINITY;
  const call = worstCall(loaded);
  const left = budget - position.spent - uncharged(loaded) * call - overrun(loaded, call);
  if (left < 0) return 0;
  return call === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / call);
}

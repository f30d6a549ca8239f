/** How likely the calls to one phone are, by the habits of those who may have made them. */
import type { Claims } from './claims.ts';
import type { Habits } from './habits.ts';
import type { Attempted, Likelihood } from './reading.ts';

/** The mean milliseconds until a single call is made, after it was sent. */
export const CALL_LAG = 5_000;
/** The logarithm of how likely it is that the entry of a single call is missing. */
const CALL_MISSING = Math.log(0.05);

export interface Situation {
  claims: Claims;
  /** Of the campaigns, by their places. */
  habits: readonly Habits[];
  /** The last time in the log, in milliseconds since the epoch. */
  latest: number;
}

/** `first` is the first of the claims on the phone; the claimants of the likelihood are counted from it. */
export function likelihoodOf(entries: readonly Attempted[], first: number, situation: Situation): Likelihood {
  const { claims, habits, latest } = situation;
  const timeOf = (entry: number) => entries[entry]?.at;
  const habitsOf = (claim: number) => habits[claims.sources[claim] as number] as Habits;
  // Claims of one campaign have the same fit, which takes longer to work out than everything else.
  const fits = new Map<Habits, number[]>();
  const fitOf = (own: Habits, entry: number, at: number) => {
    const known = fits.get(own) ?? [];
    fits.set(own, known);
    known[entry] ??= own.fit(at);
    return known[entry] as number;
  };
  return {
    first(claimant, entry) {
      const at = timeOf(entry);
      if (at === undefined) return 0;
      const call = claims.callOf(first + claimant);
      if (call !== undefined) return -Math.abs(at - call.start) / CALL_LAG - Math.log(CALL_LAG);
      const own = habitsOf(first + claimant);
      return own.first(claims.rowOf(first + claimant), at) + fitOf(own, entry, at);
    },
    retry(claimant, before, entry) {
      const [earlier, at] = [timeOf(before), timeOf(entry)];
      if (earlier === undefined || at === undefined) return 0;
      const own = habitsOf(first + claimant);
      return own.retry(earlier, at) + fitOf(own, entry, at);
    },
    end(claimant, count, last) {
      const claim = first + claimant;
      const call = claims.callOf(claim);
      if (call !== undefined) return count === 0 && call.span.until < latest ? CALL_MISSING : 0;
      const entry = entries[last];
      if (entry === undefined) return habitsOf(claim).endBeforeFirst(claims.rowOf(claim), latest);
      const isEnded = entry.isCompleted || count >= (claims.campaignOf(claim)?.attempts ?? 0);
      return isEnded || entry.at === undefined ? 0 : habitsOf(claim).endAfter(entry.at, latest);
    },
  };
}

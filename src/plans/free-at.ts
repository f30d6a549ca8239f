/**
 * From when on other campaigns and calls that this machine knows of leave the phones of a plan alone. Their dials come into the
 * roster when the log shows them; before that, each may still happen.
 */
import type { LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';

type Caps = Pick<PlanRules, 'minGap' | 'maxPerNumber'>;

/** Something that was sent and may still ring phones. Instants in milliseconds since the epoch. */
export interface Busy {
  /** Keys of its phones. Throws FileError. */
  phones(): Iterable<number>;
  /** When its first call is due. */
  start: number;
  /** Milliseconds between two calls, in the order of `phones`; of no importance where a phone may be called several times. */
  interval: number;
  /** The most calls to one phone. */
  attempts: number;
  /** When its last call is made at the latest. */
  until: number;
  /** Whether its calls are in the log the moment they are made. */
  isCertain: boolean;
}

/** Milliseconds by which a call may be made before it is due. */
const EARLY = 60_000;

/** 0 for a phone that nobody else calls. */
export function freeAtOf({ plan, roster }: LoadedPlan, all: readonly Busy[], now: number): (row: number) => number {
  const { rules } = plan;
  const longest = Math.max(rules.minGap, rules.maxPerNumber?.within ?? 0);
  const free = new Map<number, number>();
  for (const busy of all) {
    const { start, interval, attempts, until, isCertain } = busy;
    if ((isCertain ? until : until + longest) <= now) continue;
    let index = 0;
    for (const phone of busy.phones()) {
      const due = attempts === 1 ? start + interval * index++ - EARLY : start - EARLY;
      for (const row of roster.rowsOfPhone(phone)) {
        const isSeen = roster.dialOf(row, 0) >= due;
        const at = isSeen ? (attempts === 1 ? 0 : until) : isCertain ? until : afterDoubt(roster, row, busy, rules);
        if (at > now) free.set(row, Math.max(at, free.get(row) ?? 0));
      }
    }
  }
  return (row) => free.get(row) ?? 0;
}

/** A call that the log does not show when it should may have been made last, as often as it can have been. */
function afterDoubt(roster: Roster, row: number, { attempts, until }: Busy, { minGap, maxPerNumber }: Caps): number {
  if (maxPerNumber === undefined) return until + minGap;
  const { count, within } = maxPerNumber;
  // Of so many calls at the end and those that are known, the one that must be long enough ago.
  const known = count - 1 - attempts;
  const dial = known < 0 ? until : roster.dialOf(row, known);
  return Math.max(until + minGap, dial === 0 ? 0 : dial + within);
}

/**
 * From when on other campaigns and calls that this machine knows of leave the phones of a plan alone. Their dials come into the
 * roster when the log shows them; before that, each may still happen.
 */
import type { LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import { UNSEEN_AFTER } from './rules.ts';

/** Something that was sent and may still ring phones. Instants in milliseconds since the epoch. */
export interface Busy {
  /** Keys of its phones. Throws FileError. */
  phones(): Iterable<number>;
  /** When its first call is due, and the milliseconds between two if each phone is called once; in the order of `phones`. */
  start: number;
  interval: number | undefined;
  /** When its last call is made at the latest. */
  until: number;
  /** Whether its calls are in the log the moment they are made. */
  isCertain: boolean;
}

/** Milliseconds by which a call may be made before it is due. */
const EARLY = 60_000;

/** 0 for a phone that nobody else calls. */
export function freeAtOf(loaded: LoadedPlan, all: readonly Busy[], now: number): (row: number) => number {
  const { plan, roster } = loaded;
  const { minGap, maxPerNumber } = plan.rules;
  // A call that the log does not show when it should may have been the last thing that was done.
  const doubt = Math.max(minGap, Math.min(maxPerNumber?.within ?? 0, UNSEEN_AFTER));
  const free = new Map<number, number>();
  for (const busy of all) {
    const { start, interval, until, isCertain } = busy;
    const last = isCertain ? until : until + doubt;
    if (last <= now) continue;
    let index = 0;
    for (const phone of busy.phones()) {
      const due = start + (interval ?? 0) * index++ - EARLY;
      for (const row of roster.rowsOfPhone(phone)) {
        const isSeen = latestDial(roster, row) >= due;
        const at = isSeen ? (interval === undefined ? until : 0) : last;
        if (at > now) free.set(row, Math.max(at, free.get(row) ?? 0));
      }
    }
  }
  return (row) => free.get(row) ?? 0;
}

function latestDial(roster: Roster, row: number): number {
  return roster.dialOf(row, 0);
}

/** How a plan ends before everybody was called. */
import { type PlanEvent, runsOf } from './events.ts';
import type { Roster } from './roster.ts';

/** Whoever was still to be called is left. `at`: in milliseconds since the epoch. */
export function cancelled(roster: Roster, at: number, reason: string): PlanEvent[] {
  const rows: number[] = [];
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if (state === 'new' || state === 'again') rows.push(row);
  }
  const left: PlanEvent[] = rows.length === 0 ? [] : [{ event: 'left', at, rows: runsOf(rows) }];
  return [...left, { event: 'cancelled', at, reason }];
}

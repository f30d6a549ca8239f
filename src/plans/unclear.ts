/** Calls whose entry has a status that the service's interface does not name: whether anybody was reached is not known. */
import type { PlanEvent } from './events.ts';
import type { Roster } from './roster.ts';

/** For each such status the contacts whose last call has it, and has not changed since. */
export function unclearByStatus(events: Iterable<PlanEvent>, roster: Roster): Map<string, number[]> {
  const statuses = new Map<number, string>();
  for (const event of events) if (event.event === 'unclear') statuses.set(event.row, event.status);
  const rows = new Map<string, number[]>();
  for (const [row, status] of statuses) {
    if (roster.isUnclear(row)) rows.set(status, [...(rows.get(status) ?? []), row]);
  }
  return rows;
}

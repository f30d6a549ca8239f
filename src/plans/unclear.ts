/** Calls whose entry has a status that the service's interface does not name: whether anybody was reached is not known. */
import type { Roster } from './roster.ts';
import type { PlanHistory } from './rows/history.ts';

/** For each such status the contacts whose last call has it, and has not changed since. */
export async function unclearByStatus(history: PlanHistory, roster: Roster): Promise<Map<string, number[]>> {
  const statuses = new Map<number, string>();
  for await (const { row, status } of history.events('unclear')) statuses.set(row, status);
  const rows = new Map<string, number[]>();
  for (const [row, status] of statuses) {
    if (roster.isUnclear(row)) rows.set(status, [...(rows.get(status) ?? []), row]);
  }
  return rows;
}

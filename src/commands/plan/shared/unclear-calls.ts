/** What is said of calls whose status the service's interface does not name. */
import type { PlanEvent } from '../../../plans/events.ts';
import { cell } from '../../../terminal/output.ts';

/** By status, how many. */
export type UnclearCounts = ReadonlyMap<string, number>;

export function countsOfNew(events: readonly PlanEvent[]): UnclearCounts {
  const counts = new Map<string, number>();
  for (const event of events)
    if (event.event === 'unclear') counts.set(event.status, (counts.get(event.status) ?? 0) + 1);
  return counts;
}

export function countsOf(rows: ReadonlyMap<string, readonly number[]>): UnclearCounts {
  return new Map([...rows].map(([status, { length }]) => [status, length]));
}

/** `2 calls have the status answered, which …`; undefined if there are none. */
export function unclearInWords(counts: UnclearCounts): string | undefined {
  if (counts.size === 0) return undefined;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const names = [...counts.keys()].map(statusInWords).sort();
  const calls = total === 1 ? '1 call has' : `${total} calls have`;
  const them = total === 1 ? 'it' : 'them';
  const statuses = names.length === 1 ? `the status ${names[0]}` : `statuses (${names.join(', ')})`;
  return `${calls} ${statuses}, which the service's interface does not name: what came of ${them} is not known.`;
}

export function statusInWords(status: string): string {
  return status === '' ? '(none)' : cell(status);
}

import type { PlanEvent } from './events.ts';

/** The instants of calls, and whose they were. */
export type Counted = Map<number, 'own' | 'others'>;

/** The calls of some contacts that are in a plan's journal; nothing for those who have none. */
export function countedCalls(events: Iterable<PlanEvent>, rows: ReadonlySet<number>): Map<number, Counted> {
  const counted = new Map<number, Counted>();
  for (const event of events) {
    if ((event.event !== 'called' && event.event !== 'others') || !rows.has(event.row)) continue;
    const calls: Counted = counted.get(event.row) ?? new Map();
    counted.set(event.row, calls);
    if (event.event === 'called') calls.set(event.at, 'own');
    else if (!calls.has(event.at)) calls.set(event.at, 'others');
  }
  return counted;
}

import type { PlanEvent } from './events.ts';

/** When each call of some contacts was made that is in a plan's journal; nothing for those who have none. */
export function countedCalls(events: Iterable<PlanEvent>, rows: ReadonlySet<number>): Map<number, Set<number>> {
  const counted = new Map<number, Set<number>>();
  for (const event of events) {
    if (event.event !== 'called' || !rows.has(event.row)) continue;
    const times = counted.get(event.row);
    if (times === undefined) counted.set(event.row, new Set([event.at]));
    else times.add(event.at);
  }
  return counted;
}

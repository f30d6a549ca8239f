import type { PlanEvent } from './events.ts';

/** The instants of calls, and whose they were. */
export type Counted = Map<number, 'own' | 'others'>;

/** The calls that events tell of, by contact. */
export function countedCalls(events: Iterable<PlanEvent>): Map<number, Counted> {
  const counted = new Map<number, Counted>();
  for (const event of events) {
    if (event.event !== 'called' && event.event !== 'others') continue;
    const calls: Counted = counted.get(event.row) ?? new Map();
    counted.set(event.row, calls);
    if (event.event === 'called') calls.set(event.at, 'own');
    else if (!calls.has(event.at)) calls.set(event.at, 'others');
  }
  return counted;
}

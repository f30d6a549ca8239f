/** The calls of a contact of a plan, from its events. */
import type { Called, Revised } from './events.ts';

/** In the order of their times. */
export function callsOf(events: readonly (Called | Revised)[]): readonly Called[] {
  const calls: Called[] = [];
  for (const event of events) {
    if (event.event === 'called') calls.push(event);
    else reviseIn(calls, event);
  }
  return calls.sort((one, other) => one.at - other.at);
}

/** A contact has one call at an instant. */
function reviseIn(calls: Called[], { was: _, ...revised }: Revised): void {
  const place = calls.findIndex(({ at }) => at === revised.at);
  if (place !== -1) calls[place] = { ...revised, event: 'called' };
}

/** A service may repeat the key in anything it says, and a plan's journal is no place for it. */
import type { PlanEvent } from '../../../plans/events.ts';
import type { Io } from '../../../terminal/io.ts';

/** What a service says. Other fields are read again by their values. */
const SAID: ReadonlySet<string> = new Set(['status', 'call_id', 'recording_url', 'message', 'reason']);

/** The same events with the key masked in what the service said. */
export function maskedEvents<Event extends PlanEvent>(events: readonly Event[], { redactor }: Io): Event[] {
  return events.map((event) => {
    const isCall = event.event === 'called' || event.event === 'revised';
    const isSaid = (name: string) => SAID.has(name) || (name === 'outcome' && isCall);
    const fields = Object.entries(event).map(([name, value]) => [
      name,
      typeof value === 'string' && isSaid(name) ? redactor.redact(value) : value,
    ]);
    return Object.fromEntries(fields) as unknown as Event;
  });
}

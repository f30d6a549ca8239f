/** A service may repeat the key in anything it says, and the events of a plan are no place for it. */
import type { PlanEvent } from '../../../plans/events.ts';
import type { Io } from '../../../terminal/io.ts';

/** What a service says. Other fields are read again by their values. */
const SAID = ['status', 'call_id', 'recording_url', 'message', 'reason'];
const SAID_OF_CALLS = [...SAID, 'outcome'];

/** The same events with the key masked in what the service said. */
export function maskedEvents<Event extends PlanEvent>(events: readonly Event[], { redactor }: Io): Event[] {
  return events.map((event) => {
    const isCall = event.event === 'called' || event.event === 'revised';
    // An object of the same shape: thousands that are made field by field would fill the memory.
    const masked = { ...event };
    const fields = masked as unknown as Record<string, unknown>;
    for (const name of isCall ? SAID_OF_CALLS : SAID) {
      const value = fields[name];
      if (typeof value === 'string') fields[name] = redactor.redact(value);
    }
    return masked;
  });
}

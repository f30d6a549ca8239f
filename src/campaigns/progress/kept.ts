/** What came of campaigns that are over, kept beside the register, so that their calls are not read again to list them. */
import type { Ports } from '../../register/ports.ts';
import { isoTime, isoTimeOrNull } from '../../text/iso.ts';
import { fieldsIn, parsed } from '../../text/parsed.ts';
import { DAY } from '../../text/units.ts';
import type { Tally } from '../attribution/tally.ts';

/** Milliseconds: until then an entry may still come, or be completed. */
const SETTLED_AFTER = DAY;

/** Keeps the counts of a campaign of a real service that is over at `now`. The engine knows its own. */
export async function keepTally(key: number, tally: Tally, now: number, { register }: Ports): Promise<void> {
  if (register.target().isLocal) return;
  const { contacts, states, attempts, ambiguous, firstCall, lastCall } = tally;
  // Counts alone: it holds nothing about a person.
  const summary = {
    ...{ at: isoTime(now), contacts, states, attempts, ambiguous },
    ...{ first_call: isoTimeOrNull(firstCall), last_call: isoTimeOrNull(lastCall) },
  };
  await (await register.open()).keepSummary(key, JSON.stringify(summary));
}

/** What was kept, and whether it will not change any more; undefined if nothing that can be read was: it only saves time. */
export function keptOf(json: string | undefined) {
  const { at, states, attempts, first_call, last_call } = fieldsIn(parsed(json)) ?? {};
  const times = [at, first_call ?? at, last_call ?? at].map((time) => Date.parse(String(time)));
  if (fieldsIn(states) === undefined || typeof attempts !== 'number' || times.some(Number.isNaN)) return undefined;
  const [seen, , last] = times as [number, number, number];
  return { states: states as Record<string, number>, attempts, isFinal: seen - last >= SETTLED_AFTER };
}

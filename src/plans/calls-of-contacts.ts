/**
 * The calls of each contact of a plan, from its journal. The journal is in the order of time and the contacts are in that of their
 * file. So it is read once to learn where the calls of each contact are, and then those of some contacts at a time: a call takes
 * some bytes of memory, and not what a service says about it.
 */
import type { Called, PlanEvent, Revised } from './events.ts';

export interface Journal {
  /** All events, and in which byte each begins. */
  entries(): Iterable<{ event: PlanEvent; start: number }>;
  /** Those that begin in these bytes, which rise. */
  eventsAt(starts: Iterable<number>): Iterable<PlanEvent>;
}

/** Calls that are in memory at a time, though all of one contact. */
const MOST_CALLS = 50_000;
const NONE: readonly Called[] = [];

/** For each contact, in their order, its calls in the order of their times. Throws as the journal does. */
export function* callsOfContacts(
  contacts: number,
  journal: Journal,
  most = MOST_CALLS,
): Generator<readonly Called[], void> {
  const { starts, ends } = placesOfCalls(contacts, journal);
  for (let row = 0, done = 0; row < contacts; ) {
    let end = row + 1;
    while (end < contacts && (ends[end] as number) - done <= most) end++;
    const until = ends[end - 1] as number;
    const calls = callsAt(starts.slice(done, until).sort(), journal);
    for (; row < end; row++) yield calls.get(row)?.sort((one, other) => one.at - other.at) ?? NONE;
    done = until;
  }
}

/** Where the calls begin in the journal, contact by contact, and where those of each contact end among them. */
function placesOfCalls(contacts: number, { entries }: Journal): { starts: Float64Array; ends: Uint32Array } {
  let rows = new Uint32Array(1024);
  let places = new Float64Array(1024);
  let calls = 0;
  for (const { event, start } of entries()) {
    if (event.event !== 'called' && event.event !== 'revised') continue;
    if (calls === rows.length) {
      rows = grown(rows, new Uint32Array(calls * 2));
      places = grown(places, new Float64Array(calls * 2));
    }
    rows[calls] = event.row;
    places[calls++] = start;
  }
  const ends = new Uint32Array(contacts + 1);
  for (let call = 0; call < calls; call++) (ends[(rows[call] as number) + 1] as number) += 1;
  for (let row = 0; row < contacts; row++) (ends[row + 1] as number) += ends[row] as number;
  // Until all are placed, `ends` says where the next call of each contact goes.
  const starts = new Float64Array(calls);
  for (let call = 0; call < calls; call++) starts[(ends[rows[call] as number] as number)++] = places[call] as number;
  return { starts, ends };
}

function grown<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function callsAt(starts: Iterable<number>, { eventsAt }: Journal): Map<number, Called[]> {
  const calls = new Map<number, Called[]>();
  for (const event of eventsAt(starts)) {
    if (event.event !== 'called' && event.event !== 'revised') continue;
    const known = calls.get(event.row) ?? [];
    calls.set(event.row, known);
    if (event.event === 'called') known.push(event);
    else reviseIn(known, event);
  }
  return calls;
}

/** A contact has one call at an instant. */
function reviseIn(calls: Called[], { was: _, ...revised }: Revised): void {
  const place = calls.findIndex(({ at }) => at === revised.at);
  if (place !== -1) calls[place] = { ...revised, event: 'called' };
}

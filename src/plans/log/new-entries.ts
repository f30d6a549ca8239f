/**
 * The entries that came into the call log since a plan was last reconciled, whatever agent made the calls: calls of others count
 * for the caps of a number.
 *
 * In a log that shows the newest first, new entries come before those that are known. The places of some known entries, counted
 * from the end, are kept: if one of them is still at its place, nothing behind it has changed, and only what stands before it
 * is read. An entry that came late stands before some known ones and behind others, so several places are kept. If none of them
 * is where it was, the log is in another order, or something is missing, and it is read from the day on which anything that
 * matters can have happened. An entry may come twice, and must then change nothing.
 */
import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { markOf } from '../../calls/paging/identity.ts';
import { type Page, pages } from '../../calls/paging/pages.ts';
import { type CallLogEntry, MAX_LIMIT, type Service, totalOf } from '../../contract.ts';
import { list, maybe } from '../rules/shapes.ts';

/** An entry, and its place, counted from the end of the log: that stays the same when entries are added before it. */
export const logPlace = z.object({
  /** By which the entry is recognised. */
  mark: z.string(),
  /** How many entries there are from this one to the end, itself included. */
  below: z.int(),
});

export const logPosition = z.object({
  /** The first day that was asked for, YYYY-MM-DD; places are counted from there. */
  day: z.iso.date(),
  /** The day that was asked for at first: nothing before it matters to the plan. */
  floor: z.iso.date(),
  /** The first entry of the log, and some after it. */
  rungs: list(logPlace),
  /** The place of the last entry that may still change; undefined if there is none. */
  unfinished: maybe(z.int()),
});

export type LogPlace = z.infer<typeof logPlace>;
export type LogPosition = z.infer<typeof logPosition>;

interface NewEntriesOptions {
  service: Pick<Service, 'getCallLogs'>;
  /** Where the last reading ended; undefined if there was none. */
  position: LogPosition | undefined;
  /** The first day, YYYY-MM-DD, on which something may have happened that matters now. */
  day: string;
  /** Gets each entry; true if it may still change, so that it is asked for again the next time. */
  take(call: CallLogEntry): boolean;
  /** Reads all pages, for example with progress. */
  watch?(reading: AsyncGenerator<Page, unknown>): AsyncGenerator<Page, unknown>;
  /** The most requests at the same time. */
  concurrency: number;
}

/** Entries in the first request: in a log that is read often, few are new. */
const FIRST_LIMIT = 100;
/** The depth of the second place that is kept; each further one is so many times as deep as the one before. */
const FIRST_DEPTH = 10;
const DEEPER = 3;
/** The deepest place that is kept: where nothing above it is known again, reading everything costs little more. */
const DEEPEST = 5_000;

/** Characters of a hash by which an entry is recognised at its place. */
const MARK_LENGTH = 16;

/** Where the reading ended; undefined if the next one must read everything. Throws what the service throws. */
export async function readNewEntries(options: NewEntriesOptions): Promise<LogPosition | undefined> {
  const { position } = options;
  const floor = position?.floor ?? options.day;
  const day = options.day < floor ? floor : options.day;
  if (position !== undefined && position.day <= day) {
    const found = await readTop(options, position);
    if (found !== undefined) return { ...(await movedTo(day, found, options)), floor };
  }
  const read = await readAll({ ...options, day });
  return read.rungs.length === 0 ? undefined : { ...read, floor };
}

type Places = Pick<LogPosition, 'day' | 'rungs' | 'unfinished'>;

/** Reads until a known entry is found at its place, and all that may still change; undefined if none is found. */
async function readTop(
  { service, take }: NewEntriesOptions,
  { day, rungs, unfinished }: LogPosition,
): Promise<Places | undefined> {
  const known = new Map(rungs.map(({ mark, below }) => [below, mark]));
  const lastKnown = Math.min(...known.keys());
  const seen = seenEntries();
  let reached: number | undefined;
  let most: number | undefined;
  for (let offset = 0; ; ) {
    const limit = offset === 0 ? FIRST_LIMIT : MAX_LIMIT;
    const response = await service.getCallLogs({ start_date: day, offset, limit });
    const { calls } = response;
    const total = totalOf(response);
    if (total === undefined) return undefined;
    // A count that grows with the reading has no end.
    most ??= 2 * total + MAX_LIMIT;
    for (const [at, call] of calls.entries()) {
      const below = total - offset - at;
      const mark = known.get(below);
      if (mark !== undefined && mark === placeMarkOf(call)) reached ??= below;
      if (reached !== undefined && (unfinished === undefined || below < unfinished))
        return { day, ...seen.and(rungs, reached) };
      seen.add(call, below, take(call));
    }
    offset += calls.length;
    const isAtEnd = offset >= total;
    if (isAtEnd && reached !== undefined) return { day, ...seen.and(rungs, reached) };
    // A log that shows less than it counts is read anew, which says so.
    if (isAtEnd || calls.length === 0 || offset > most || (reached === undefined && total - offset < lastKnown))
      return undefined;
  }
}

async function readAll({ service, day, take, concurrency, watch = (all) => all }: NewEntriesOptions): Promise<Places> {
  const seen = seenEntries();
  for await (const { calls, response, offset } of watch(
    pages(service as Service, { start_date: day }, { concurrency }),
  )) {
    const unfinished = new Set(calls.filter((call) => take(call)));
    const total = totalOf(response);
    // Without a total no place is known.
    if (total === undefined) continue;
    for (const [at, call] of response.calls.entries()) {
      const isUnfinished = unfinished.has(call);
      if (isUnfinished || offset + at < DEEPEST) seen.add(call, total - offset - at, isUnfinished);
    }
  }
  return { day, ...seen.and([], 0) };
}

/** Counts the places from a later day, so that the log that must be read if they are lost grows no longer. */
async function movedTo(day: string, places: Places, { service }: NewEntriesOptions): Promise<Places> {
  const [first] = places.rungs;
  if (places.day === day || first === undefined) return places;
  const response = await service.getCallLogs({ start_date: day, offset: 0, limit: 1 });
  const [top] = response.calls;
  const total = totalOf(response);
  if (top === undefined || total === undefined || placeMarkOf(top) !== first.mark) return places;
  const before = first.below - total;
  const moved = ({ mark, below }: LogPlace) => (below > before ? [{ mark, below: below - before }] : []);
  const unfinished = places.unfinished === undefined ? undefined : Math.max(1, places.unfinished - before);
  return { day, rungs: places.rungs.flatMap(moved), unfinished };
}

/** Of what a service calls its entries, nothing else is kept: it may be anything, and long. */
export function placeMarkOf(call: CallLogEntry): string {
  return hash('sha256', markOf(call), 'base64url').slice(0, MARK_LENGTH);
}

/** The entries of a reading, by their places; the first that is added stands before the others. */
function seenEntries() {
  const rungs: LogPlace[] = [];
  let unfinished: number | undefined;
  return {
    add(call: CallLogEntry, below: number, isUnfinished: boolean): void {
      if (isNext(rungs, below)) rungs.push({ mark: placeMarkOf(call), below });
      if (isUnfinished) unfinished = Math.min(unfinished ?? below, below);
    },
    /** With those of an earlier reading that stand at or behind a place. */
    and(earlier: readonly LogPlace[], reached: number): Pick<LogPosition, 'rungs' | 'unfinished'> {
      const all = [...rungs, ...earlier.filter(({ below }) => below <= reached)];
      const kept: LogPlace[] = [];
      for (const place of all.sort((one, other) => other.below - one.below))
        if (isNext(kept, place.below)) kept.push(place);
      return { rungs: kept, unfinished };
    },
  };
}

/** Whether an entry is kept too, that stands behind those that are. */
function isNext(rungs: readonly LogPlace[], below: number): boolean {
  const [first, last] = [rungs[0], rungs.at(-1)];
  if (first === undefined || last === undefined) return true;
  const depth = first.below - below;
  return depth <= DEEPEST && depth >= Math.max(FIRST_DEPTH, (first.below - last.below) * DEEPER);
}

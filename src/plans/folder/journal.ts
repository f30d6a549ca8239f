/**
 * `journal.jsonl`: the events of a plan, appended together where they happened together. All lines of such a group but the last
 * have `"more":true`, so that one that was cut off is known, and does not count. Each line has a check of its content and of
 * the byte at which it begins. Throws FileErrors, and system errors.
 */

import { constants } from 'node:fs';
import { Appender } from '../../files/appender.ts';
import { readFully } from '../../files/bytes.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { quietly } from '../../files/file-system.ts';
import { readLines } from '../../files/json-lines.ts';
import { O_NOFOLLOW, openOrdinary, openToRead } from '../../files/open.ts';
import type { PlanEvent } from '../events.ts';
import { checkedJson, withCheck } from './check.ts';
import { damaged } from './damage.ts';
import type { PlanPaths } from './paths.ts';

const KINDS: ReadonlySet<string> = new Set<PlanEvent['event']>([
  ...([
    'handed',
    'answered',
    'called',
    'revised',
    'others',
    'unclear',
    'unseen',
    'excluded',
    'left',
    'resumed',
  ] as const),
  ...(['stopped', 'waiting', 'cancelled', 'done'] as const),
]);

const WINDOW_BYTES = 1 << 16;

export interface Entry {
  event: PlanEvent;
  /** Where its line begins, and where the next one would, in bytes. */
  start: number;
  end: number;
}

/** What is read: the plan's number, for messages, and how many contacts it has. */
interface Read {
  paths: PlanPaths;
  planId: number;
  contacts: number;
  /** As many bytes are whole groups for sure. */
  applied: number;
}

/** The events from byte `from` on, without a group that was not written to its end. */
export function* readEvents(fs: FileSystem, read: Read, from = 0): Generator<Entry, void> {
  const { paths, planId, contacts, applied } = read;
  let group: Entry[] = [];
  let end = from;
  for (const { start, length, text, isWhole } of readLines(fs, paths.journal, { start: from, number: 1 })) {
    if (!isWhole) break;
    const line = parse(text, start);
    if (line === undefined || !isOfRows(line, contacts)) {
      throw damaged(planId, `${paths.journal} has a line that is no event, ${start} bytes after its beginning`);
    }
    const { more, ...event } = line;
    group.push({ event: event as PlanEvent, start, end: start + length });
    if (more) continue;
    yield* group;
    end = start + length;
    group = [];
  }
  if (end < applied) {
    throw damaged(planId, `${paths.journal} ends after ${end} bytes, but ${applied} were written`);
  }
}

/** The event whose line begins at a byte. */
export function eventAt(fs: FileSystem, read: Read, at: number): PlanEvent {
  for (const { text, isWhole } of readLines(fs, read.paths.journal, { start: at, number: 1 })) {
    const line = isWhole ? parse(text, at) : undefined;
    if (line === undefined) break;
    return line;
  }
  throw damaged(read.planId, `${read.paths.journal} has no event ${at} bytes after its beginning`);
}

/** The events whose lines begin at these bytes, which rise. What is close together is read together. */
export function* eventsAt(fs: FileSystem, read: Read, starts: Iterable<number>): Generator<PlanEvent, void> {
  const fd = openToRead(fs, read.paths.journal);
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  let [from, filled] = [0, 0];
  try {
    for (const start of starts) {
      let line = start < from ? undefined : lineIn(window.subarray(0, filled), start - from);
      if (line === undefined) {
        from = start;
        filled = readFully(fs, fd, window, from);
        line = lineIn(window.subarray(0, filled), 0);
      }
      const event = line === undefined ? eventAt(fs, read, start) : parse(line, start);
      if (event === undefined)
        throw damaged(read.planId, `${read.paths.journal} has no event ${start} bytes after its beginning`);
      yield event;
    }
  } finally {
    quietly(() => fs.closeSync(fd));
  }
}

/** Undefined if the line goes on beyond the bytes. */
function lineIn(bytes: Buffer, start: number): string | undefined {
  const end = bytes.indexOf('\n', start);
  return end === -1 ? undefined : bytes.toString('utf8', start, end);
}

/** Appends events together after the first `end` bytes, and returns where each line begins and the new end. Durable. */
export function appendEvents(
  fs: FileSystem,
  { journal }: PlanPaths,
  end: number,
  events: readonly PlanEvent[],
): { starts: number[]; end: number } {
  const file = new Appender(fs, journal, end, true);
  const starts: number[] = [];
  let at = end;
  try {
    for (const [index, event] of events.entries()) {
      const isLast = index === events.length - 1;
      const line = `${withCheck(JSON.stringify(isLast ? event : { ...event, more: true }), at)}\n`;
      starts.push(at);
      at += Buffer.byteLength(line);
      file.append(line);
    }
    return { starts, end: file.finish() };
  } catch (error) {
    file.abandon();
    quietly(() => cutBack(fs, journal, end));
    throw error;
  }
}

/** Removes what was appended after the first `end` bytes. Throws system errors. */
export function cutBack(fs: FileSystem, journal: string, end: number): void {
  const fd = openOrdinary(fs, journal, constants.O_RDWR | O_NOFOLLOW);
  try {
    fs.ftruncateSync(fd, end);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The event of the line that begins at a byte. */
function parse(text: string, at: number): (PlanEvent & { more?: true }) | undefined {
  const json = checkedJson(text, at);
  if (json === undefined) return undefined;
  try {
    const value = JSON.parse(json) as { event?: unknown; at?: unknown } | null;
    const isEvent = typeof value?.event === 'string' && KINDS.has(value.event) && typeof value.at === 'number';
    return isEvent ? (value as unknown as PlanEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an event names only contacts that there are. */
function isOfRows(event: PlanEvent, contacts: number): boolean {
  const isRow = (row: unknown) => Number.isSafeInteger(row) && (row as number) >= 0 && (row as number) < contacts;
  if ('row' in event) return isRow(event.row);
  if (!('rows' in event)) return true;
  const { rows } = event;
  if (!Array.isArray(rows) || rows.length % 2 !== 0) return false;
  return rows.every((value, at) => (at % 2 === 0 ? isRow(value) : value === 1 || isRow(rows[at - 1] + value - 1)));
}

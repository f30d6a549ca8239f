/**
 * The call log: append-only segments with a limited number of entries. The root counts each by agent and has its first and last
 * timestamp, so only the few segments of a page are read.
 */
import { join } from 'node:path';
import { type DocumentedCall, isCallStatus } from '../../contract.ts';
import type { CallFilter } from '../../engine/handlers.ts';
import { callNumber } from '../../engine/policy.ts';
import { Appender } from '../../storage/files/appender.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, openToRead, readFully } from '../../storage/files/file-system.ts';
import { parsed } from '../../text/json.ts';
import { firstPlace } from '../../text/search.ts';
import { damaged } from '../store.ts';
import { lineBefore } from './committed-lines.ts';
import type { Root, Segment } from './root.ts';

/** Entries of a segment, unless a store is opened with another number. */
const SEGMENT_ENTRIES = 10_000;

export function segmentPath(folder: string, seq: number): string {
  return join(folder, 'calls', `${String(seq).padStart(6, '0')}.jsonl`);
}

/** Adds entries to the newest segment, starts the next one when it is full, and updates the root's counts. */
export function callLogWriter(fs: FileSystem, folder: string, root: Root, segmentEntries = SEGMENT_ENTRIES) {
  let open: Appender | undefined;
  let hasMadeFiles = false;

  function segmentWithRoom(timestamp: string): Segment {
    const newest = root.segments.at(-1);
    if (newest !== undefined && newest.count < segmentEntries) return newest;
    const seq = (newest?.seq ?? 0) + 1;
    const segment = { seq, count: 0, bytes: 0, first: timestamp, last: timestamp, by_agent: {} };
    root.segments.push(segment);
    return segment;
  }

  function openSegment(segment: Segment, next: DocumentedCall): Appender {
    const path = segmentPath(folder, segment.seq);
    requireEnd(fs, path, segment, next);
    if (segment.bytes === 0) {
      makePrivateFolder(fs, join(folder, 'calls'));
      hasMadeFiles = true;
    }
    return new Appender(fs, path, segment.bytes);
  }

  function closeSegment(segment: Segment): void {
    const closing = open;
    open = undefined;
    if (closing !== undefined) segment.bytes = closing.finish();
  }

  return {
    append(entry: DocumentedCall): void {
      const segment = segmentWithRoom(entry.timestamp);
      open ??= openSegment(segment, entry);
      open.append(toLine(entry));
      segment.count++;
      segment.last = entry.timestamp;
      const agentId = String(entry.agent_id);
      segment.by_agent[agentId] = (segment.by_agent[agentId] ?? 0) + 1;
      if (segment.count === segmentEntries) closeSegment(segment);
    },
    /** Makes everything appended durable. */
    finish(): void {
      const newest = root.segments.at(-1);
      if (newest !== undefined) closeSegment(newest);
      if (hasMadeFiles) syncFolder(fs, join(folder, 'calls'));
    },
    abandon(): void {
      open?.abandon();
      open = undefined;
    },
  };
}

/** What follows on a log that was changed by hand would cut it off, or bear a number twice. */
function requireEnd(fs: FileSystem, path: string, { bytes, last }: Segment, next: DocumentedCall): void {
  const { size } = fs.statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  // One that is too short is told when it is opened.
  if (bytes === 0 || size < bytes) return;
  const newest = parsed(lineBefore(fs, path, bytes) ?? '') as Partial<DocumentedCall> | undefined;
  const { call_id = '', timestamp } = newest ?? {};
  if (timestamp === last && callNumber(call_id) < callNumber(next.call_id)) return;
  throw damaged(`${path} does not end with the newest call that was committed`);
}

/**
 * An entry as its line. Numbers, ids and times need no escaping; a campaign writes a million of these lines, and a copy what
 * another store keeps.
 */
export function toLine(entry: DocumentedCall): string {
  const recording = entry.recording_url == null ? '' : `,"recording_url":${JSON.stringify(entry.recording_url)}`;
  const transcript = entry.transcript ? JSON.stringify(entry.transcript) : '""';
  return (
    `{"call_id":"${entry.call_id}","agent_id":${entry.agent_id},"called_to":"${entry.called_to}",` +
    `"call_from":"${entry.call_from}","call_duration":${entry.call_duration},"call_status":"${entry.call_status}",` +
    `"call_outcome":${JSON.stringify(entry.call_outcome)},"timestamp":"${entry.timestamp}",` +
    `"transcript":${transcript}${recording}}\n`
  );
}

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const AGENT_KEY = '"agent_id":';

/** A page of the log, newest first, and the number of all matching entries. */
export function callPage(
  fs: FileSystem,
  folder: string,
  root: Root,
  filter: CallFilter,
  limit: number,
  offset: number,
): { calls: DocumentedCall[]; total: number } {
  const calls: DocumentedCall[] = [];
  let total = 0;
  let skip = offset;
  for (const segment of [...root.segments].reverse()) {
    const first = Date.parse(segment.first);
    const last = Date.parse(segment.last);
    if (last < filter.from || first >= filter.until) continue;

    const isWhole = first >= filter.from && last < filter.until;
    const counted = filter.agentId === undefined ? segment.count : (segment.by_agent[filter.agentId] ?? 0);
    if (isWhole && (counted <= skip || calls.length === limit)) {
      total += counted;
      skip = Math.max(0, skip - counted);
      continue;
    }
    const lines = new SegmentLines(fs, folder, segment);
    // A segment of one agent need not be looked through for its calls.
    const matching = lines.matching(counted === segment.count ? { ...filter, agentId: undefined } : filter);
    total += matching.length;
    for (let at = matching.length - 1 - skip; at >= 0 && calls.length < limit; at--) {
      calls.push(lines.entry(matching[at] as number));
    }
    skip = Math.max(0, skip - matching.length);
  }
  return { calls, total };
}

/** The committed lines of one segment; a line is parsed only when it is used. */
class SegmentLines {
  readonly #path: string;
  readonly #bytes: Buffer;
  /** Where each line starts, and the end of the last one. */
  readonly #starts: number[] = [0];

  constructor(fs: FileSystem, folder: string, segment: Segment) {
    this.#path = segmentPath(folder, segment.seq);
    this.#bytes = readCommitted(fs, this.#path, segment.bytes);
    for (let at = this.#bytes.indexOf(NEWLINE); at !== -1; at = this.#bytes.indexOf(NEWLINE, at + 1)) {
      this.#starts.push(at + 1);
    }
    if (this.#starts.length !== segment.count + 1 || this.#starts.at(-1) !== segment.bytes) {
      throw damaged(`${this.#path} holds ${this.#starts.length - 1} whole lines, but ${segment.count} were committed`);
    }
  }

  entry(line: number): DocumentedCall {
    let value: unknown;
    try {
      value = JSON.parse(this.#bytes.toString('utf8', this.#starts[line], this.#starts[line + 1]));
    } catch (error) {
      throw damaged(`line ${line + 1} of ${this.#path} is not JSON`, { cause: error });
    }
    if (isCall(value)) return value;
    throw damaged(`line ${line + 1} of ${this.#path} is no entry of the call log`);
  }

  /** Numbers of the lines that pass a filter, oldest first. */
  matching({ from, until, agentId }: CallFilter): number[] {
    const start = this.#firstAtOrAfter(from);
    const end = this.#firstAtOrAfter(until);
    const lines: number[] = [];
    for (let line = start; line < end; line++) {
      if (agentId === undefined || this.#agentOf(line) === agentId) lines.push(line);
    }
    return lines;
  }

  /** Read without parsing the line, because the engine itself wrote its first two fields. */
  #agentOf(line: number): number {
    const at = this.#bytes.indexOf(AGENT_KEY, this.#starts[line]) + AGENT_KEY.length;
    return Number(this.#bytes.toString('latin1', at, this.#bytes.indexOf(COMMA, at)));
  }

  #firstAtOrAfter(instant: number): number {
    return firstPlace(this.#starts.length - 1, (line) => Date.parse(this.entry(line).timestamp) >= instant);
  }
}

const TEXTS = ['call_id', 'called_to', 'call_from', 'call_status', 'call_outcome', 'transcript'] as const;

/** A schema would take as long as all else together. */
function isCall(value: unknown): value is DocumentedCall {
  const call = (value ?? {}) as Partial<Record<keyof DocumentedCall, unknown>>;
  const { recording_url = '', agent_id, call_duration, timestamp } = call;
  return (
    TEXTS.every((name) => typeof call[name] === 'string') &&
    typeof recording_url === 'string' &&
    isCallStatus(call.call_status) &&
    Number.isSafeInteger(agent_id) &&
    Number.isSafeInteger(call_duration) &&
    !Number.isNaN(Date.parse(String(timestamp)))
  );
}

/**
 * Holds one segment after the other: a new buffer for each would be garbage faster than it is collected. A page is read in one
 * go, so nothing is in it that is still to be read when the next one comes.
 */
let scratch = Buffer.alloc(0);

function readCommitted(fs: FileSystem, path: string, bytes: number): Buffer {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes);
  const buffer = scratch.subarray(0, bytes);
  try {
    const fd = openToRead(fs, path);
    try {
      const read = readFully(fs, fd, buffer, 0);
      if (read < bytes) throw damaged(`${path} has ${read} bytes, but ${bytes} were committed`);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  return buffer;
}

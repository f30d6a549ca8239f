/**
 * The call log: append-only segments of at most 10,000 entries. The root counts each segment by agent and knows its first
 * and last timestamp, so a page reads the few segments it is cut from and never the others.
 */
import { join } from 'node:path';
import type { DocumentedCall } from '../contract.ts';
import type { CallFilter } from '../engine/handlers.ts';
import { Appender, type FileSystem, fileError, makePrivateFolder, syncFolder } from '../files.ts';
import { damaged, type Root, type Segment } from './root.ts';

const SEGMENT_ENTRIES = 10_000;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const AGENT_KEY = '"agent_id":';

export function segmentPath(folder: string, seq: number): string {
  return join(folder, 'calls', `${String(seq).padStart(6, '0')}.jsonl`);
}

/** Adds entries to the newest segment, opening the next one when it is full, and keeps the root's counts. */
export class CallLogWriter {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #root: Root;
  #open: Appender | undefined;
  #madeFiles = false;

  constructor(fs: FileSystem, folder: string, root: Root) {
    this.#fs = fs;
    this.#folder = folder;
    this.#root = root;
  }

  append(entry: DocumentedCall): void {
    const segment = this.#segmentWithRoom(entry.timestamp);
    this.#open ??= this.#openSegment(segment);
    this.#open.append(toLine(entry));
    segment.count++;
    segment.last = entry.timestamp;
    const agentId = String(entry.agent_id);
    segment.by_agent[agentId] = (segment.by_agent[agentId] ?? 0) + 1;
    if (segment.count === SEGMENT_ENTRIES) this.#closeSegment(segment);
  }

  /** Makes everything appended durable. */
  finish(): void {
    const newest = this.#root.segments.at(-1);
    if (newest !== undefined) this.#closeSegment(newest);
    if (this.#madeFiles) syncFolder(this.#fs, join(this.#folder, 'calls'));
  }

  abandon(): void {
    this.#open?.abandon();
    this.#open = undefined;
  }

  #segmentWithRoom(timestamp: string): Segment {
    const newest = this.#root.segments.at(-1);
    if (newest !== undefined && newest.count < SEGMENT_ENTRIES) return newest;
    const seq = (newest?.seq ?? 0) + 1;
    const segment = { seq, count: 0, bytes: 0, first: timestamp, last: timestamp, by_agent: {} };
    this.#root.segments.push(segment);
    return segment;
  }

  #openSegment(segment: Segment): Appender {
    if (segment.bytes === 0) {
      makePrivateFolder(this.#fs, join(this.#folder, 'calls'));
      this.#madeFiles = true;
    }
    return new Appender(this.#fs, segmentPath(this.#folder, segment.seq), segment.bytes);
  }

  #closeSegment(segment: Segment): void {
    if (this.#open === undefined) return;
    const closing = this.#open;
    this.#open = undefined;
    segment.bytes = closing.finish();
  }
}

/**
 * An entry as its line. Every text but the transcript is a number in E.164 or of the engine's own making, with nothing to
 * escape; a campaign writes a million of these.
 */
export function toLine(entry: DocumentedCall): string {
  const recording = entry.recording_url == null ? '' : `,"recording_url":"${entry.recording_url}"`;
  const transcript = entry.transcript ? JSON.stringify(entry.transcript) : '""';
  return (
    `{"call_id":"${entry.call_id}","agent_id":${entry.agent_id},"called_to":"${entry.called_to}",` +
    `"call_from":"${entry.call_from}","call_duration":${entry.call_duration},"call_status":"${entry.call_status}",` +
    `"call_outcome":"${entry.call_outcome}","timestamp":"${entry.timestamp}","transcript":${transcript}${recording}}\n`
  );
}

/** A page of the log, newest first, and how many entries match in all. */
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
    const matching = lines.matching(filter);
    total += matching.length;
    for (let at = matching.length - 1 - skip; at >= 0 && calls.length < limit; at--) {
      calls.push(lines.entry(matching[at] as number));
    }
    skip = Math.max(0, skip - matching.length);
  }
  return { calls, total };
}

/** The committed lines of one segment, parsed only where somebody asks. */
class SegmentLines {
  readonly #path: string;
  readonly #bytes: Buffer;
  /** Where each line starts; one more than there are lines. */
  readonly #starts: number[] = [0];

  constructor(fs: FileSystem, folder: string, segment: Segment) {
    this.#path = segmentPath(folder, segment.seq);
    this.#bytes = readCommitted(fs, this.#path, segment.bytes);
    for (let at = this.#bytes.indexOf(NEWLINE); at !== -1; at = this.#bytes.indexOf(NEWLINE, at + 1)) {
      this.#starts.push(at + 1);
    }
    if (this.#starts.length !== segment.count + 1 || this.#starts.at(-1) !== segment.bytes) {
      throw damaged(
        `${this.#path} holds ${this.#starts.length - 1} whole lines, where ${segment.count} were committed`,
      );
    }
  }

  entry(line: number): DocumentedCall {
    try {
      return JSON.parse(this.#bytes.toString('utf8', this.#starts[line], this.#starts[line + 1])) as DocumentedCall;
    } catch (error) {
      throw damaged(`line ${line + 1} of ${this.#path} is not JSON`, error);
    }
  }

  /** Numbers of the lines that a filter lets through, oldest first. */
  matching({ from, until, agentId }: CallFilter): number[] {
    const start = this.#firstAtOrAfter(from);
    const end = this.#firstAtOrAfter(until);
    const lines: number[] = [];
    for (let line = start; line < end; line++) {
      if (agentId === undefined || this.#agentOf(line) === agentId) lines.push(line);
    }
    return lines;
  }

  /** Read without parsing the line: its first two fields are of the engine's own making. */
  #agentOf(line: number): number {
    const at = this.#bytes.indexOf(AGENT_KEY, this.#starts[line]) + AGENT_KEY.length;
    return Number(this.#bytes.toString('latin1', at, this.#bytes.indexOf(COMMA, at)));
  }

  #firstAtOrAfter(instant: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Date.parse(this.entry(middle).timestamp) < instant) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function readCommitted(fs: FileSystem, path: string, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  try {
    const fd = fs.openSync(path, 'r');
    try {
      let done = 0;
      while (done < bytes) {
        const read = fs.readSync(fd, buffer, done, bytes - done, done);
        if (read === 0) throw damaged(`${path} has ${done} bytes, where ${bytes} were committed`);
        done += read;
      }
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    throw fileError(error, 'read', path);
  }
  return buffer;
}

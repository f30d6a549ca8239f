/** Writes the call log: append-only segments with a limited number of entries, which the root counts by agent. */
import { join } from 'node:path';
import type { DocumentedCall } from '../../contract.ts';
import { Appender } from '../../storage/files/appender.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import type { FileSystem } from '../../storage/files/file-system.ts';
import { parsedLine } from '../../storage/files/json-lines.ts';
import { damaged } from '../damage.ts';
import { lineBefore } from './committed-lines.ts';
import type { Root, Segment } from './root.ts';

/** Entries of a segment, unless a store is opened with another number. */
const SEGMENT_ENTRIES = 10_000;

export function segmentPath(folder: string, seq: number): string {
  return join(folder, 'calls', `${String(seq).padStart(6, '0')}.jsonl`);
}

/** Adds entries to the newest segment, starts the next one when it is full, and updates the root's counts. */
export class CallLogWriter {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #root: Root;
  readonly #segmentEntries: number;
  #open: Appender | undefined;
  #madeFiles = false;

  constructor(fs: FileSystem, folder: string, root: Root, segmentEntries = SEGMENT_ENTRIES) {
    this.#fs = fs;
    this.#folder = folder;
    this.#root = root;
    this.#segmentEntries = segmentEntries;
  }

  append(entry: DocumentedCall): void {
    const segment = this.#segmentWithRoom(entry.timestamp);
    this.#open ??= this.#openSegment(segment, entry);
    this.#open.append(toLine(entry));
    segment.count++;
    segment.last = entry.timestamp;
    const agentId = String(entry.agent_id);
    segment.by_agent[agentId] = (segment.by_agent[agentId] ?? 0) + 1;
    if (segment.count === this.#segmentEntries) this.#closeSegment(segment);
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
    if (newest !== undefined && newest.count < this.#segmentEntries) return newest;
    const seq = (newest?.seq ?? 0) + 1;
    const segment = { seq, count: 0, bytes: 0, first: timestamp, last: timestamp, by_agent: {} };
    this.#root.segments.push(segment);
    return segment;
  }

  #openSegment(segment: Segment, next: DocumentedCall): Appender {
    this.#requireEnd(segment, next);
    if (segment.bytes === 0) {
      makePrivateFolder(this.#fs, join(this.#folder, 'calls'));
      this.#madeFiles = true;
    }
    return new Appender(this.#fs, segmentPath(this.#folder, segment.seq), segment.bytes);
  }

  /** What follows on a log that was changed by hand would cut it off, or bear a number twice. */
  #requireEnd({ seq, bytes, last }: Segment, next: DocumentedCall): void {
    const path = segmentPath(this.#folder, seq);
    const { size } = this.#fs.statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
    // One that is too short is told when it is opened.
    if (bytes === 0 || size < bytes) return;
    const newest = parsedLine(lineBefore(this.#fs, path, bytes) ?? '') as Partial<DocumentedCall> | undefined;
    if (newest?.timestamp === last && numberOf(newest) < numberOf(next)) return;
    throw damaged(`${path} does not end with the newest call that was committed`);
  }

  #closeSegment(segment: Segment): void {
    const closing = this.#open;
    this.#open = undefined;
    if (closing !== undefined) segment.bytes = closing.finish();
  }
}

function numberOf({ call_id = '' }: Partial<DocumentedCall>): number {
  return Number(call_id.slice(call_id.lastIndexOf('_') + 1));
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

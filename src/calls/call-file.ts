/**
 * Reads a file of calls that more calls are to be added to: which calls it holds, how new they are, and where its whole lines
 * end. A file that holds something else, or is damaged before its last line, is refused with its name and the line.
 */
import { UsageError } from '../errors.ts';
import { linesIn } from '../storage/files/json-lines.ts';
import type { RowFormat } from '../text/formats.ts';
import { csvReader, type KnownCall, ndjsonReader, refused } from './call-lines.ts';
import { KnownCalls } from './known-calls.ts';
import { instantOf } from './select.ts';

/** A JSON array has a closing bracket, so nothing can be added after it. */
export type FileFormat = Extract<RowFormat, 'csv' | 'ndjson'>;

export interface CallFile {
  calls: KnownCalls;
  /** When the latest call was made, in milliseconds since the epoch; undefined if no call has a readable time. */
  latest: number | undefined;
  /** The header of a CSV; undefined if there is none yet. */
  columns: readonly string[] | undefined;
  /** Whether it was written for a spreadsheet, which means a CSV with a byte order mark. */
  isExcel: boolean;
  /** Size of the file, and of its whole lines: a run that was killed may have cut off the last one. In bytes. */
  size: number;
  wholeSize: number;
  /** What the last whole line still needs before another can follow. */
  lineBreak: '' | '\n';
}

interface CallFileOptions {
  /** The file's name in messages. */
  name: string;
  format: FileFormat;
  /** The columns of a CSV that has no header yet. */
  newColumns: readonly string[];
  /** Milliseconds since the epoch. A call dated later than now does not count for how new the file is. */
  now: number;
  /** If set, only calls of this agent may be in the file. */
  agentId: number | undefined;
}

/** A line longer than this many bytes is not a call: either a quote was never closed, or the file is not made of lines. */
const MAX_LINE_BYTES = 16 << 20;
/** Reads a file as its bytes arrive. Throws FileError, or UsageError if it holds calls of another agent. */
export async function readCallFile(bytes: AsyncIterable<Buffer>, options: CallFileOptions): Promise<CallFile> {
  const { name, format, now, agentId } = options;
  const reader = format === 'csv' ? await csvReader(name, options.newColumns) : ndjsonReader(name);
  const calls = new KnownCalls();
  let latest: number | undefined;
  const take = (call: KnownCall) => {
    if (agentId !== undefined && (call.agent_id ?? agentId) !== agentId) {
      throw new UsageError(`${name} holds calls of agent ${call.agent_id}; nothing was changed.`, {
        reason: { kind: 'calls_of_other_agent', agentId },
      });
    }
    calls.add(call.call_id, call);
    const at = instantOf(call);
    if (at !== undefined && at <= now) latest = Math.max(at, latest ?? at);
  };

  let size = 0;
  let wholeSize = 0;
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    size += chunk.length;
    const unread = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = reader.endOfLines(unread);
    const bytes = unread.subarray(0, end);
    const lines = linesIn(bytes, { start: wholeSize, number: line });
    const damaged = lines.find(({ isUtf8 }) => !isUtf8);
    if (damaged !== undefined) throw refused(name, damaged.number, 'is not UTF-8');
    for (const call of reader.read({ bytes, lines }, line)) take(call);
    line += lines.length;
    wholeSize += end;
    rest = unread.subarray(end);
    if (rest.length > MAX_LINE_BYTES) throw refused(name, line, 'does not end');
  }
  const last = rest.length === 0 ? undefined : reader.readRest(rest.toString(), line);
  if (last !== undefined) {
    take(last);
    wholeSize = size;
  }
  const { columns, isExcel = false } = reader;
  return { calls, latest, columns, isExcel, size, wholeSize, lineBreak: last === undefined ? '' : '\n' };
}

/**
 * Reads a file of calls, NDJSON or CSV, that more calls are to be added to: which calls it holds, how new they are, and where
 * its whole lines end. A file that holds something else, or is damaged before its last line, is refused with its name and the
 * line.
 */
import { type CallLogEntry, listFields, parseInteger } from '../contract.ts';
import { FileError, UsageError } from '../errors.ts';
import { linesIn, NEWLINE } from '../storage/files/json-lines.ts';
import { BYTE_ORDER_MARK, plainText, textOfCell } from '../text/csv.ts';
import type { RowFormat } from '../text/formats.ts';
import { parsed } from '../text/json.ts';
import { KnownCalls } from './paging/identity.ts';
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
  name: string;
  format: FileFormat;
  /** The columns of a CSV that has no header yet. */
  newColumns: readonly string[];
  /** Milliseconds since the epoch. A call dated later than now does not count for how new the file is. */
  now: number;
  /** If set, only calls of this agent may be in the file. */
  agentId: number | undefined;
}

interface KnownCall extends Pick<CallLogEntry, 'agent_id' | 'timestamp'> {
  call_id: string;
}

/** A line; of a CSV, the lines of one row. */
interface Row {
  /** Of its first line, from 1. */
  number: number;
  /** Byte offset in the file. */
  start: number;
  text: string;
}

/** Reads calls from the rows of one format. */
interface CallReader {
  columns?: readonly string[] | undefined;
  isExcel?: boolean;
  read(rows: readonly Row[]): KnownCall[];
  /** The call of a last row that lacks only its line break; undefined if more was cut off. */
  readRest(text: string, line: number): KnownCall | undefined;
}

/** A row longer than this many bytes is not a call: either a quote was never closed, or the file is not made of lines. */
const MAX_ROW_BYTES = 16 << 20;

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
  let next = { start: 0, number: 1 };
  let rest: Buffer = Buffer.alloc(0);
  /** The row that has begun, and whether it goes on: a line break inside quotes belongs to its row. */
  let open: Row | undefined;
  let isInQuotes = false;
  for await (const chunk of bytes) {
    size += chunk.length;
    const unread = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = unread.lastIndexOf(NEWLINE) + 1;
    const rows: Row[] = [];
    for (const { number, start, length, text, isUtf8 } of linesIn(unread.subarray(0, end), next)) {
      if (!isUtf8) throw refused(name, number, 'is not UTF-8');
      open = open === undefined ? { number, start, text } : { ...open, text: `${open.text}\n${text}` };
      next = { start: start + length, number: number + 1 };
      if (format === 'csv' && text.split('"').length % 2 === 0) isInQuotes = !isInQuotes;
      if (isInQuotes) continue;
      rows.push(open);
      open = undefined;
    }
    for (const call of reader.read(rows)) take(call);
    rest = unread.subarray(end);
    const { start, number } = open ?? next;
    if (size - start > MAX_ROW_BYTES) throw refused(name, number, 'does not end');
  }
  const { start, number } = open ?? next;
  const begun = open === undefined ? rest.toString() : `${open.text}\n${rest}`;
  const last = size === start ? undefined : reader.readRest(begun, number);
  if (last !== undefined) take(last);
  const { columns, isExcel = false } = reader;
  const isWhole = last !== undefined;
  return { calls, latest, columns, isExcel, size, wholeSize: isWhole ? size : start, lineBreak: isWhole ? '\n' : '' };
}

/** `why` completes a sentence about the line. */
function refused(name: string, line: number, why: string): FileError {
  return new FileError(`${name}: line ${line} ${why}; nothing was changed.`, { reason: { kind: 'not_a_call_file' } });
}

/** Each line holds a call as the service sent it, with its fields in any order. */
const BEGINNINGS = listFields.calls.map((name) => `{"${name}":`);

function ndjsonReader(name: string): CallReader {
  let hasCalls = false;
  return {
    read(rows) {
      const calls = rows.flatMap(({ number, text }) => {
        if (text.trim() === '') return [];
        const call = knownCall(text);
        if (call === undefined) throw refused(name, number, 'is not a call as JSON, with a call_id');
        return [call];
      });
      hasCalls ||= calls.length > 0;
      return calls;
    },
    readRest(text, line) {
      const call = knownCall(text);
      // After whole calls, a torn line needs only to look like JSON; alone, it must begin as a call does. A power cut may leave
      // zeros.
      const isOurs = hasCalls ? /^[{\0]/.test(text) : BEGINNINGS.some((beginning) => text.startsWith(beginning));
      if (call === undefined && !isOurs) throw refused(name, line, 'is not the beginning of a call as JSON');
      return call;
    },
  };
}

function knownCall(json: string): KnownCall | undefined {
  const value = parsed(json) as Partial<Record<keyof KnownCall, unknown>> | null | undefined;
  const { call_id, agent_id, timestamp } = value ?? {};
  if (typeof call_id !== 'string' && typeof call_id !== 'number') return undefined;
  return {
    call_id: String(call_id),
    agent_id: typeof agent_id === 'number' ? agent_id : parseInteger(plainText(agent_id)),
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
  };
}

const CSV = { bom: true, record_delimiter: ['\r\n', '\n'], relax_column_count: true, skip_empty_lines: true };

/** `newColumns` are those of a file without a header. */
async function csvReader(name: string, newColumns: readonly string[]): Promise<CallReader> {
  const { CsvError, parse } = await import('csv-parse/sync');
  const cellsOf = (text: string): string[][] => parse(text, CSV);
  const reader = { columns: undefined as readonly string[] | undefined, isExcel: false, read, readRest };
  return reader;

  function read(rows: readonly Row[]): KnownCall[] {
    if (reader.columns === undefined && rows[0]?.start === 0) reader.isExcel = rows[0].text.startsWith(BYTE_ORDER_MARK);
    const filled = rows.filter(({ text }) => !/^\r?$/.test(text));
    let parsed: string[][];
    try {
      parsed = cellsOf(filled.map(({ text }) => `${text}\n`).join(''));
    } catch (error) {
      const { records = 0 } = error as { records?: number };
      throw refused(name, filled[records]?.number ?? 1, 'has a quote where none belongs');
    }
    return parsed.flatMap((cells, at) => {
      const damage = damageOf(cells);
      if (damage !== undefined) throw refused(name, filled[at]?.number ?? 1, damage);
      if (reader.columns !== undefined) return [callOf(cells)];
      reader.columns = cells;
      return [];
    });
  }

  function readRest(text: string, line: number): undefined {
    const { columns } = reader;
    const isOurs = columns === undefined ? `${newColumns.join(',')}\r\n`.startsWith(text) : isBeginning(text, columns);
    if (!isOurs) throw refused(name, line, `is not the beginning of a ${columns === undefined ? 'header' : 'row'}`);
  }

  function callOf(cells: readonly string[]): KnownCall {
    const cell = (field: string) => {
      const text = cells[reader.columns?.indexOf(field) ?? -1] ?? '';
      return reader.isExcel ? textOfCell(text) : text;
    };
    return { call_id: cell('call_id'), agent_id: parseInteger(cell('agent_id')), timestamp: cell('timestamp') };
  }

  function damageOf(cells: readonly string[]): string | undefined {
    const { columns } = reader;
    if (columns === undefined) {
      if (!cells.includes('call_id')) return 'should be a header with call_id';
      const unknown = cells.findIndex((name) => !listFields.calls.includes(name));
      return unknown === -1 ? undefined : `is a header whose column ${unknown + 1} is none of the call log`;
    }
    if (cells.length !== columns.length) return `has ${cells.length} cells, where the header has ${columns.length}`;
    return callOf(cells).call_id === '' ? 'has no call_id' : undefined;
  }

  /**
   * Whether a row that was cut off may begin like this. If whole rows follow inside an open quote, the quote was damaged
   * instead.
   */
  function isBeginning(text: string, { length }: readonly string[]): boolean {
    const isRow = (line: string) =>
      line.split(',').length >= length && instantOf(callOf(line.split(','))) !== undefined;
    try {
      return (cellsOf(text)[0]?.length ?? 0) <= length;
    } catch (error) {
      const isOpen = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';
      return isOpen && !text.split('\n').slice(1).some(isRow) && (cellsOf(`${text}"`)[0]?.length ?? 0) <= length;
    }
  }
}

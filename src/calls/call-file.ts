/**
 * Reads a file of calls that more calls are to be added to: which calls it holds, how new they are, and where its whole lines
 * end. A file that holds something else, or is damaged before its last line, is refused with its name and the line.
 */
import { type CallLogEntry, listFields, parseInteger } from '../contract.ts';
import { FileError, UsageError } from '../errors.ts';
import { type Line, linesIn } from '../files/json-lines.ts';
import { BYTE_ORDER_MARK, plainText } from '../text/csv.ts';
import type { ExportFormat } from './export.ts';
import { KnownCalls } from './known-calls.ts';
import { instantOf } from './select.ts';
import { textOfCell } from './spreadsheet.ts';

/** A JSON array has a closing bracket, so nothing can be added after it. */
export type FileFormat = Exclude<ExportFormat, 'json'>;

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

export interface CallFileOptions {
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

interface KnownCall extends Pick<CallLogEntry, 'agent_id' | 'timestamp'> {
  call_id: string;
}

/** Bytes made of whole lines, and those lines. */
interface WholeLines {
  bytes: Buffer;
  lines: readonly Line[];
}

/** Reads calls from the lines of one format. */
interface CallReader {
  /** The header, after it has been read. */
  columns?: readonly string[] | undefined;
  isExcel?: boolean;
  /** Where the last whole line in some bytes ends. The bytes start at the beginning of a line. */
  endOfLines(bytes: Buffer): number;
  /** The calls of whole lines; `line` is the number of the first, from 1. */
  read(whole: WholeLines, line: number): KnownCall[];
  /** The call of a last line that lacks only its line break; undefined if more was cut off. */
  readRest(text: string, line: number): KnownCall | undefined;
}

/** A line longer than this many bytes is not a call: either a quote was never closed, or the file is not made of lines. */
const MAX_LINE_BYTES = 16 << 20;
const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Reads a file as its bytes arrive. Throws FileError, or UsageError if it holds calls of another agent. */
export async function readCallFile(bytes: AsyncIterable<Buffer>, options: CallFileOptions): Promise<CallFile> {
  const { name, format, now, agentId } = options;
  const reader = format === 'csv' ? await csvReader(options) : ndjsonReader(name);
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

/** `why` completes a sentence about the line. */
function refused(name: string, line: number, why: string): FileError {
  return new FileError(`${name}: line ${line} ${why}; nothing was changed.`, { reason: { kind: 'not_a_call_file' } });
}

/** Each line holds a call as the service sent it, with its fields in any order. */
const BEGINNINGS = listFields.calls.map((name) => `{"${name}":`);

function ndjsonReader(name: string): CallReader {
  let hasCalls = false;
  return {
    endOfLines: (bytes) => bytes.lastIndexOf(NEWLINE) + 1,
    read({ lines }) {
      const calls: KnownCall[] = [];
      for (const { number, text } of lines) {
        if (text.trim() === '') continue;
        const call = knownCall(text);
        if (call === undefined) throw refused(name, number, 'is not a call as JSON, with a call_id');
        calls.push(call);
      }
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
  let value: Partial<Record<keyof KnownCall, unknown>> | null;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { call_id, agent_id, timestamp } = value ?? {};
  if (typeof call_id !== 'string' && typeof call_id !== 'number') return undefined;
  return {
    call_id: String(call_id),
    agent_id: typeof agent_id === 'number' ? agent_id : parseInteger(plainText(agent_id)),
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
  };
}

const CSV = { bom: true, record_delimiter: ['\r\n', '\n'], relax_column_count: true, skip_empty_lines: true };

/** A line is a row here: it ends at a line break outside quotes. */
async function csvReader({ name, newColumns }: CallFileOptions): Promise<CallReader> {
  const { CsvError, parse } = await import('csv-parse/sync');
  const rowsOf = (text: string): string[][] => parse(text, CSV);
  let columns: readonly string[] | undefined;
  let isExcel = false;

  const callOf = (cells: readonly string[]): KnownCall => {
    const cell = (field: string) => {
      const text = cells[columns?.indexOf(field) ?? -1] ?? '';
      return isExcel ? textOfCell(text) : text;
    };
    return { call_id: cell('call_id'), agent_id: parseInteger(cell('agent_id')), timestamp: cell('timestamp') };
  };
  const damageOf = (cells: readonly string[]): string | undefined => {
    if (columns === undefined) return damageOfHeader(cells);
    if (cells.length !== columns.length) return `has ${cells.length} cells, where the header has ${columns.length}`;
    return callOf(cells).call_id === '' ? 'has no call_id' : undefined;
  };
  /**
   * Whether a row that was cut off may begin like this. If whole rows follow inside an open quote, the quote was damaged
   * instead.
   */
  const isBeginning = (text: string, { length }: readonly string[]): boolean => {
    const isRow = (line: string) =>
      line.split(',').length >= length && instantOf(callOf(line.split(','))) !== undefined;
    try {
      return (rowsOf(text)[0]?.length ?? 0) <= length;
    } catch (error) {
      const isOpen = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';
      return isOpen && !text.split('\n').slice(1).some(isRow) && (rowsOf(`${text}"`)[0]?.length ?? 0) <= length;
    }
  };

  return {
    get columns() {
      return columns;
    },
    get isExcel() {
      return isExcel;
    },
    endOfLines: endOfRows,
    read({ bytes }, line) {
      const text = bytes.toString();
      const calls: KnownCall[] = [];
      if (columns === undefined) isExcel = text.startsWith(BYTE_ORDER_MARK);
      let rows: string[][];
      try {
        rows = rowsOf(text);
      } catch (error) {
        const { records = 0 } = error as { records?: number };
        throw refused(name, line + linesBefore(text, records), 'has a quote where none belongs');
      }
      for (const [at, cells] of rows.entries()) {
        const damage = damageOf(cells);
        if (damage !== undefined) throw refused(name, line + linesBefore(text, at), damage);
        if (columns === undefined) columns = cells;
        else calls.push(callOf(cells));
      }
      return calls;
    },
    readRest(text, line) {
      const isOurs =
        columns === undefined ? `${newColumns.join(',')}\r\n`.startsWith(text) : isBeginning(text, columns);
      if (!isOurs) throw refused(name, line, `is not the beginning of a ${columns === undefined ? 'header' : 'row'}`);
      return undefined;
    },
  };
}

function damageOfHeader(cells: readonly string[]): string | undefined {
  if (!cells.includes('call_id')) return 'should be a header with call_id';
  const unknown = cells.findIndex((name) => !listFields.calls.includes(name));
  return unknown === -1 ? undefined : `is a header whose column ${unknown + 1} is none of the call log`;
}

function endOfRows(bytes: Buffer): number {
  let end = 0;
  let from = 0;
  for (let isInside = false; ; isInside = !isInside) {
    const quote = bytes.indexOf(QUOTE, from);
    if (!isInside) {
      const outside = bytes.subarray(from, quote === -1 ? bytes.length : quote);
      const lineBreak = outside.lastIndexOf(NEWLINE);
      if (lineBreak !== -1) end = from + lineBreak + 1;
    }
    if (quote === -1) return end;
    from = quote + 1;
  }
}

/** How many lines of a text come before its row `row`, from 0; empty lines are not rows. */
function linesBefore(text: string, row: number): number {
  let lines = 0;
  let rows = 0;
  let isInside = false;
  let isBlank = true;
  for (const character of text) {
    if (character === '\n') {
      lines++;
      if (isInside) continue;
      if (!isBlank) rows++;
      isBlank = true;
    } else if (character !== '\r') {
      if (isBlank && rows === row) return lines;
      if (character === '"') isInside = !isInside;
      isBlank = false;
    }
  }
  return lines;
}

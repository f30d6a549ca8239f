/**
 * Reading a file of calls that is to be added to: which calls it holds, how new they are, and where its whole lines end. A
 * file that holds something else, or is damaged before its last line, is refused by name and line.
 */
import { isUtf8 } from 'node:buffer';
import { type CallLogEntry, listFields, parseInteger } from '../contract.ts';
import { FileError, UsageError } from '../errors.ts';
import { instantOf } from './select.ts';

export type FileFormat = 'ndjson' | 'csv';

const FORMATS: Record<string, FileFormat> = { ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv' };

/** What a file holds by its name, or undefined where the name does not tell. */
export function fileFormat(path: string): FileFormat | undefined {
  return FORMATS[/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];
}

export interface CallFile {
  callIds: Set<string>;
  /** When the latest call was made, in milliseconds since the epoch; undefined where none tells. */
  latest: number | undefined;
  /** The header of a CSV; undefined where there is none yet. */
  columns: readonly string[] | undefined;
  /** Bytes of the file, and of its whole lines: a run that was killed may have cut off the last one. */
  size: number;
  wholeSize: number;
  /** What the last whole line lacks before another can follow. */
  lineBreak: '' | '\n';
}

export interface CallFileOptions {
  /** What the file is called in messages. */
  name: string;
  format: FileFormat;
  /** The columns of a CSV that has no header yet. */
  newColumns: readonly string[];
  /** Milliseconds since the epoch. A call from later than now does not tell how new the file is. */
  now: number;
  /** The agent whose calls alone are to be added. */
  agentId: number | undefined;
}

type KnownCall = Pick<CallLogEntry, 'call_id' | 'agent_id' | 'timestamp'>;

interface LineReader {
  /** The header, once it was read. */
  columns?: readonly string[] | undefined;
  /** Where the last whole line in some bytes ends; they begin with a line. */
  endOfLines(bytes: Buffer): number;
  /** The calls of whole lines, of which the first is the file's line `line`, from 1. */
  read(text: string, line: number): KnownCall[];
  /** The call of a last line that lacks only its line break, or undefined where more was cut off. */
  readRest(text: string, line: number): KnownCall | undefined;
}

/** What is longer than this many bytes is no call, but a quote that was never closed, or no file of lines. */
const MAX_LINE_BYTES = 16 << 20;
const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Reads a file as its bytes come. Throws FileError, or UsageError where it holds calls of another agent. */
export async function readCallFile(bytes: AsyncIterable<Buffer>, options: CallFileOptions): Promise<CallFile> {
  const { name, format, now, agentId } = options;
  const reader = format === 'csv' ? await csvReader(options) : ndjsonReader(name);
  const callIds = new Set<string>();
  let latest: number | undefined;
  const take = (call: KnownCall) => {
    if (agentId !== undefined && (call.agent_id ?? agentId) !== agentId) {
      throw new UsageError(`${name} holds calls of agent ${call.agent_id}; nothing was changed.`, {
        hint: `Keep the calls of --agent ${agentId} in a file of their own.`,
      });
    }
    callIds.add(call.call_id);
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
    const lines = unread.subarray(0, end);
    if (!isUtf8(lines)) throw refused(name, firstNotUtf8(lines, line), 'is not UTF-8');
    for (const call of reader.read(lines.toString(), line)) take(call);
    line += breaksIn(lines);
    wholeSize += end;
    rest = unread.subarray(end);
    if (rest.length > MAX_LINE_BYTES) throw refused(name, line, 'does not end');
  }
  const last = rest.length === 0 ? undefined : reader.readRest(rest.toString(), line);
  if (last !== undefined) {
    take(last);
    wholeSize = size;
  }
  return { callIds, latest, columns: reader.columns, size, wholeSize, lineBreak: last === undefined ? '' : '\n' };
}

const HINT = 'Only a file that logs sync or logs export wrote can be added to. Mend it, or name a new one.';

/** `why` is the rest of a sentence about the line. */
function refused(name: string, line: number, why: string): FileError {
  return new FileError(`${name}: line ${line} ${why}; nothing was changed.`, { hint: HINT });
}

function breaksIn(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function firstNotUtf8(lines: Buffer, first: number): number {
  let line = first;
  let start = 0;
  for (
    let end = lines.indexOf(NEWLINE) + 1;
    isUtf8(lines.subarray(start, end));
    end = lines.indexOf(NEWLINE, end) + 1
  ) {
    start = end;
    line++;
  }
  return line;
}

function ndjsonReader(name: string): LineReader {
  let hasCalls = false;
  return {
    endOfLines: (bytes) => bytes.lastIndexOf(NEWLINE) + 1,
    read(text, line) {
      const calls: KnownCall[] = [];
      for (const [at, json] of text.split('\n').entries()) {
        if (json.trim() === '') continue;
        const call = knownCall(json);
        if (call === undefined) throw refused(name, line + at, 'is not a call as JSON, with a call_id');
        calls.push(call);
      }
      hasCalls ||= calls.length > 0;
      return calls;
    },
    readRest(text, line) {
      const call = knownCall(text);
      // After calls of ours it is one of ours; alone it must begin as all of ours do. A power cut may leave zeros.
      const isOurs = hasCalls ? /^[{\0]/.test(text) : text.startsWith('{"call_id":');
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
    agent_id: typeof agent_id === 'number' ? agent_id : undefined,
    timestamp: typeof timestamp === 'string' ? timestamp : undefined,
  };
}

const CSV = { bom: true, record_delimiter: ['\r\n', '\n'], relax_column_count: true, skip_empty_lines: true };

/** A line is a row here: it ends at a line break outside of quotes. */
async function csvReader({ name, newColumns }: CallFileOptions): Promise<LineReader> {
  const { CsvError, parse } = await import('csv-parse/sync');
  const rowsOf = (text: string): string[][] => parse(text, CSV);
  let columns: readonly string[] | undefined;

  const callOf = (cells: readonly string[]): KnownCall => {
    const cell = (field: string) => cells[columns?.indexOf(field) ?? -1] ?? '';
    return { call_id: cell('call_id'), agent_id: parseInteger(cell('agent_id')), timestamp: cell('timestamp') };
  };
  const faultOf = (cells: readonly string[]): string | undefined => {
    if (columns === undefined) return faultOfHeader(cells);
    if (cells.length !== columns.length) return `has ${cells.length} cells, where the header has ${columns.length}`;
    return callOf(cells).call_id === '' ? 'has no call_id' : undefined;
  };
  /** Whether a row that was cut off may begin so. A quote that later rows went into was damaged, not cut off. */
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
    endOfLines: endOfRows,
    read(text, line) {
      const calls: KnownCall[] = [];
      let rows: string[][];
      try {
        rows = rowsOf(text);
      } catch (error) {
        const { records = 0 } = error as { records?: number };
        throw refused(name, line + linesBefore(text, records), 'has a quote where none belongs');
      }
      for (const [at, cells] of rows.entries()) {
        const fault = faultOf(cells);
        if (fault !== undefined) throw refused(name, line + linesBefore(text, at), fault);
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

function faultOfHeader(cells: readonly string[]): string | undefined {
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

/** How many lines of a text stand before its row `row`, from 0; empty ones are no rows. */
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

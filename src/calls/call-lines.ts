/** The calls on the lines of a file, as NDJSON or as CSV. What is not a call is refused with the file's name and the line. */
import { type CallLogEntry, listFields, parseInteger } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { Line } from '../storage/files/json-lines.ts';
import { BYTE_ORDER_MARK, plainText } from '../text/csv.ts';
import { textOfCell } from '../text/spreadsheet.ts';
import { instantOf } from './select.ts';

export interface KnownCall extends Pick<CallLogEntry, 'agent_id' | 'timestamp'> {
  call_id: string;
}

/** Reads calls from the lines of one format. */
interface CallReader {
  /** The header, after it has been read. */
  columns?: readonly string[] | undefined;
  isExcel?: boolean;
  /** Where the last whole line in some bytes ends. The bytes start at the beginning of a line. */
  endOfLines(bytes: Buffer): number;
  /** The calls of whole lines, which these bytes are made of; `line` is the number of the first, from 1. */
  read(whole: { bytes: Buffer; lines: readonly Line[] }, line: number): KnownCall[];
  /** The call of a last line that lacks only its line break; undefined if more was cut off. */
  readRest(text: string, line: number): KnownCall | undefined;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** `why` completes a sentence about the line. */
export function refused(name: string, line: number, why: string): FileError {
  return new FileError(`${name}: line ${line} ${why}; nothing was changed.`, { reason: { kind: 'not_a_call_file' } });
}

/** Each line holds a call as the service sent it, with its fields in any order. */
const BEGINNINGS = listFields.calls.map((name) => `{"${name}":`);

export function ndjsonReader(name: string): CallReader {
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

/** A line is a row here: it ends at a line break outside quotes. `newColumns` are those of a file without a header. */
export async function csvReader(name: string, newColumns: readonly string[]): Promise<CallReader> {
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

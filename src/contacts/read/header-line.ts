/** Finds the header below lines above it, such as a title, for a hint. */
import { parse } from 'csv-parse/sync';
import { type ErrorDetails, InputError } from '../../errors.ts';
import { looksLikeNumber } from '../../text/written-number.ts';
import { LINE_ENDS } from './lines.ts';

/** Lines that are searched for a header, and rows below it that are checked against it. */
const LINES_SEARCHED = 50;
const ROWS_BELOW = 5;

export interface HeaderSearch {
  /** The possible delimiters. */
  delimiters: readonly string[];
  /** The least number of texts in a header. */
  fewestCells: number;
  isUnderstood: (header: string[]) => boolean;
}

/** The number of lines above the header, if the first line is not the header; undefined if no header is found. */
export function linesAboveHeader(sample: Buffer, search: HeaderSearch): number | undefined {
  const text = sample.toString();
  let lines = 0;
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
    if (++lines > LINES_SEARCHED) return undefined;
    if (beginsWithHeader(text.slice(index + lineEnd.length), search)) return lines;
  }
  return undefined;
}

function beginsWithHeader(text: string, { delimiters, fewestCells, isUnderstood }: HeaderSearch): boolean {
  const [line = ''] = /^[^\r\n]*/.exec(text) ?? [];
  if (line.trim() === '') return false;
  return delimiters.some((delimiter) => {
    if (fewestCells > 1 && !line.includes(delimiter)) return false;
    const [header = [], ...rows] = firstRows(text, delimiter);
    return (
      textsIn(header) >= fewestCells &&
      isUnderstood(header) &&
      !header.some(looksLikeNumber) &&
      rows.some((cells) => cells.length === header.length && cells.some(looksLikeNumber))
    );
  });
}

function firstRows(text: string, delimiter: string): string[][] {
  for (const rows of [1 + ROWS_BELOW, 2]) {
    try {
      const record_delimiter = [...LINE_ENDS];
      return parse(text, { delimiter, record_delimiter, relax_column_count: true, skip_empty_lines: true, to: rows });
    } catch {
      // A row further down may be unreadable: the next try reads fewer rows.
    }
  }
  return [];
}

/** The cells of a row that hold any text. */
export function textsIn(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

/** The codes of errors that a title in the place of the header causes. */
const MISTAKEN = new Set(['no_phone_column', 'unknown_column', 'duplicate_header', 'unclosed_quote']);

/** Adds the line that looks like the header to the error of a first row that is not one, and the advice on it. */
export function withHeaderLine(
  error: unknown,
  table: { headerBelow(fewestCells: number): number | undefined },
  advice: (line: number) => Pick<ErrorDetails, 'reason' | 'hint'>,
): unknown {
  if (!(error instanceof InputError) || !MISTAKEN.has(error.code)) return error;
  const line = table.headerBelow(1);
  if (line === undefined) return error;
  const { code, issues } = error;
  const message = `${error.message.replace(/\.$/, '')}; line ${line} looks like the header.`;
  return new InputError(message, { code, issues, ...advice(line), cause: error });
}

/** What the first rows of a table tell: its delimiter, and where its header is if lines such as a title stand above it. */
import { parse } from 'csv-parse/sync';
import { type ErrorDetails, InputError } from '../../errors.ts';
import { looksLikeNumber } from '../../text/phone.ts';
import { CSV_OPTIONS, isBlank } from './rows.ts';

/** Bytes that are looked through. */
export const SAMPLE_BYTES = 1 << 16;
/** The delimiters that are tried. */
export const DELIMITERS = [',', ';', '\t', '|'];

/** The first line `sep=;`, by which spreadsheets name the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r|$)/iu;

/** The delimiter that a `sep=` line names, and the bytes of that line; undefined if there is no such line. */
export function separatorLine(first: Buffer): { delimiter: string; bytes: number } | undefined {
  const [line, delimiter] = SEPARATOR_LINE.exec(first.subarray(0, 16).toString()) ?? [];
  if (line === undefined || delimiter === undefined) return undefined;
  return { delimiter, bytes: Buffer.byteLength(line) };
}

/**
 * Finds the delimiter. The criteria, in this order: the header `isUnderstood`, the rows are as wide as the header, and there
 * are the most columns. A comma if no delimiter makes two columns.
 */
export function findDelimiter(sample: Buffer, isUnderstood: (header: string[]) => boolean): string {
  let best = { delimiter: ',', score: [0, 0, 0] };
  for (const delimiter of DELIMITERS) {
    const [header, ...rows] = firstRows(sample, delimiter).filter((cells) => !isBlank(cells));
    if (header === undefined || header.length < 2) continue;
    const even = rows.filter((cells) => cells.length === header.length).length;
    const score = [Number(isUnderstood(header)), rows.length === 0 ? 1 : even / rows.length, header.length];
    if (isGreater(score, best.score)) best = { delimiter, score };
  }
  return best.delimiter;
}

function isGreater(left: readonly number[], right: readonly number[]): boolean {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at !== -1 && (left[at] as number) > (right[at] as number);
}

/** As far as they can be read; the last one may be cut off. */
export function firstRows(text: Buffer | string, delimiter: string, most = -1): string[][] {
  const rows: string[][] = [];
  try {
    parse(text, { ...CSV_OPTIONS, delimiter, to: most, on_record: (cells: string[]) => void rows.push(cells) });
  } catch {
    // What comes before an unreadable row tells enough.
  }
  return rows;
}

/** Lines that are searched for a header, and rows below it that are checked against it. */
const LINES_SEARCHED = 50;
const ROWS_BELOW = 5;

/** The number of lines above the header, if the first line is not the header; undefined if none `isHeader` with its rows. */
export function linesAboveHeader(
  sample: Buffer,
  delimiters: readonly string[],
  isHeader: (header: string[]) => boolean,
): number | undefined {
  const text = sample.toString();
  const beginsWithHeader = (below: string, delimiter: string) => {
    const [header = [], ...rows] = firstRows(below, delimiter, 1 + ROWS_BELOW);
    const isAbove = (cells: string[]) => cells.length === header.length && cells.some(looksLikeNumber);
    return isHeader(header) && !header.some(looksLikeNumber) && rows.some(isAbove);
  };
  let lines = 0;
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
    if (++lines > LINES_SEARCHED) return undefined;
    const below = text.slice(index + lineEnd.length);
    const isEmpty = /^[^\S\r\n]*(?:[\r\n]|$)/.test(below);
    if (!isEmpty && delimiters.some((delimiter) => beginsWithHeader(below, delimiter))) return lines;
  }
  return undefined;
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

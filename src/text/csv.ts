/** Writing CSV (RFC 4180). */
import { NumberAsWritten, writeJson } from './json.ts';

/** How the cells of a CSV are written: how a text is changed, and which cells are quoted besides those that must be. */
export interface CellFormat {
  cell: (text: string) => string;
  quotedMatch: RegExp;
}

const PLAIN: CellFormat = { cell: (text) => text, quotedMatch: /[\r\n]/ };

/** Lines with some columns of the items; a missing value is an empty cell. */
export async function toCsv(
  items: readonly Record<string, unknown>[],
  columns: readonly string[],
  hasHeader: boolean,
  { cell, quotedMatch }: CellFormat = PLAIN,
): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  // What is true or false is no text that has to be kept as it is written.
  const cellOf = (value: unknown) => (typeof value === 'boolean' ? String(value) : cell(plainText(value)));
  const rows = items.map((item) => columns.map((name) => cellOf(item[name])));
  return stringify(hasHeader ? [columns.map(cell), ...rows] : rows, { ...CSV_FORMAT, quoted_match: quotedMatch });
}

/** A cell with any kind of line break is quoted; by default, a lone LF would not be. */
export const CSV_FORMAT = { record_delimiter: '\r\n', quoted_match: PLAIN.quotedMatch };

/** One row as a line with its line break. For rows that come one by one, in which no character may be left to a guess. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  let line = '';
  for (const [at, text] of cells.entries()) {
    if (at > 0) line += delimiter;
    line += text.includes(delimiter) || MUST_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }
  return `${line}\r\n`;
}

const MUST_BE_QUOTED = /["\r\n]/;

/** A JSON value as text: empty for null, JSON for arrays and objects. */
export function plainText(value: unknown): string {
  // A field may be called `constructor`: objects without that field inherit a function of that name.
  if (value === undefined || value === null || typeof value === 'function') return '';
  if (value instanceof NumberAsWritten) return value.text;
  return typeof value === 'object' ? writeJson(value) : String(value);
}

/** The same on one line: tabs and line breaks become spaces, the rest is unchanged. */
export function oneLine(value: unknown): string {
  return plainText(value).replace(/[\t\n\r]/g, ' ');
}

/** It shows every program that a file is UTF-8; Excel reads a CSV as UTF-8 only with it. */
export const BYTE_ORDER_MARK = '\ufeff';

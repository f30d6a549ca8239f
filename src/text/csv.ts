/**
 * Writing CSV (RFC 4180), also for spreadsheets. A spreadsheet runs a text that looks like a formula, and converts texts that look
 * like numbers or dates: `+442079460104` becomes 4.42E+11 and `000123` becomes 123.
 */
import { NumberAsWritten, writeJson } from './json.ts';

/** How the cells of a CSV are written: how a text is changed, and which cells are quoted besides those with the delimiter. */
export interface CellFormat {
  cell: (text: string) => string;
  quoted: RegExp;
}

/** A cell with any kind of line break is quoted, also a lone LF. */
const PLAIN: CellFormat = { cell: (text) => text, quoted: /["\r\n]/ };

/** Lines with some columns of the items; a missing value is an empty cell. */
export function toCsv(
  items: readonly Record<string, unknown>[],
  columns: readonly string[],
  hasHeader: boolean,
  { cell, quoted }: CellFormat = PLAIN,
  delimiter = ',',
): string {
  // What is true or false is no text that has to be kept as it is written.
  const cellOf = (value: unknown) => (typeof value === 'boolean' ? String(value) : cell(plainText(value)));
  const rows = items.map((item) => columns.map((name) => cellOf(item[name])));
  return (hasHeader ? [columns.map(cell), ...rows] : rows).map((cells) => csvLine(cells, delimiter, quoted)).join('');
}

/** One row as a line with its line break. */
export function csvLine(cells: readonly string[], delimiter = ',', quoted = PLAIN.quoted): string {
  let line = '';
  for (const [at, text] of cells.entries()) {
    if (at > 0) line += delimiter;
    line += text.includes(delimiter) || quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }
  return `${line}\r\n`;
}

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

/** The most characters that a spreadsheet's cell can hold. */
const LONGEST_CELL = 32_767;

/** How a formula begins, also after spaces: `=`, `+`, `-`, `@`, TAB, CR, and the full-width forms that Excel treats alike. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^ *[\t\r]/;

/** Numbers that a spreadsheet keeps and shows with all their digits. */
const NUMBER = /^-?(0|[1-9]\d{0,10})(\.\d{0,14}[1-9])?$/;

/** Texts that a spreadsheet converts: numbers, phone numbers, amounts, times, dates in figures or with a name, true and false. */
const TAKEN_FOR_OTHERS = [
  /^(true|false)$/i,
  /^\+?[\p{Nd}\p{Sc}\s.,:/()%'’–-]*\p{Nd}[\p{Nd}\p{Sc}\s.,:/()%'’–-]*( ?[ap]\.?m\.?)?$/iu,
  /^[+-]?\p{Nd}+([.,]\p{Nd}+)?e[+-]?\p{Nd}+$/iu,
  /^\p{Nd}{1,4}[\s.\-/]+\p{L}{3,}\.?([\s.,\-/]+\p{Nd}{1,4})?$/u,
  /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\.?[\s.\-/]*\p{Nd}{1,4}([\s.,\-/]+\p{Nd}{1,4})?$/iu,
];
/** Characters; every spreadsheet treats a longer text as text. */
const LONGEST_OTHER = 64;

/** Spreadsheets try several delimiters at once: they would split an unquoted cell at any of them. */
export const SPREADSHEET: CellFormat = { cell: spreadsheetCell, quoted: /["\r\n,;\t]/ };

/** The cell that makes a spreadsheet show a text unchanged. */
function spreadsheetCell(text: string): string {
  if (NUMBER.test(text)) return text;
  // The apostrophe is shown, and what follows it is a text, with its +, its zeros and all its digits. It is not run.
  return isTakenForOther(text) || FORMULA.test(text) ? `'${text}` : text;
}

function isTakenForOther(text: string): boolean {
  if (text.length > LONGEST_OTHER || text.startsWith('-') || /[\r\n\t]/.test(text)) return false;
  return TAKEN_FOR_OTHERS.some((shape) => shape.test(text));
}

/** The text that `spreadsheetCell` turned into a cell, or an earlier version of it, which wrote `="+14155550101"`. */
export function textOfCell(cell: string): string {
  const [, text] = /^="([^"]*)"$/.exec(cell) ?? [];
  if (text !== undefined) return text;
  return cell.startsWith("'") && spreadsheetCell(cell.slice(1)) === cell ? cell.slice(1) : cell;
}

/** How many texts of these items are longer than a cell can be; a spreadsheet cuts them off. */
export function tooLongForCells(items: readonly object[]): number {
  const texts = items.flatMap((item) => Object.values(item));
  return texts.filter((text) => typeof text === 'string' && text.length > LONGEST_CELL).length;
}

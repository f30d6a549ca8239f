/** A table: its format and its rows. */
import { InputError } from '../../errors.ts';
import type { ContactRules, Encoding } from '../rules.ts';
import { MAX_COLUMNS, type Row, tooWide } from './rows.ts';

/** The format of a table. */
export interface Dialect {
  encoding: Encoding;
  /** Whether it begins with a byte order mark. */
  isMarked: boolean;
  delimiter: string;
  /** Lines above the header that are skipped. */
  linesAbove: number;
  /** The name of the sheet, if it is one of a workbook. */
  sheet?: string;
}

export interface TableOptions extends Partial<Pick<ContactRules, 'encoding' | 'delimiter' | 'headerLine' | 'sheet'>> {
  /** Whether a row is a usable header: this decides between possible delimiters. */
  isUnderstood: (header: string[]) => boolean;
}

export interface Table extends Dialect {
  /** The line of what looks like a header below the first row, with at least so many texts; undefined if there is none. */
  headerBelow(fewestCells: number): number | undefined;
  /**
   * The rows, the header first, in batches of at least one. Throws InputError: `unclosed_quote`, `bad_encoding`, `too_wide`,
   * `empty_file`, each with its line.
   */
  rows(): AsyncGenerator<Row[]>;
  /** Rows of several cells without any text that were skipped so far. */
  emptyRows(): number;
  /** Whether a column is not seen; known once the header is read. */
  isHidden?(at: number): boolean;
}

/** Throws InputError if the first row cannot be the header. */
export function requireHeaderHere({ cells, line }: Row, headerLine: number, source: string): void {
  if (headerLine > 1 && line !== headerLine) {
    throw new InputError(`${source} has nothing on line ${headerLine}, where the header should be.`, {
      code: 'no_phone_column',
      hint: `The next row begins on line ${line}.`,
    });
  }
  if (cells.length > MAX_COLUMNS) throw tooWide(source, line, `has ${cells.length} cells`);
}

export function nothingIn(source: string, headerLine: number): InputError {
  const message = headerLine === 1 ? `${source} is empty` : `${source} has nothing on line ${headerLine} or below`;
  return new InputError(`${message}.`, { code: 'empty_file' });
}

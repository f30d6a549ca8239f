/** A row of a table → a contact that may be called, or what is wrong with the row. Everything found goes into the report. */
import type { Contact } from '../../contract.ts';
import { FIELDS, type Field } from '../header/columns.ts';
import { isProblem } from '../numbers/dialled.ts';
import { type CellValue, MAX_CELL, ROW_PROBLEMS, type RowProblem, SHOWN_OF_A_LONG_CELL } from '../problems.ts';
import type { Row } from '../read/rows.ts';
import { isRejectsHeader, type RejectedRow, wasDuplicate } from '../report/rejects.ts';
import type { Whereabouts } from '../zones/zones.ts';
import { NumberLines } from './number-lines.ts';
import { type RowCheckerParts, RowWarnings } from './row-warnings.ts';

/** A row that is called. */
export interface AcceptedRow {
  contact: Contact;
  /** Undefined if it was not asked where contacts are. */
  place: Whereabouts | undefined;
}

export class RowChecker {
  readonly #parts: RowCheckerParts;
  readonly #headers: readonly string[];
  readonly #phoneAt: number;
  /** The fields that come from a cell. */
  readonly #fields: readonly { field: Field; at: number }[];
  readonly #lastTexts: Partial<Record<Field, string>> = {};
  readonly #warnings: RowWarnings;
  readonly #isRejects: boolean;
  readonly #seen = new NumberLines();

  constructor(parts: RowCheckerParts) {
    const { headed } = parts;
    const { headers, at } = headed.columns;
    this.#parts = parts;
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#fields = FIELDS.flatMap((field) => {
      const index = at[field];
      const isFromCell = field !== 'phone_number' && !headed.templates.some((template) => template.field === field);
      return isFromCell && index !== undefined ? [{ field, at: index }] : [];
    });
    this.#warnings = new RowWarnings(parts);
    this.#isRejects = isRejectsHeader(headers);
  }

  /** Undefined if the row is valid but left out because the operator asked for it. */
  check(row: Row): AcceptedRow | RejectedRow | undefined {
    const { cells, line } = row;
    const unreadable = this.#unreadable(cells, line);
    if (unreadable !== undefined) return this.#reject(cells, [unreadable]);

    const { reader, report, places } = this.#parts;
    const cell = cells[this.#phoneAt] ?? '';
    const phoneCell = (): CellValue => ({ line, column: this.#headers[this.#phoneAt] ?? '', value: cell });
    const reading = reader(cell);
    if (isProblem(reading)) {
      return this.#reject(cells, [{ ...phoneCell(), ...reading }, ...this.#build('', cells, line).problems]);
    }
    const { number } = reading;
    if (this.#isExcluded(number, phoneCell)) return undefined;
    const earlier = this.#earlier(number, cells, line);
    if (earlier !== undefined) return this.#duplicate(cells, phoneCell(), earlier);
    const { contact, problems } = this.#build(number, cells, line);
    const place = places?.find(number, cells, line, phoneCell);
    if (place !== undefined && 'code' in place) return this.#reject(cells, [...problems, place]);
    if (problems.length > 0) return this.#reject(cells, problems);

    this.#warnings.look(contact, reading, row, phoneCell);
    if (number !== cell && (reading.wrapping !== undefined || number !== cell.trim())) {
      report.normalized(number, phoneCell);
    }
    report.accepted(contact, place);
    return { contact, place };
  }

  /** The problem that makes the whole row unreadable, if there is one. */
  #unreadable(cells: readonly string[], line: number): RowProblem | undefined {
    const width = this.#headers.length;
    if (cells.length !== width) {
      return {
        line,
        column: this.#headers[cells.length] ?? '',
        value: '',
        ...ROW_PROBLEMS.ragged(cells.length, width),
      };
    }
    for (let at = 0; at < width; at++) {
      const value = cells[at] as string;
      if (value.length <= MAX_CELL && !value.includes('\0')) continue;
      const problem = value.length > MAX_CELL ? ROW_PROBLEMS.tooLong(value.length) : ROW_PROBLEMS.nul();
      return { line, column: this.#headers[at] ?? '', value: value.slice(0, SHOWN_OF_A_LONG_CELL), ...problem };
    }
    return undefined;
  }

  #isExcluded(number: string, phoneCell: () => CellValue): boolean {
    for (const [by, { file, numbers }] of this.#parts.lists.entries()) {
      const listed = numbers.lineOf(number);
      if (listed === undefined) continue;
      const message = `${number} is on line ${listed} of ${file}`;
      this.#parts.report.excluded(by, { ...phoneCell(), code: 'excluded', message });
      return true;
    }
    return false;
  }

  /** A message about where the same phone came before; undefined if it did not, or may come twice. */
  #earlier(number: string, cells: readonly string[], line: number): string | undefined {
    if (this.#parts.duplicates === 'keep') return undefined;
    if (this.#isRejects && wasDuplicate(cells, number)) {
      return `${number} was rejected as a duplicate, and is still the same`;
    }
    // Rows that are rejected below count too: once they are fixed, they would call the same person again.
    const earlier = this.#seen.add(number, line);
    return earlier === undefined ? undefined : `${number} is on line ${earlier} already`;
  }

  #duplicate(cells: readonly string[], place: CellValue, message: string): RejectedRow | undefined {
    const { duplicates, report } = this.#parts;
    if (duplicates === 'skip') {
      report.duplicateSkipped({ ...place, code: 'duplicate', message });
      return undefined;
    }
    const problems = [{ ...place, ...ROW_PROBLEMS.duplicate(message) }];
    report.rejected('duplicates', problems);
    return { cells, problems };
  }

  #reject(cells: readonly string[], problems: readonly RowProblem[]): RejectedRow {
    this.#parts.report.rejected('rejected', problems);
    return { cells, problems };
  }

  /** The contact as it is sent, and a problem for each value that its templates need and the row lacks. */
  #build(number: string, cells: readonly string[], line: number): { contact: Contact; problems: RowProblem[] } {
    const contact: Contact = { phone_number: number };
    for (const { field, at } of this.#fields) {
      const value = cells[at]?.trim() ?? '';
      if (value === '') continue;
      // Saves memory: a text that is the same in every row is kept once.
      if (value !== this.#lastTexts[field]) this.#lastTexts[field] = value;
      contact[field] = this.#lastTexts[field];
    }
    const problems: RowProblem[] = [];
    for (const { field, name, render } of this.#parts.headed.templates) {
      const { text, missing } = render(cells);
      if (missing.length === 0 && text.trim() !== '') contact[field] = text;
      for (const column of missing) {
        if (problems.some((problem) => problem.column === column)) continue;
        const value = cells[this.#headers.indexOf(column)] ?? '';
        problems.push({ line, column, value, ...ROW_PROBLEMS.missingValue(name, column) });
      }
    }
    return { contact, problems };
  }
}

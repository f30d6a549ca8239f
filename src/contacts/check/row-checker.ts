/** A row of a table → a contact that may be called, or what is wrong with the row. Everything found goes into the report. */
import type { Contact } from '../../contract.ts';
import { FIELDS, type Field } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import { isProblem, type PhoneNumber } from '../numbers/dialled.ts';
import { isPremium } from '../numbers/numbering-plans.ts';
import type { NumberReader } from '../numbers/phone-cell.ts';
import {
  type CellValue,
  MAX_CELL,
  type Problem,
  ROW_PROBLEMS,
  type RowProblem,
  SHEET_ERROR,
  SHOWN_OF_A_LONG_CELL,
  WARNINGS,
} from '../problems.ts';
import type { Row } from '../read/rows.ts';
import { isRejectsHeader, type RejectedRow, wasDuplicate } from '../report/rejects.ts';
import type { ReportWriter } from '../report/report.ts';
import type { DuplicateRule } from '../rules.ts';
import type { PlaceFinder } from '../zones/row-places.ts';
import type { Whereabouts } from '../zones/zones.ts';
import { type ExclusionList, NumberLines } from './exclusion-list.ts';
import { placeholderIn, wordsBeyondLimit } from './spoken.ts';

/** What rows are checked with. */
export interface RowCheckerParts {
  headed: Headed;
  duplicates: DuplicateRule;
  lists: readonly ExclusionList[];
  reader: NumberReader;
  delimiter: string;
  report: ReportWriter;
  /** Undefined if it is not asked where contacts are. */
  places: PlaceFinder | undefined;
}

/** A field beside the number, the cell that it comes from, and what messages call its source: a column or a template. */
interface TextField {
  field: Exclude<Field, 'phone_number'>;
  /** Undefined if a template fills it. */
  at: number | undefined;
  source: string;
}

export class RowChecker {
  readonly #parts: RowCheckerParts;
  readonly #headers: readonly string[];
  readonly #phoneAt: number;
  readonly #texts: readonly TextField[];
  readonly #lastTexts: Partial<Record<Field, string>> = {};
  readonly #isRejects: boolean;
  readonly #seen = new NumberLines();

  constructor(parts: RowCheckerParts) {
    const { columns, templates } = parts.headed;
    const { headers, at } = columns;
    this.#parts = parts;
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#texts = FIELDS.flatMap((field) => {
      if (field === 'phone_number') return [];
      const template = templates.find((one) => one.field === field);
      const source = template?.name ?? headers[at[field] ?? -1];
      return source === undefined ? [] : [{ field, at: template === undefined ? at[field] : undefined, source }];
    });
    this.#isRejects = isRejectsHeader(headers);
  }

  /**
   * Undefined if the row is valid but left out because the operator asked for it. `place` is undefined if it was not asked where
   * contacts are.
   */
  check(row: Row): { contact: Contact; place: Whereabouts | undefined } | RejectedRow | undefined {
    const { cells, line } = row;
    const unreadable = this.#unreadable(row);
    if (unreadable !== undefined) return this.#reject(cells, [unreadable]);

    const { reader, report, places } = this.#parts;
    const cell = cells[this.#phoneAt] ?? '';
    const phoneCell = (): CellValue => this.#phoneCell(row);
    const reading = reader(cell);
    if (isProblem(reading)) {
      return this.#reject(cells, [{ ...phoneCell(), ...reading }, ...this.#build('', row).problems]);
    }
    const { number } = reading;
    if (this.#isExcluded(number, phoneCell)) return undefined;
    const earlier = this.#earlier(number, cells, line);
    if (earlier !== undefined) return this.#duplicate(cells, phoneCell(), earlier);
    const { contact, problems } = this.#build(number, row);
    const place = places?.(number, row);
    if (place !== undefined && 'code' in place) return this.#reject(cells, [...problems, place]);
    if (problems.length > 0) return this.#reject(cells, problems);

    this.#warn(contact, reading, row);
    if (number !== cell && (reading.wrapping !== undefined || number !== cell.trim())) {
      report.normalized(number, phoneCell);
    }
    report.accepted(contact, place);
    return { contact, place };
  }

  #phoneCell({ cells, line }: Row): CellValue {
    return { line, column: this.#headers[this.#phoneAt] ?? '', value: cells[this.#phoneAt] ?? '' };
  }

  /** The problem that makes the whole row unreadable, if there is one. */
  #unreadable({ cells, line }: Row): RowProblem | undefined {
    const width = this.#headers.length;
    if (cells.length !== width) {
      const column = this.#headers[cells.length] ?? '';
      return { line, column, value: '', ...ROW_PROBLEMS.ragged(cells.length, width) };
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
      this.#parts.report.heldBack('excluded', { ...phoneCell(), code: 'excluded', message }, by);
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
      report.heldBack('duplicates', { ...place, code: 'duplicate', message });
      return undefined;
    }
    return this.#reject(cells, [{ ...place, ...ROW_PROBLEMS.duplicate(message) }], 'duplicates');
  }

  #reject(
    cells: readonly string[],
    problems: readonly RowProblem[],
    as: 'rejected' | 'duplicates' = 'rejected',
  ): RejectedRow {
    this.#parts.report.rejected(as, problems);
    return { cells, problems };
  }

  /** The contact as it is sent, and a problem for each value that its templates need and the row lacks. */
  #build(number: string, { cells, line }: Row): { contact: Contact; problems: RowProblem[] } {
    const contact: Contact = { phone_number: number };
    const problems: RowProblem[] = [];
    for (const { field, at, source: column } of this.#texts) {
      const value = at === undefined ? '' : (cells[at]?.trim() ?? '');
      if (value === '') continue;
      if (SHEET_ERROR.test(value)) problems.push({ line, column, value, ...ROW_PROBLEMS.sheetError(value) });
      // Saves memory: a text that is the same in every row is kept once.
      if (value !== this.#lastTexts[field]) this.#lastTexts[field] = value;
      contact[field] = this.#lastTexts[field];
    }
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

  /** Warns of what is doubtful in a row that is called. */
  #warn(contact: Contact, { number, isAssigned, wrapping, missingPrefix }: PhoneNumber, row: Row): void {
    const { report } = this.#parts;
    const ofNumber = (warning: Problem) => report.warning({ ...this.#phoneCell(row), ...warning });
    if (wrapping !== undefined) ofNumber(WARNINGS.unwrapped(wrapping, number));
    if (missingPrefix !== undefined) ofNumber(WARNINGS.withoutPrefix(missingPrefix, number));
    if (!isAssigned) ofNumber(WARNINGS.unassigned(number));
    if (isPremium(number)) ofNumber(WARNINGS.premium(number));
    for (const { field, source: column } of this.#texts) {
      const value = contact[field] ?? '';
      const ofText = (warning: Problem) => report.warning({ line: row.line, column, value, ...warning });
      const words = field === 'custom_first_line' ? wordsBeyondLimit(value) : 0;
      if (words > 0) ofText(WARNINGS.longFirstLine(words));
      const placeholder = placeholderIn(value);
      if (placeholder !== undefined) ofText(WARNINGS.unfilled(placeholder));
    }
    for (let at = 0; at < row.cells.length; at++) {
      const text = row.cells[at] as string;
      if (!text.includes('\n') || !this.#holdsRows(text)) continue;
      const value = text.slice(0, SHOWN_OF_A_LONG_CELL);
      report.warning({ line: row.line, column: this.#headers[at] ?? '', value, ...WARNINGS.swallowedRows() });
    }
  }

  /** Whether a line inside a cell looks like a row of this table: with a number in the phone column. */
  #holdsRows(value: string): boolean {
    const [, ...lines] = value.split(/\r\n|\n|\r/);
    return lines.some((text) => {
      const inner = text.split(this.#parts.delimiter);
      return inner.length > 1 && !isProblem(this.#parts.reader(inner[this.#phoneAt] ?? ''));
    });
  }
}

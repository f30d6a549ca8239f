/** A row of a table → a contact that may be called, or what is wrong with the row. Everything found goes into the report. */
import type { Contact } from '../../contract.ts';
import type { Columns } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import type { NumberReader } from '../numbers/phone-cell.ts';
import { isProblem } from '../numbers/phone-number.ts';
import type { CellValue, RowProblem } from '../problems.ts';
import type { Row } from '../read/rows.ts';
import { isRejectsHeader, wasDuplicate } from '../report/rejects-header.ts';
import type { ReportWriter } from '../report/report.ts';
import type { DuplicateRule } from '../rules.ts';
import type { RowPlaces } from '../zones/row-places.ts';
import type { Whereabouts } from '../zones/zones.ts';
import { ContactBuilder } from './contact-builder.ts';
import type { ExclusionList } from './exclusion-list.ts';
import { NumberLines } from './number-lines.ts';
import { cellProblem, duplicate, MAX_CELL, raggedRow, SHOWN_OF_A_LONG_CELL } from './row-problems.ts';
import { RowWarnings } from './row-warnings.ts';

/** A row that cannot be used, with its original cells. */
export interface RejectedRow {
  cells: readonly string[];
  problems: readonly RowProblem[];
}

/** A row that is called. */
export interface AcceptedRow {
  contact: Contact;
  /** Undefined if it was not asked where contacts are. */
  place: Whereabouts | undefined;
}

export interface RowCheckerParts {
  headed: Headed;
  duplicates: DuplicateRule;
  lists: readonly ExclusionList[];
  reader: NumberReader;
  delimiter: string;
  report: ReportWriter;
  places: RowPlaces | undefined;
}

export class RowChecker {
  readonly #report: ReportWriter;
  readonly #headers: Columns['headers'];
  readonly #phoneAt: number;
  readonly #phoneColumn: string;
  readonly #duplicateRule: DuplicateRule;
  readonly #lists: readonly ExclusionList[];
  readonly #reader: NumberReader;
  readonly #builder: ContactBuilder;
  readonly #warnings: RowWarnings;
  readonly #isRejects: boolean;
  readonly #places: RowPlaces | undefined;
  readonly #seen = new NumberLines();

  constructor({ headed, duplicates, lists, reader, delimiter, report, places }: RowCheckerParts) {
    const { columns } = headed;
    const { headers, at } = columns;
    this.#report = report;
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#phoneColumn = headers[this.#phoneAt] ?? '';
    this.#duplicateRule = duplicates;
    this.#lists = lists;
    this.#reader = reader;
    this.#builder = new ContactBuilder(headed);
    this.#warnings = new RowWarnings({ headed, reader, delimiter, report });
    this.#isRejects = isRejectsHeader(headers);
    this.#places = places;
  }

  /** Undefined if the row is valid but left out because the operator asked for it. */
  check(row: Row): AcceptedRow | RejectedRow | undefined {
    const { cells, line } = row;
    const unreadable = this.#unreadable(cells, line);
    if (unreadable !== undefined) return this.#reject(cells, [unreadable]);

    const cell = cells[this.#phoneAt] ?? '';
    const reading = this.#reader(cell);
    if (isProblem(reading)) {
      const missing = this.#builder.missingValues(cells, line);
      return this.#reject(cells, [{ ...this.#phoneCell(line, cell), ...reading }, ...missing]);
    }
    const { number } = reading;
    if (this.#isExcluded(number, line, cell)) return undefined;
    const earlier = this.#earlier(number, cells, line);
    if (earlier !== undefined) return this.#duplicate(cells, this.#phoneCell(line, cell), earlier);
    const { contact, problems } = this.#builder.build(number, cells, line);
    const phoneCell = () => this.#phoneCell(line, cell);
    const place = this.#places?.find(number, cells, line, phoneCell);
    const isPlaced = place === undefined || 'zones' in place;
    if (!isPlaced) problems.push(place);
    if (!isPlaced || problems.length > 0) return this.#reject(cells, problems);

    this.#warnings.look(contact, reading, row, phoneCell);
    if (number !== cell && (reading.wrapping !== undefined || number !== cell.trim())) {
      this.#report.normalized(number, phoneCell);
    }
    this.#report.accepted(contact, place);
    return { contact, place };
  }

  #phoneCell(line: number, value: string): CellValue {
    return { line, column: this.#phoneColumn, value };
  }

  /** The problem that makes the whole row unreadable, if there is one. */
  #unreadable(cells: readonly string[], line: number): RowProblem | undefined {
    const width = this.#headers.length;
    if (cells.length !== width) {
      return { line, column: this.#headers[cells.length] ?? '', value: '', ...raggedRow(cells.length, width) };
    }
    for (let at = 0; at < width; at++) {
      const value = cells[at] as string;
      if (value.length <= MAX_CELL && !value.includes('\0')) continue;
      const column = this.#headers[at] ?? '';
      return { line, column, value: value.slice(0, SHOWN_OF_A_LONG_CELL), ...cellProblem(value) };
    }
    return undefined;
  }

  #isExcluded(number: string, line: number, cell: string): boolean {
    for (const [by, { file, numbers }] of this.#lists.entries()) {
      const listed = numbers.lineOf(number);
      if (listed === undefined) continue;
      const message = `${number} is on line ${listed} of ${file}`;
      this.#report.excluded(by, { ...this.#phoneCell(line, cell), code: 'excluded', message });
      return true;
    }
    return false;
  }

  /** A message about where the same phone came before; undefined if it did not, or may come twice. */
  #earlier(number: string, cells: readonly string[], line: number): string | undefined {
    if (this.#duplicateRule === 'keep') return undefined;
    if (this.#isRejects && wasDuplicate(cells, number)) {
      return `${number} was rejected as a duplicate, and is still the same`;
    }
    // Rows that are rejected below count too: once they are fixed, they would call the same person again.
    const earlier = this.#seen.add(number, line);
    return earlier === undefined ? undefined : `${number} is on line ${earlier} already`;
  }

  #duplicate(cells: readonly string[], place: CellValue, message: string): RejectedRow | undefined {
    if (this.#duplicateRule === 'skip') {
      this.#report.duplicateSkipped({ ...place, code: 'duplicate', message });
      return undefined;
    }
    const problem: RowProblem = { ...place, ...duplicate(message) };
    this.#report.duplicateRejected(problem);
    return { cells, problems: [problem] };
  }

  #reject(cells: readonly string[], problems: readonly RowProblem[]): RejectedRow {
    this.#report.rejected(problems);
    return { cells, problems };
  }
}

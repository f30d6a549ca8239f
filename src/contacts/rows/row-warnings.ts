/** Warnings about a row that can be used. */

import type { Contact } from '../../contract.ts';
import { FIELDS } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import type { TemplateField } from '../header/template.ts';
import { isProblem, type PhoneNumber } from '../numbers/dialled.ts';
import { isPremium } from '../numbers/numbering-plans.ts';
import type { NumberReader } from '../numbers/phone-cell.ts';
import { type CellValue, type Problem, SHOWN_OF_A_LONG_CELL, WARNINGS } from '../problems.ts';
import type { Row } from '../read/rows.ts';
import type { ReportWriter } from '../report/report.ts';
import type { DuplicateRule } from '../rules.ts';
import type { RowPlaces } from '../zones/row-places.ts';
import type { ExclusionList } from './exclusion-list.ts';
import { placeholderIn, wordsBeyondLimit } from './spoken.ts';

/** What rows are checked with. */
export interface RowCheckerParts {
  headed: Headed;
  duplicates: DuplicateRule;
  lists: readonly ExclusionList[];
  reader: NumberReader;
  delimiter: string;
  report: ReportWriter;
  places: RowPlaces | undefined;
}

export class RowWarnings {
  readonly #report: ReportWriter;
  readonly #headers: readonly string[];
  readonly #phoneAt: number;
  readonly #reader: NumberReader;
  readonly #delimiter: string;
  /** The text fields, and the column or template that each comes from. */
  readonly #texts: readonly { field: TemplateField; name: string }[];

  constructor({ headed, reader, delimiter, report }: RowCheckerParts) {
    const { columns, templates } = headed;
    const { headers, at } = columns;
    this.#report = report;
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#reader = reader;
    this.#delimiter = delimiter;
    this.#texts = FIELDS.flatMap((field) => {
      if (field === 'phone_number') return [];
      const name = templates.find((one) => one.field === field)?.name ?? headers[at[field] ?? -1];
      return name === undefined ? [] : [{ field, name }];
    });
  }

  /** `phoneCell` is called only if there is a warning. */
  look(contact: Contact, phone: PhoneNumber, { cells, line }: Row, phoneCell: () => CellValue): void {
    this.#lookAtNumber(phone, phoneCell);
    for (const { field, name: column } of this.#texts) {
      const value = contact[field] ?? '';
      const words = field === 'custom_first_line' ? wordsBeyondLimit(value) : 0;
      if (words > 0) this.#report.warning({ line, column, value, ...WARNINGS.longFirstLine(words) });
      const placeholder = placeholderIn(value);
      if (placeholder !== undefined) {
        this.#report.warning({ line, column, value, ...WARNINGS.unfilled(placeholder) });
      }
    }
    for (let at = 0; at < cells.length; at++) {
      const text = cells[at] as string;
      if (!text.includes('\n') || !this.#holdsRows(text)) continue;
      const value = text.slice(0, SHOWN_OF_A_LONG_CELL);
      this.#report.warning({ line, column: this.#headers[at] ?? '', value, ...WARNINGS.swallowedRows() });
    }
  }

  #lookAtNumber({ number, isAssigned, wrapping, missingPrefix }: PhoneNumber, phoneCell: () => CellValue): void {
    const warn = (warning: Problem) => this.#report.warning({ ...phoneCell(), ...warning });
    if (wrapping !== undefined) warn(WARNINGS.unwrapped(wrapping, number));
    if (missingPrefix !== undefined) warn(WARNINGS.withoutPrefix(missingPrefix, number));
    if (!isAssigned) warn(WARNINGS.unassigned(number));
    if (isPremium(number)) warn(WARNINGS.premium(number));
  }

  /** Whether a line inside a cell looks like a row of this table: with a number in the phone column. */
  #holdsRows(value: string): boolean {
    const [, ...lines] = value.split(/\r\n|\n|\r/);
    return lines.some((text) => {
      const inner = text.split(this.#delimiter);
      return inner.length > 1 && !isProblem(this.#reader(inner[this.#phoneAt] ?? ''));
    });
  }
}

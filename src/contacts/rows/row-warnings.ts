/** Warnings about a row that can be used. */
import type { Contact } from '../../contract.ts';
import { FIELDS } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import type { TemplateField } from '../header/template.ts';
import type { NumberReader } from '../numbers/phone-cell.ts';
import { isProblem, type PhoneNumber } from '../numbers/phone-number.ts';
import { isPremium } from '../numbers/premium.ts';
import type { CellValue } from '../problems.ts';
import type { Row } from '../read/rows.ts';
import type { ReportWriter } from '../report/report.ts';
import {
  longFirstLine,
  premium,
  SHOWN_OF_A_LONG_CELL,
  swallowedRows,
  unassigned,
  unfilled,
  unwrapped,
  withoutPrefix,
} from './row-problems.ts';
import { placeholderIn, wordsBeyondLimit } from './spoken.ts';

export interface RowWarningsParts {
  headed: Headed;
  reader: NumberReader;
  delimiter: string;
  report: ReportWriter;
}

export class RowWarnings {
  readonly #report: ReportWriter;
  readonly #reader: NumberReader;
  readonly #delimiter: string;
  readonly #headers: readonly string[];
  readonly #phoneAt: number;
  /** The text fields, and the column or template that each comes from. */
  readonly #texts: readonly { field: TemplateField; name: string }[];

  constructor({ headed: { columns, templates }, reader, delimiter, report }: RowWarningsParts) {
    const { headers, at } = columns;
    this.#report = report;
    this.#reader = reader;
    this.#delimiter = delimiter;
    this.#headers = headers;
    this.#phoneAt = at.phone_number ?? 0;
    this.#texts = FIELDS.flatMap((field) => {
      if (field === 'phone_number') return [];
      const template = templates.find((one) => one.field === field);
      const index = at[field];
      if (template !== undefined) return [{ field, name: template.name }];
      return index === undefined ? [] : [{ field, name: headers[index] ?? '' }];
    });
  }

  /** `phoneCell` is called only if there is a warning. */
  look(contact: Contact, phone: PhoneNumber, row: Row, phoneCell: () => CellValue): void {
    this.#lookAtNumber(phone, phoneCell);
    this.#lookAtTexts(contact, row.line);
    this.#lookForSwallowedRows(row);
  }

  #lookAtNumber({ number, isAssigned, wrapping, missingPrefix }: PhoneNumber, phoneCell: () => CellValue): void {
    if (wrapping !== undefined) this.#report.warning({ ...phoneCell(), ...unwrapped(wrapping, number) });
    if (missingPrefix !== undefined) {
      this.#report.warning({ ...phoneCell(), ...withoutPrefix(missingPrefix, number) });
    }
    if (!isAssigned) this.#report.warning({ ...phoneCell(), ...unassigned(number) });
    if (isPremium(number)) this.#report.warning({ ...phoneCell(), ...premium(number) });
  }

  #lookAtTexts(contact: Contact, line: number): void {
    for (const { field, name } of this.#texts) {
      const value = contact[field] ?? '';
      const words = field === 'custom_first_line' ? wordsBeyondLimit(value) : 0;
      if (words > 0) this.#report.warning({ line, column: name, value, ...longFirstLine(words) });
      const placeholder = placeholderIn(value);
      if (placeholder !== undefined) this.#report.warning({ line, column: name, value, ...unfilled(placeholder) });
    }
  }

  #lookForSwallowedRows({ cells, line }: Row): void {
    for (let at = 0; at < cells.length; at++) {
      const value = cells[at] as string;
      if (!value.includes('\n') || !this.#holdsRows(value)) continue;
      const shown = value.slice(0, SHOWN_OF_A_LONG_CELL);
      this.#report.warning({ line, column: this.#headers[at] ?? '', value: shown, ...swallowedRows });
    }
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

/** The cells of a row → the contact as it is sent. */
import type { Contact } from '../../contract.ts';
import { FIELDS, type Field } from '../header/columns.ts';
import type { Headed } from '../header/header.ts';
import type { BoundTemplate } from '../header/template.ts';
import type { RowProblem } from '../problems.ts';
import { missingValue } from './row-problems.ts';

export class ContactBuilder {
  readonly #headers: readonly string[];
  /** The fields that come from a cell. */
  readonly #cells: readonly { field: Field; at: number }[];
  readonly #templates: readonly BoundTemplate[];
  readonly #lastTexts: Partial<Record<Field, string>> = {};

  constructor({ columns: { headers, at }, templates }: Headed) {
    this.#headers = headers;
    this.#templates = templates;
    this.#cells = FIELDS.flatMap((field) => {
      const index = at[field];
      const isFromCell = field !== 'phone_number' && !templates.some((template) => template.field === field);
      return isFromCell && index !== undefined ? [{ field, at: index }] : [];
    });
  }

  /** The contact, and a problem for each value that its templates need and the row lacks. */
  build(number: string, cells: readonly string[], line: number): { contact: Contact; problems: RowProblem[] } {
    const contact: Contact = { phone_number: number };
    for (const { field, at } of this.#cells) {
      const value = cells[at]?.trim() ?? '';
      if (value === '') continue;
      // Saves memory: a text that is the same in every row is kept once.
      if (value !== this.#lastTexts[field]) this.#lastTexts[field] = value;
      contact[field] = this.#lastTexts[field];
    }
    const problems: RowProblem[] = [];
    for (const { field, name, render } of this.#templates) {
      const { text, missing } = render(cells);
      if (missing.length === 0 && text.trim() !== '') contact[field] = text;
      for (const column of missing) {
        if (problems.some((problem) => problem.column === column)) continue;
        const value = cells[this.#headers.indexOf(column)] ?? '';
        problems.push({ line, column, value, ...missingValue(name, column) });
      }
    }
    return { contact, problems };
  }

  missingValues(cells: readonly string[], line: number): RowProblem[] {
    return this.build('', cells, line).problems;
  }
}

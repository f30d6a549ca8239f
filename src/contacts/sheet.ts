/**
 * Contacts that were sent, as a file that is read again without any flag and gives the same contacts: the fields of the
 * interface come first, then the columns of the file that they were from.
 */
import type { Contact } from '../contract.ts';
import { csvLine } from '../text/csv.ts';
import { FIELDS, type Field, findColumns, sameColumn } from './header/columns.ts';

export class ContactSheet {
  readonly #fields: readonly Field[];
  /** Which of the original cells are written. */
  readonly #originals: readonly number[];
  readonly header: string;

  /** `used` are the fields that some contact has, `columns` the headers of the file; none if it is not known any more. */
  constructor(used: ReadonlySet<Field>, columns: readonly string[]) {
    const originals = columns.flatMap((name, at) => (FIELDS.some((field) => sameColumn(field, name)) ? [] : [at]));
    const names = (fields: readonly Field[]) => [...fields, ...originals.map((at) => columns[at] ?? '')];
    const needed = FIELDS.filter((field) => field === 'phone_number' || used.has(field));
    // If another column could be taken for a field, all fields are named: then there is no choice.
    this.#fields = isReadAs(names(needed), needed) ? needed : FIELDS;
    this.#originals = originals;
    this.header = csvLine(names(this.#fields));
  }

  /** `cells` are the original ones; none if they are not known. */
  line(contact: Contact, cells: readonly string[]): string {
    const fields = this.#fields.map((field) => contact[field] ?? '');
    return csvLine([...fields, ...this.#originals.map((at) => cells[at] ?? '')]);
  }
}

/** Whether exactly these fields are found, in the first columns. */
function isReadAs(header: readonly string[], fields: readonly Field[]): boolean {
  try {
    const { at, hasHeader } = findColumns(header, {}, '');
    return (
      hasHeader && FIELDS.every((field) => at[field] === (fields.includes(field) ? fields.indexOf(field) : undefined))
    );
  } catch {
    return false;
  }
}

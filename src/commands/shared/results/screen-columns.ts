/** The columns of results on a terminal: who it is, and what came of it. */
import type { ContactRow } from '../../../calls/contact-results.ts';

/** Columns of the file that are shown, besides the number. */
const MOST = 2;
/** They are long, and do not tell who somebody is. */
const TEXTS: ReadonlySet<string> = new Set(['custom_first_line', 'custom_instruction']);
/** So many digits at the end make a number the same. */
const SAME_DIGITS = 6;

/** The first columns of a file that do not hold the number, which is shown anyway. `first` is one of its rows. */
export function screenColumns(columns: readonly string[], first: ContactRow | undefined): string[] {
  if (first === undefined) return [];
  const number = first.contact.phone_number.slice(-SAME_DIGITS);
  const isNumber = (cell: string) => cell.replace(/\D/g, '').endsWith(number);
  return columns.filter((name, at) => !TEXTS.has(name) && !isNumber(first.cells[at] ?? '')).slice(0, MOST);
}

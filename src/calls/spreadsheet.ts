/** Cells that a spreadsheet would run as formulas, made plain text; everything else, phone numbers too, stays as it is. */
import { E164 } from '../contract.ts';

/** What begins a formula, after spaces too: `=`, `+`, `-`, `@`, TAB, CR, and the full-width twins that Excel takes alike. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^ *[\t\r]/;
/** A number is no formula, whatever its sign. */
const NUMBER = /^-?\d+(\.\d+)?$/;

/** An apostrophe makes a cell text, and spreadsheets do not show it. */
export function harmless(cell: string): string {
  return FORMULA.test(cell) && !E164.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Cells that hold more than one number: a second one, its last digits, an extension, or a number in a list. */

/**
 * Never within one number: an unmatched bracket, two marks in a row, more slashes than the one after an area code, or a mark at the end,
 * after which an extension is missing.
 */
const BROKEN = /^[^(]*\)|\)[^(]*\)|\([^)]*$|\([^)]*\(|\/.*\/|[-.‐-―−/]\s*[-.‐-―−/]|[-‐-―−/]\s*$/;
/** Up to four digits after a slash or in brackets, up to three after a dash with spaces. */
const TAIL = /\/\s*\d{1,4}$|\(\s*\d{1,4}\s*\)$|\s[-‐-―−]\s*\d{1,3}$/;
/** What may divide two numbers, or two groups of one; hyphens without spaces, as in 030 1234-567, do not divide numbers. */
const DIVIDERS = /\s*\/\s*|\s+[-.‐-―−]\s*|[-.‐-―−]\s+|[‒-―]|\s*\(/g;
/** The number of a list item: no phone number has a full stop and a space there. */
const LIST_NUMBER = /^[1-9]\d{0,2}\.\s+/;
/** The same without the full stop, or in brackets, if the number after it has its own prefix. */
const SHORT_START = /^\(?[1-9]\d{0,2}\D+/;
/** Up to four digits, clearly separated from the number before them, or one digit alone. */
const APART = /\s{3,}\d{1,4}$|[\s.]\d$/;
/** Where one group of digits ends and the next begins. */
const GAPS = /\D+/g;

/**
 * The least length in E.164 of a part that counts as a number by itself. In some plans, shorter area codes look like numbers
 * too.
 */
export const SHORTEST_NUMBER = 9;

/** Whether a part of a cell is a number by itself. With `isWhole` it must have its prefix, as a second number has. */
export type IsNumber = (part: string, isWhole: boolean) => boolean;

/** Whether a text of digits and punctuation may be two numbers, or one with an extension. */
export function mayBeTwo(text: string, isNumber: IsNumber): boolean {
  if (BROKEN.test(text) || TAIL.test(text)) return true;
  const listed = LIST_NUMBER.exec(text)?.[0].length ?? 0;
  if (listed > 0 && isNumber(text.slice(listed), false)) return true;
  const start = SHORT_START.exec(text)?.[0].length ?? 0;
  if (start > 0 && isNumber(text.slice(start), true)) return true;
  const apart = text.search(APART);
  if (apart > 0 && isNumber(text.slice(0, apart), false)) return true;
  for (const { index } of text.matchAll(DIVIDERS)) {
    if (index > 0 && isNumber(text.slice(0, index), false)) return true;
  }
  for (const { index, 0: gap } of text.matchAll(GAPS)) {
    if (index > 0 && isNumber(text.slice(index + gap.length), true) && isNumber(text.slice(0, index), false))
      return true;
  }
  return false;
}

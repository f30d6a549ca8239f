/** Cells that hold more than one number: a second one, its last digits, an extension, or a number in a list. */
import { E164 } from '../../contract.ts';
import { digitsOf, WORLD_EXIT_CODE } from '../../text/phone.ts';
import { callingCodeOf, isAssigned, mainCountryOf, planOf } from './numbering-plans.ts';

/**
 * Never within one number: an unmatched bracket, two marks in a row, more slashes than the one after an area code, or a mark at
 * the end, after which an extension is missing.
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

/** Whether a text of digits and punctuation may be two numbers, or one with an extension. */
export function mayBeTwo(text: string, country: string | undefined): boolean {
  if (hasStrayBrackets(text, country) || BROKEN.test(text) || TAIL.test(text)) return true;
  // The country in which a second number of the cell would be written as a national one.
  const home = text.startsWith('+') ? mainCountryOf(`+${digitsOf(text)}`) : country;
  const isNumber = (part: string, isWhole: boolean) => isOneNumber(part, isWhole, home);
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

/** Whether a part of a cell is a number by itself. With `isWhole` it must have its prefix, as a second number has. */
function isOneNumber(part: string, isWhole: boolean, country: string | undefined): boolean {
  const number = numberOf(part, isWhole, country);
  return number !== undefined && number.length >= SHORTEST_NUMBER && E164.test(number) && isAssigned(number);
}

function numberOf(part: string, isWhole: boolean, country: string | undefined): string | undefined {
  const digits = digitsOf(part.replace('(0)', ''));
  if (part.startsWith('+')) return `+${digits}`;
  if (digits.startsWith(WORLD_EXIT_CODE)) return `+${digits.slice(WORLD_EXIT_CODE.length)}`;
  if (country === undefined) return undefined;
  const { callingCode, nationalPrefix } = planOf(country);
  const hasPrefix = nationalPrefix !== '' && digits.startsWith(nationalPrefix);
  if (isWhole && !hasPrefix) return undefined;
  return `+${callingCode}${hasPrefix ? digits.slice(nationalPrefix.length) : digits}`;
}

/** Behind a calling code some plans have one digit more before the area code, as +54 9 (11). */
const AFTER_CALLING_CODE = /^\d?$/;

/**
 * Whether brackets stand behind more than what is dialled before an area code: around anything else than the area code, or the 0
 * before it, what they hold is not part of one number.
 */
function hasStrayBrackets(text: string, country: string | undefined): boolean {
  return [...text.matchAll(/\(/g)].some(({ index }) => !mayPrecede(text.slice(0, index), text, country));
}

function mayPrecede(before: string, text: string, country: string | undefined): boolean {
  const digits = digitsOf(before);
  if (digits === '') return true;
  if (text.startsWith('+') || text.startsWith('(+')) return endsCallingCode(digits, digitsOf(text));
  if (country === undefined) return true;
  const { nationalPrefix, prefixes, exitCode } = planOf(country);
  if (digits === nationalPrefix || endsCallingCode(digits, digitsOf(text))) return true;
  if (prefixes?.exec(digits)?.[0] === digits) return true;
  const codes = [1, 2, 3, 4, 5].map((length) => digits.slice(0, length));
  return codes.some(
    (code) =>
      (code === WORLD_EXIT_CODE || exitCode.test(code)) &&
      (digits === code || endsCallingCode(digits.slice(code.length), digitsOf(text).slice(code.length))),
  );
}

/** Whether `before` is the calling code with which the digits begin, and at most one digit more. */
function endsCallingCode(before: string, digits: string): boolean {
  const callingCode = callingCodeOf(`+${digits}`);
  return (
    callingCode !== undefined &&
    before.startsWith(callingCode) &&
    AFTER_CALLING_CODE.test(before.slice(callingCode.length))
  );
}

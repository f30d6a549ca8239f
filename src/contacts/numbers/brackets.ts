/** Brackets in a number: around the area code, or the 0 before it. Elsewhere, what they hold is not part of one number. */

import { digitsOf, WORLD_EXIT_CODE } from '../../text/written-number.ts';
import { callingCodeOf, planOf } from './numbering-plans.ts';

/** Behind a calling code some plans have one digit more before the area code, as +54 9 (11). */
const AFTER_CALLING_CODE = /^\d?$/;

/** Whether brackets stand behind more than what is dialled before an area code. */
export function hasStrayBrackets(text: string, country: string | undefined): boolean {
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

/** Numbers with their `+`. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { isOldSpelling } from '../../text/phone.ts';
import { digitsOf } from '../../text/written-number.ts';
import type { Problem } from '../problems.ts';
import { isAssigned } from './numbering-plans.ts';
import { notE164, type PhoneNumber } from './phone-number.ts';

/** The compiled plans are ten times as fast as the library, so the library is used only if they do not know the number. */
export function readE164(number: string, wrapping?: string | undefined, written = number): PhoneNumber | Problem {
  if (isAssigned(number)) return { number, isAssigned: true, wrapping };
  const found = parsePhoneNumberFromString(number, { extract: false });
  const isValid = found?.isValid() === true;
  if (isValid && found.number !== number) return withTrunk(written, found.number);
  return { number, isAssigned: isValid, wrapping };
}

function withTrunk(written: string, number: string): Problem {
  return notE164(written, `Write ${number}, if that is the number: the digits left out are not dialled from abroad.`);
}

/** Reads a number with `+`: exactly its digits, without punctuation and a trunk 0 in parentheses. `written` is the cell. */
export function readInternational(text: string, wrapping: string | undefined, written = text): PhoneNumber | Problem {
  const number = `+${digitsOf(text.replace('(0)', ''))}`;
  if (!E164.test(number)) return notE164(written, 'Write + and 7 to 15 digits, like +14155550100.');
  if (!text.includes('(0)') && isAssigned(number)) return { number, isAssigned: true, wrapping };
  const found = parsePhoneNumberFromString(text, { extract: false });
  if (text.includes('(0)') && found?.number !== number) {
    return notE164(written, 'Write it without the 0 in parentheses, if that is right.');
  }
  if (written === number || isOldSpelling(number)) return readE164(number, wrapping, written);
  // Digits that were joined across punctuation, with a length that no number of the country has, are not one number.
  if (found?.isPossible() !== true) {
    return notE164(written, 'It is too long or too short for its country: write the one number to call.');
  }
  return found.number === number ? readE164(number, wrapping, written) : withTrunk(written, found.number);
}

/**
 * Numbers as people write them: with their `+`, inside their country, or as it is dialled abroad from there, after 00 for
 * example.
 */
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { digitsOf, isOldSpelling, WORLD_EXIT_CODE, WRITTEN_NUMBER } from '../../text/phone.ts';
import { NUMBER_PROBLEMS, type Problem } from '../problems.ts';
import { isAssigned, nationalPrefixMissing, planOf } from './numbering-plans.ts';

const { notE164, notOf, several, withTrunk } = NUMBER_PROBLEMS;

/** What is read of a cell of the phone column, if it is no problem: the number to call. */
export interface PhoneNumber {
  /** E.164. */
  number: string;
  /** Whether it is assigned in its country's numbering plan. */
  isAssigned: boolean;
  /** What was removed around the number, such as a spreadsheet's `="…"`. */
  wrapping?: string | undefined;
  /** The national prefix that was missing, such as 0. */
  missingPrefix?: string;
}

export function isProblem(reading: PhoneNumber | Problem): reading is Problem {
  return 'code' in reading;
}

// With a plus sign ----------------------------------------------------------------------------------------------------

/** The compiled plans are ten times as fast as the library, so the library is used only if they do not know the number. */
export function readE164(number: string, written = number): PhoneNumber | Problem {
  if (isAssigned(number)) return { number, isAssigned: true };
  const found = parsePhoneNumberFromString(number, { extract: false });
  const isValid = found?.isValid() === true;
  return isValid && found.number !== number ? withTrunk(written, found.number) : { number, isAssigned: isValid };
}

/** Reads a number with `+`: exactly its digits, without punctuation and a trunk 0 in parentheses. `written` is the cell. */
export function readInternational(text: string, written = text): PhoneNumber | Problem {
  const number = `+${digitsOf(text.replace('(0)', ''))}`;
  if (!E164.test(number)) return notE164(written, 'Write + and 7 to 15 digits, like +14155550100.');
  if (!text.includes('(0)') && isAssigned(number)) return { number, isAssigned: true };
  const found = parsePhoneNumberFromString(text, { extract: false });
  if (text.includes('(0)') && found?.number !== number) {
    return notE164(written, 'Write it without the 0 in parentheses, if that is right.');
  }
  if (written === number || isOldSpelling(number)) return readE164(number, written);
  // Digits that were joined across punctuation, with a length that no number of the country has, are not one number.
  if (found?.isPossible() !== true) {
    return notE164(written, 'It is too long or too short for its country: write the one number to call.');
  }
  return found.number === number ? readE164(number, written) : withTrunk(written, found.number);
}

// In national form ----------------------------------------------------------------------------------------------------

/** Reads a text without an exit code, as it is dialled inside the country. */
function readNational(text: string, country: CountryCode): PhoneNumber | Problem {
  const found = parsePhoneNumberFromString(text, { extract: false, defaultCountry: country });
  const plan = planOf(country);
  if (found !== undefined && text.includes('(0)')) {
    // Where the 0 is part of some numbers, as in Italy, the number with it is another than the one without.
    const other = parsePhoneNumberFromString(text.replace('(0)', ''), { extract: false, defaultCountry: country });
    if (other?.isValid() === true && other.number !== found.number) return several(text, [found, other]);
  }
  // A country that shares the calling code may have shorter numbers.
  const isWhole =
    found !== undefined &&
    found.ext === undefined &&
    E164.test(found.number) &&
    plan.lengths.includes(found.nationalNumber.length);
  const isValid = isWhole && found.isValid();
  if (isWhole && (isValid || plan.shape.test(found.nationalNumber))) {
    const { number } = found;
    // It is not assigned in this country, but with a + it is a number of another country.
    if (!isValid && hasLostPlus(text)) return withoutCountry(text);
    const digits = digitsOf(text);
    const prefix = nationalPrefixMissing(digits, found.nationalNumber, plan);
    const withPlus = `+${digits}`;
    // The library may take the country's own calling code for an area code.
    if (number !== withPlus && isNumberOf(country, withPlus)) return several(text, [{ number }, { number: withPlus }]);
    // A number without its national prefix may have lost its 0 or its +: then it has two readings.
    if (prefix === undefined || number === withPlus) return { number, isAssigned: isValid };
    if (isValid && !hasLostPlus(text)) return { number, isAssigned: true, missingPrefix: prefix };
  }
  return hasLostPlus(text) ? withoutCountry(text) : notOf(country, text);
}

function isNumberOf(country: CountryCode, number: string): boolean {
  if (!number.startsWith(`+${planOf(country).callingCode}`)) return false;
  const found = parsePhoneNumberFromString(number, { extract: false });
  return found?.country === country && found.number === number && found.isValid();
}

/** Whether a `+` in front makes a number of some country. */
function hasLostPlus(text: string): boolean {
  // With other characters than digits and punctuation it is not one number.
  if (!/^\(?[1-9]/.test(text) || !WRITTEN_NUMBER.test(text)) return false;
  return parsePhoneNumberFromString(`+${digitsOf(text)}`, { extract: false })?.isValid() === true;
}

/** Why a text cannot be called if no country is given. */
export function withoutCountry(text: string): Problem {
  if (hasLostPlus(text)) return NUMBER_PROBLEMS.lostPlus(text, digitsOf(text));
  if (text.startsWith('+')) return notE164(text, 'Write one number: + and 7 to 15 digits, nothing else.');
  return text.startsWith(WORLD_EXIT_CODE) ? NUMBER_PROBLEMS.exitCode(text) : NUMBER_PROBLEMS.national(text);
}

// As it is dialled in a country ---------------------------------------------------------------------------------------

/** The exit code of North America; elsewhere numbers of Buenos Aires, Delhi, Turin and other cities begin with it. */
const AMERICAN_EXIT_CODE = '011';
/** The digit groups of numbers of these cities; no calling code has four digits. */
const LOCAL_AFTER_011 = /^\(?011\)?[\s.-]*\d{4,5}[\s.-]\d{4}$/;
/** The number of digits of their numbers; Argentine mobiles have a 15 before them. */
const LOCAL_DIGITS_AFTER_011 = /^011(?:15)?\d{4,9}$/;
const LONGEST_EXIT_CODE = 8;

/** Reads a text without `+` as it is dialled in the country. */
export function readDialled(text: string, country: CountryCode): PhoneNumber | Problem {
  const digits = digitsOf(text);
  const exitCodes = exitCodesOf(country, digits);
  const isForeign = (code: string) => digits.startsWith(code) && !exitCodes.includes(code);
  if (isForeign(WORLD_EXIT_CODE)) {
    const worldwide = numbersAfter(text, [WORLD_EXIT_CODE]);
    if (worldwide.length > 0) return several(text, [...worldwide, ...numbersAfter(text, exitCodes)]);
    if (exitCodes.length === 0) return notOf(country, text);
  }
  const reading = exitCodes.length > 0 ? abroad(text, exitCodes, country) : readNational(text, country);
  if (!isForeign(AMERICAN_EXIT_CODE)) return reading;
  const american = numbersAfter(text, [AMERICAN_EXIT_CODE]);
  if (isProblem(reading)) return american.length > 0 ? several(text, american) : reading;
  const isLocal = reading.isAssigned && LOCAL_DIGITS_AFTER_011.test(digits);
  const isSure = LOCAL_AFTER_011.test(text) || american.every(({ isAssigned: is }) => !is);
  return isLocal && isSure ? reading : several(text, [reading, ...american]);
}

/** All beginnings of the digits that are exit codes of the country. Some exit codes include the code of a carrier. */
function exitCodesOf(country: CountryCode, digits: string): string[] {
  const { exitCode } = planOf(country);
  const starts = Array.from({ length: LONGEST_EXIT_CODE }, (_, at) => digits.slice(0, at + 1));
  return starts.filter((start) => exitCode.test(start));
}

/** An exit code means + and exactly the digits after it. If several exit codes match, only one may give a number. */
function abroad(text: string, exitCodes: readonly string[], country: CountryCode): PhoneNumber | Problem {
  // After 00, the code of a carrier can look like a calling code.
  const isDoubtful = (code: string) => /^00../.test(code) && code !== planOf(country).usualExitCode;
  const [code = '', second] = exitCodes;
  if (second === undefined && !isDoubtful(code)) return afterExitCode(text, code);
  const possible = exitCodes.filter((each) => !isProblem(afterExitCode(text, each)));
  if (possible.every(isDoubtful)) return notOf(country, text);
  const numbers = numbersAfter(text, possible);
  const [only, another] = numbers;
  return only?.isAssigned && another === undefined ? only : several(text, numbers);
}

function numbersAfter(text: string, exitCodes: readonly string[]): PhoneNumber[] {
  return exitCodes.flatMap((code) => {
    const reading = afterExitCode(text, code);
    return isProblem(reading) ? [] : [reading];
  });
}

function afterExitCode(text: string, exitCode: string): PhoneNumber | Problem {
  const upTo = new RegExp(`^(?:\\D*\\d){${exitCode.length}}\\D*`);
  return readInternational(`+${text.replace(upTo, '')}`, text);
}

/** Numbers as people write them inside their country, or to dial abroad from there, after an exit code such as 00. */
import type { CountryCode } from 'libphonenumber-js/max';
import { digitsOf, WORLD_EXIT_CODE } from '../../text/written-number.ts';
import type { Problem } from '../problems.ts';
import { readInternational } from './international.ts';
import { readNational } from './national.ts';
import { planOf } from './numbering-plans.ts';
import { isProblem, noNumberOf, type PhoneNumber, severalReadings } from './phone-number.ts';

/** The exit code of North America; elsewhere numbers of Buenos Aires, Delhi, Turin and other cities begin with it. */
const AMERICAN_EXIT_CODE = '011';
/** The digit groups of numbers of these cities; no calling code has four digits. */
const LOCAL_AFTER_011 = /^\(?011\)?[\s.-]*\d{4,5}[\s.-]\d{4}$/;
/** The number of digits of their numbers; Argentine mobiles have a 15 before them. */
const LOCAL_DIGITS_AFTER_011 = /^011(?:15)?\d{4,9}$/;
const LONGEST_EXIT_CODE = 8;

/** Reads a text without `+` as it is dialled in the country. */
export function readDialled(text: string, country: CountryCode, wrapping: string | undefined): PhoneNumber | Problem {
  const digits = digitsOf(text);
  const exitCodes = exitCodesOf(country, digits);
  const isForeign = (code: string) => digits.startsWith(code) && !exitCodes.includes(code);
  if (isForeign(WORLD_EXIT_CODE)) {
    const worldwide = afterExitCode(text, WORLD_EXIT_CODE, wrapping);
    if (!isProblem(worldwide)) return severalReadings(text, [worldwide, ...numbersAfter(text, exitCodes, wrapping)]);
    if (exitCodes.length === 0) return noNumberOf(country, text);
  }
  const reading =
    exitCodes.length > 0 ? abroad(text, exitCodes, country, wrapping) : readNational(text, country, wrapping);
  if (!isForeign(AMERICAN_EXIT_CODE)) return reading;
  const american = numbersAfter(text, [AMERICAN_EXIT_CODE], wrapping);
  if (isProblem(reading)) return american.length > 0 ? severalReadings(text, american) : reading;
  const isLocal = reading.isAssigned && LOCAL_DIGITS_AFTER_011.test(digits);
  const isSure = LOCAL_AFTER_011.test(text) || american.every(({ isAssigned: is }) => !is);
  return isLocal && isSure ? reading : severalReadings(text, [reading, ...american]);
}

/** All beginnings of the digits that are exit codes of the country. Some exit codes include the code of a carrier. */
function exitCodesOf(country: CountryCode, digits: string): string[] {
  const { exitCode } = planOf(country);
  const starts = Array.from({ length: LONGEST_EXIT_CODE }, (_, at) => digits.slice(0, at + 1));
  return starts.filter((start) => exitCode.test(start));
}

/** An exit code means + and exactly the digits after it. If several exit codes match, only one may give a number. */
function abroad(
  text: string,
  exitCodes: readonly string[],
  country: CountryCode,
  wrapping: string | undefined,
): PhoneNumber | Problem {
  // After 00, the code of a carrier can look like a calling code.
  const isDoubtful = (code: string) => /^00../.test(code) && code !== planOf(country).usualExitCode;
  const [code = '', second] = exitCodes;
  if (second === undefined && !isDoubtful(code)) return afterExitCode(text, code, wrapping);
  const possible = exitCodes.filter((each) => !isProblem(afterExitCode(text, each, wrapping)));
  if (possible.every(isDoubtful)) return noNumberOf(country, text);
  const numbers = numbersAfter(text, possible, wrapping);
  const [only, another] = numbers;
  return only?.isAssigned && another === undefined ? only : severalReadings(text, numbers);
}

function numbersAfter(text: string, exitCodes: readonly string[], wrapping: string | undefined): PhoneNumber[] {
  return exitCodes.flatMap((code) => {
    const reading = afterExitCode(text, code, wrapping);
    return isProblem(reading) ? [] : [reading];
  });
}

function afterExitCode(text: string, exitCode: string, wrapping: string | undefined): PhoneNumber | Problem {
  const upTo = new RegExp(`^(?:\\D*\\d){${exitCode.length}}\\D*`);
  return readInternational(`+${text.replace(upTo, '')}`, wrapping, text);
}

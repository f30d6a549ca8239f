/** A cell of the phone column → the number to call, or what is wrong with the cell. A number is never guessed. */
import { type CountryCode, getCountries, isSupportedCountry } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { digitsOf, WORLD_EXIT_CODE, WRITTEN_NUMBER } from '../../text/written-number.ts';
import { type Problem, quoted } from '../problems.ts';
import { hasStrayBrackets } from './brackets.ts';
import { readDialled } from './exit-codes.ts';
import { readE164, readInternational } from './international.ts';
import { withoutInvisible } from './invisible.ts';
import { withoutCountry } from './national.ts';
import { isAssigned, mainCountryOf, planOf } from './numbering-plans.ts';
import { readOrdinary } from './ordinary-numbers.ts';
import { notE164, type PhoneNumber } from './phone-number.ts';
import { spreadsheetProblem, strangeCharacter } from './spreadsheet-problems.ts';
import { mayBeTwo, SHORTEST_NUMBER } from './two-numbers.ts';

export type NumberReader = (cell: string) => PhoneNumber | Problem;

/** Whether a text is the ISO code of a country, such as DE, in any case. */
export function isCountry(code: string): boolean {
  return isSupportedCountry(code.toUpperCase());
}

/** The ISO codes of all countries that have telephone numbers. */
export function countries(): string[] {
  return getCountries();
}

/** `country` is the ISO code for numbers in national form. */
export function numberReader(country: string | undefined): NumberReader {
  const code = country?.toUpperCase();
  if (code !== undefined && !isSupportedCountry(code)) throw new Error(`${country} is not a country`);
  return (cell) => {
    if (E164.test(cell)) return readE164(cell);
    const ordinary = code === undefined ? undefined : readOrdinary(cell, planOf(code));
    return ordinary === undefined ? readCell(cell, code) : { number: ordinary, isAssigned: true, wrapping: undefined };
  };
}

/** Characters: far more than any spelling of a number has. */
const LONGEST_CELL = 100;

/** Reads any cell, with the library. */
export function readCell(cell: string, country: CountryCode | undefined): PhoneNumber | Problem {
  if (cell.length > LONGEST_CELL) return notE164(cell, ONE_NUMBER);
  const { visible, taken } = withoutInvisible(cell);
  const { inner, wrapping } = unwrap(plainTrim(visible), taken);
  if (inner === '') return missingPhone;
  const problem = strangeCharacter(inner) ?? spreadsheetProblem(inner);
  if (problem !== undefined) return problem;
  // The calling code may stand in parentheses.
  const text = inner.replace(/^\((\+\d{1,3})\)/, '$1');
  if (!WRITTEN_NUMBER.test(text)) return country === undefined ? withoutCountry(text) : notE164(text, ONE_NUMBER);
  if (hasStrayBrackets(text, country)) return twoNumbers(text);
  if (mayBeTwo(text, (part, isWhole) => isNumber(part, isWhole, homeOf(text, country)))) return twoNumbers(text);
  if (text.startsWith('+')) return readInternational(text, wrapping);
  return country === undefined ? withoutCountry(text) : readDialled(text, country, wrapping);
}

const ONE_NUMBER = 'Write one number, and nothing else.';

function twoNumbers(text: string): Problem {
  return {
    code: 'not_e164',
    message: `${quoted(text)} may be two numbers, or one with an extension`,
    fix: 'Write the one number to call.',
  };
}

/** The country in which a second number of the cell would be written as a national one. */
function homeOf(text: string, country: CountryCode | undefined): string | undefined {
  return text.startsWith('+') ? mainCountryOf(`+${digitsOf(text)}`) : country;
}

function isNumber(part: string, isWhole: boolean, country: string | undefined): boolean {
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

function plainTrim(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

const missingPhone: Problem = {
  code: 'missing_phone',
  message: 'no phone number',
  fix: 'Fill it in, or remove the row.',
};

/** What spreadsheets and address books put around a number to protect its `+`. */
const WRAPPINGS: readonly [RegExp, string][] = [
  [/^="(.*)"$/s, '="…"'],
  [/^=(\+?[\d ]+)$/, '="…"'],
  [/^'(.*)$/s, "a leading '"],
  [/^tel:(.*)$/is, 'tel:'],
];

/** `before` describes what was removed already. */
function unwrap(text: string, before: string | undefined): { inner: string; wrapping: string | undefined } {
  let inner = text;
  const taken = before === undefined ? [] : [before];
  for (;;) {
    const match = WRAPPINGS.find(([pattern]) => pattern.test(inner));
    if (match === undefined) return { inner, wrapping: taken.length === 0 ? undefined : taken.join(' and ') };
    taken.push(match[1]);
    inner = plainTrim(match[0].exec(inner)?.[1] ?? '');
  }
}

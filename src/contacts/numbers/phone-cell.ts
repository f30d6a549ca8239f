/** A cell of the phone column → the number to call, or what is wrong with the cell. A number is never guessed. */
import { type CountryCode, getCountries, isSupportedCountry } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { WRITTEN_NUMBER } from '../../text/written-number.ts';
import { NUMBER_PROBLEMS, type Problem } from '../problems.ts';
import { damageOf, withoutInvisible } from './damage.ts';
import { isProblem, type PhoneNumber, readDialled, readE164, readInternational, withoutCountry } from './dialled.ts';
import { planOf } from './numbering-plans.ts';
import { readOrdinary } from './ordinary-numbers.ts';
import { mayBeTwo } from './two-numbers.ts';

const { missing, notOneNumber } = NUMBER_PROBLEMS;

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
    return ordinary === undefined ? readCell(cell, code) : { number: ordinary, isAssigned: true };
  };
}

/** Characters: far more than any spelling of a number has. */
const LONGEST_CELL = 100;

/** Reads any cell, with the library. */
export function readCell(cell: string, country: CountryCode | undefined): PhoneNumber | Problem {
  if (cell.length > LONGEST_CELL) return notOneNumber(cell);
  const { visible, taken } = withoutInvisible(cell);
  const { inner, wrapping } = unwrap(plainTrim(visible), taken);
  const problem = inner === '' ? missing() : damageOf(inner);
  if (problem !== undefined) return problem;
  // The calling code may stand in parentheses.
  const text = inner.replace(/^\((\+\d{1,3})\)/, '$1');
  const reading = readText(text, country);
  if (wrapping !== undefined && !isProblem(reading)) reading.wrapping = wrapping;
  return reading;
}

function readText(text: string, country: CountryCode | undefined): PhoneNumber | Problem {
  if (!WRITTEN_NUMBER.test(text)) return country === undefined ? withoutCountry(text) : notOneNumber(text);
  if (mayBeTwo(text, country)) return NUMBER_PROBLEMS.mayBeTwo(text);
  if (text.startsWith('+')) return readInternational(text);
  return country === undefined ? withoutCountry(text) : readDialled(text, country);
}

function plainTrim(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

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

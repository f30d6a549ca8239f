/** A cell of the phone column → the number to call, or what is wrong with the cell. A number is never guessed. */
import { type CountryCode, getCountries, isSupportedCountry } from 'libphonenumber-js/max';
import { E164 } from '../../contract.ts';
import { digitsOf, WRITTEN_NUMBER } from '../../text/phone.ts';
import { NUMBER_PROBLEMS, type Problem } from '../problems.ts';
import { isProblem, type PhoneNumber, readDialled, readE164, readInternational, withoutCountry } from './dialled.ts';
import { isAssignedIn, type NumberingPlan, nationalPrefixMissing, planOf } from './numbering-plans.ts';
import { mayBeTwo, SHORTEST_NUMBER } from './two-numbers.ts';

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

// Ordinary numbers ----------------------------------------------------------------------------------------------------

/**
 * Groups of digits with single spaces or hyphens, perhaps after an area code in brackets; or short groups with dots. One digit
 * alone at the end may be an extension.
 */
const ORDINARY = /^(?!.* \d$)(?:(?:\(\d{1,5}\)[ -]?)?\d{1,12}(?:[ -]\d{1,8})*|\d{1,4}(?:\.\d{2,4}){2,})$/;
/** A date has fewer digits. */
const FEWEST_DIGITS_WITH_MARKS = 9;
const DATE_MARK = /[-.]/;
/** The well-known exit codes of other countries: such numbers may have several readings. */
const LEADS_ABROAD = /^0(?:0|11)/;

/**
 * The E.164 number of a cell in the country of the plan, if it has one certain reading that is assigned: the usual spellings, with
 * only the patterns of the plan, ten times as fast as the library. Everything else is left to the library.
 */
export function readOrdinary(cell: string, plan: NumberingPlan): string | undefined {
  if (!ORDINARY.test(cell)) return undefined;
  const digits = digitsOf(cell);
  if (digits.length < FEWEST_DIGITS_WITH_MARKS && DATE_MARK.test(cell)) return undefined;
  const { callingCode, nationalPrefix } = plan;
  // A 0 in brackets is left out, unless it is part of the number in this country.
  if (cell.startsWith('(0)') && nationalPrefix !== '0') return undefined;
  // So many digits could be two numbers, each with a prefix.
  if (digits.length >= 2 * (SHORTEST_NUMBER - callingCode.length)) return undefined;
  if (LEADS_ABROAD.test(digits) || plan.exitCodeFirst.test(digits)) return undefined;

  const before = plan.prefixes?.exec(digits)?.[0] ?? '';
  if (before !== '' && before !== nationalPrefix) return undefined;
  // It may begin with the country's own calling code, without the +.
  if (digits.startsWith(callingCode) && before !== callingCode) return undefined;
  const nationalNumber = digits.slice(before.length);
  if (!plan.shape.test(nationalNumber) || !isAssignedIn(callingCode, nationalNumber)) return undefined;
  if (before === '' && nationalPrefixMissing(digits, nationalNumber, plan) !== undefined) return undefined;
  const number = `+${callingCode}${nationalNumber}`;
  return E164.test(number) ? number : undefined;
}

// What web pages, spreadsheets, address books and keyboards do to numbers ----------------------------------------------

const PLAIN = /^[\x20-\x7e]*$/;
/** Spaces of other widths, and no-break spaces. */
const SPACE = /(?! )\p{Zs}/gu;
/**
 * Characters without width, and marks of the writing direction. U+202E is excluded: it reverses digits, so that a person
 * reads another number than the file contains.
 */
const WIDTHLESS = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202d\u2060-\u2064\u2066-\u2069\ufeff]+/gu;
const DIGIT = /\p{Nd}/u;

/**
 * The text with plain spaces and without characters of no width, and a description of what was removed, if anything. Such a
 * character between two digits stays, because a digit may be missing there.
 */
function withoutInvisible(text: string): { visible: string; taken: string | undefined } {
  if (PLAIN.test(text)) return { visible: text, taken: undefined };
  const taken = new Set<string>();
  const take = (characters: string, by: string) => {
    for (const character of characters) taken.add(codePoint(character));
    return by;
  };
  const visible = text
    .replace(SPACE, (space) => take(space, ' '))
    .replace(WIDTHLESS, (nothing, at: number, whole: string) => {
      const isInside = DIGIT.test(whole[at - 1] ?? '') && DIGIT.test(whole[at + nothing.length] ?? '');
      return isInside ? nothing : take(nothing, '');
    });
  return { visible, taken: taken.size === 0 ? undefined : `the invisible ${[...taken].join(' and ')}` };
}

/** `U+00A0` */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Shapes that a spreadsheet gives to numbers, and the damage that each means. */
const SHAPES: readonly [RegExp, string][] = [
  [/^\+?\d+([.,]\d+)?e\+?\d+$/i, 'was put into scientific notation by a spreadsheet, which loses digits'],
  [/\d{3}[.,]0$|^\+?\d{6,}[.,]0+$/, 'was turned into a decimal by a spreadsheet'],
  [/\d{5}[.,]\d{1,2}$|^\d+[.,]\d{1,2}$/, 'is a decimal, not a phone number'],
  [
    /^(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4}|([012]?\d|3[01])([-./])([012]?\d|3[01])\5\d{2})$/,
    'looks like a date, not a phone number',
  ],
  [/^#/, "is a spreadsheet's error, not a number"],
];

/** A character that is invisible, or looks like a digit or sign that can be dialled but is not one; or a damaged shape. */
function damageOf(text: string): Problem | undefined {
  const [invisible] = /[\p{C}\p{M}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(text) ?? [];
  if (invisible !== undefined) return NUMBER_PROBLEMS.invisible(text, codePoint(invisible));
  const [foreign] = /(?![0-9])\p{Nd}|[\uff01-\uff5e]/u.exec(text) ?? [];
  if (foreign !== undefined) return NUMBER_PROBLEMS.foreign(text, foreign, codePoint(foreign));
  const [, how] = SHAPES.find(([shape]) => shape.test(text)) ?? [];
  return how === undefined ? undefined : NUMBER_PROBLEMS.damaged(text, how);
}

/** A cell of the phone column → the number to call, or what is wrong with the cell. Nothing is ever guessed. */
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { E164 } from '../contract.ts';
import { UsageError } from '../errors.ts';
import { damageOf, quoted, strangeCharacter } from './damage.ts';
import { looksLikeNational, mainPlanHas, nationalPrefixMissing } from './numbering-plans.ts';
import type { Fault } from './problems.ts';

export interface PhoneNumber {
  /** E.164. */
  number: string;
  /** Whether its country's numbering plan gives it to anybody. */
  isAssigned: boolean;
  /** What was taken off around the number, such as a spreadsheet's `="…"`. */
  wrapping: string | undefined;
  /** What is dialled before it inside its country, such as 0, and was not there. */
  missingPrefix?: string;
}

export type NumberReader = (cell: string) => PhoneNumber | Fault;

/** `country` is the ISO code of numbers in national form. Throws UsageError where there is no such country. */
export function numberReader(country: string | undefined): NumberReader {
  const code = country?.toUpperCase();
  if (code !== undefined && !isSupportedCountry(code)) {
    throw new UsageError(`--country ${country} is not the ISO code of a country, such as DE.`);
  }
  return (cell) => (E164.test(cell) ? readE164(cell, undefined) : readCell(cell, code));
}

export function isFault(reading: PhoneNumber | Fault): reading is Fault {
  return 'code' in reading;
}

/** The library takes microseconds a number, its main plans a tenth of one: it is asked only where they do not say yes. */
function readE164(number: string, wrapping: string | undefined): PhoneNumber | Fault {
  if (mainPlanHas(number)) return { number, isAssigned: true, wrapping };
  const found = parsePhoneNumberFromString(number, { extract: false });
  const isValid = found?.isValid() === true;
  if (isValid && found.number !== number) {
    return notE164(
      number,
      `Write ${found.number}, if that is the number: what was left out is not dialled from abroad.`,
    );
  }
  return { number, isAssigned: isValid, wrapping };
}

/** Characters: far more than any number has, however it is written. */
const LONGEST_CELL = 100;

function readCell(cell: string, country: CountryCode | undefined): PhoneNumber | Fault {
  if (cell.length > LONGEST_CELL) return notE164(cell, 'Write one number, and nothing else.');
  const { inner, wrapping } = unwrap(plainTrim(cell));
  if (inner === '') return missingPhone;
  const damage = strangeCharacter(inner) ?? damageOf(inner);
  if (damage !== undefined) return damage;
  // A country code in parentheses is one.
  const text = inner.replace(/^\((\+\d{1,3})\)/, '$1');
  if (!/^[+(]?[\d(][\d\s().\-–—‑−/]*$/.test(text)) return withoutCountry(text);
  if (text.startsWith('+')) return international(text, wrapping);
  return country === undefined ? withoutCountry(text) : national(text, country, wrapping);
}

/** Only plain spaces are taken off: what cannot be seen is told. */
function plainTrim(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

const missingPhone: Fault = {
  code: 'missing_phone',
  message: 'no phone number',
  fix: 'Fill it in, or take the row out.',
};

/** How spreadsheets and address books guard a number's `+`. */
const WRAPPINGS: readonly [RegExp, string][] = [
  [/^="(.*)"$/s, '="…"'],
  [/^=(\+?[\d ]+)$/, '="…"'],
  [/^'(.*)$/s, "a leading '"],
  [/^tel:(.*)$/is, 'tel:'],
];

function unwrap(text: string): { inner: string; wrapping: string | undefined } {
  let inner = text;
  const taken: string[] = [];
  for (;;) {
    const match = WRAPPINGS.find(([pattern]) => pattern.test(inner));
    if (match === undefined) return { inner, wrapping: taken.length === 0 ? undefined : taken.join(' and ') };
    taken.push(match[1]);
    inner = plainTrim(match[0].exec(inner)?.[1] ?? '');
  }
}

/** With `+`: what is called is what stands there, but for punctuation and a trunk 0 in parentheses. */
function international(text: string, wrapping: string | undefined): PhoneNumber | Fault {
  const number = `+${text.replace('(0)', '').replace(/\D/g, '')}`;
  if (!E164.test(number)) return notE164(text, 'Write + and 7 to 15 digits, like +14155550100.');
  const found = parsePhoneNumberFromString(text, { extract: false });
  if (text.includes('(0)') && found?.number !== number) {
    return notE164(text, 'Write it without the 0 in parentheses, if that is right.');
  }
  // What had to be put together, and has a length that no number of the country has, was something else.
  if (text !== number && found?.isPossible() !== true) {
    return notE164(text, 'It is too long or too short for its country: write the one number that is to be called.');
  }
  return readE164(number, wrapping);
}

/** As people write numbers inside their country, or to dial abroad from there. */
function national(text: string, country: CountryCode, wrapping: string | undefined): PhoneNumber | Fault {
  const found = parsePhoneNumberFromString(text, { extract: false, defaultCountry: country });
  const isWhole = found !== undefined && found.ext === undefined && E164.test(found.number);
  const isAssigned = isWhole && found.isValid();
  if (isWhole && (isAssigned || looksLikeNational(found.nationalNumber, country))) {
    const { number } = found;
    // Nobody has it in this country, but somebody has in another.
    if (!isAssigned && hasLostPlus(text)) return withoutCountry(text);
    const prefix = nationalPrefixMissing(text, found.nationalNumber, country);
    const withPlus = `+${text.replace(/\D/g, '')}`;
    // The library may take the country's own calling code for an area code.
    if (number !== withPlus && isNumberOf(country, withPlus)) {
      return notE164(text, `It could be ${number} or ${withPlus}: write the one that is meant.`);
    }
    // Without the prefix that is dialled there, it may have lost its 0, or as well its +: then it has two readings.
    if (prefix === undefined || number === withPlus) return { number, isAssigned, wrapping };
    if (isAssigned && !hasLostPlus(text)) return { number, isAssigned, wrapping, missingPrefix: prefix };
  }
  if (hasLostPlus(text)) return withoutCountry(text);
  return {
    code: 'not_e164',
    message: `${quoted(text)} is not a number of ${country}`,
    fix: 'Correct it, or write it with + and the country code.',
  };
}

function isNumberOf(country: CountryCode, number: string): boolean {
  if (!number.startsWith(`+${getCountryCallingCode(country)}`)) return false;
  const found = parsePhoneNumberFromString(number, { extract: false });
  return found?.country === country && found.number === number && found.isValid();
}

/** Whether a `+` in front makes a number of some country. */
function hasLostPlus(text: string): boolean {
  if (!/^\(?[1-9]/.test(text)) return false;
  return parsePhoneNumberFromString(`+${text.replace(/\D/g, '')}`, { extract: false })?.isValid() === true;
}

/** Why a text without `+` cannot be called where no country says what it means. */
function withoutCountry(text: string): Fault {
  if (hasLostPlus(text)) {
    return {
      code: 'spreadsheet_damage',
      message: `${quoted(text)} has lost its +, as in a spreadsheet`,
      fix: `Write +${text.replace(/\D/g, '')}, if that is the number. Format the column as text before the numbers go in.`,
    };
  }
  if (text.startsWith('+')) return notE164(text, 'Write one number: + and 7 to 15 digits, nothing else.');
  if (text.startsWith('00')) {
    return notE164(text, 'What 00 means depends on the country: write + instead, or say --country.');
  }
  return notE164(text, 'Write it with + and the country code, or say --country for national numbers.');
}

function notE164(text: string, fix: string): Fault {
  return { code: 'not_e164', message: `${quoted(text)} is not an E.164 number, like +14155550100`, fix };
}

/** A cell of the phone column → the number to call, or what is wrong with the cell. Nothing is ever guessed. */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { E164 } from '../contract.ts';
import { UsageError } from '../errors.ts';
import type { Fault } from './problems.ts';

export interface PhoneNumber {
  /** E.164. */
  number: string;
  /** What was taken off around the number, such as a spreadsheet's `="…"`. */
  wrapping: string | undefined;
}

export type NumberReader = (cell: string) => PhoneNumber | Fault;

/** `country` is the ISO code of numbers in national form. Throws UsageError where there is no such country. */
export function numberReader(country: string | undefined): NumberReader {
  const code = country?.toUpperCase();
  if (code === undefined) return (cell) => readCell(cell, undefined);
  if (isSupportedCountry(code)) return (cell) => readCell(cell, code);
  throw new UsageError(`--country ${country} is not the ISO code of a country, such as DE.`);
}

export function isFault(reading: PhoneNumber | Fault): reading is Fault {
  return 'code' in reading;
}

function readCell(cell: string, country: CountryCode | undefined): PhoneNumber | Fault {
  // Only plain spaces are taken off: what cannot be seen is told.
  const text = cell.replace(/^[ \t]+|[ \t]+$/g, '');
  if (E164.test(text)) return { number: text, wrapping: undefined };
  if (text === '') return missingPhone;
  const { inner, wrapping } = unwrap(text);
  const damage = strangeCharacter(inner) ?? spreadsheetDamage(inner);
  if (damage !== undefined) return damage;
  const number = E164.test(inner) ? inner : interpret(inner, country);
  return typeof number === 'string' ? { number, wrapping } : number;
}

const missingPhone: Fault = {
  code: 'missing_phone',
  message: 'no phone number',
  fix: 'Fill it in, or take the row out.',
};

/** How spreadsheets and address books guard a number's `+`. */
const WRAPPINGS: readonly [RegExp, string][] = [
  [/^="(.*)"$/s, '="…"'],
  [/^'(.*)$/s, "a leading '"],
  [/^tel:(.*)$/is, 'tel:'],
];

function unwrap(text: string): { inner: string; wrapping: string | undefined } {
  for (const [pattern, wrapping] of WRAPPINGS) {
    const inner = pattern.exec(text)?.[1];
    if (inner !== undefined) return { inner: inner.trim(), wrapping };
  }
  return { inner: text, wrapping: undefined };
}

/** A character that looks like nothing, or like a digit without being one of 0 to 9. */
function strangeCharacter(text: string): Fault | undefined {
  const [invisible] = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(text) ?? [];
  if (invisible !== undefined) {
    return {
      code: 'invisible_character',
      message: `${quoted(text)} holds the invisible character ${codePoint(invisible)}`,
      fix: 'Type the number anew: deleting what cannot be seen is not sure.',
    };
  }
  const [foreign] = /(?![0-9])\p{Nd}/u.exec(text) ?? [];
  if (foreign === undefined) return undefined;
  return {
    code: 'invisible_character',
    message: `${quoted(text)} holds ${foreign} (${codePoint(foreign)}), a digit other than 0 to 9`,
    fix: 'Type the number anew with the digits 0 to 9.',
  };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function spreadsheetDamage(text: string): Fault | undefined {
  if (/^\+?\d+([.,]\d+)?e\+?\d+$/i.test(text)) {
    return damaged(text, 'was rounded by a spreadsheet, its last digits are lost', AS_TEXT);
  }
  if (/^\+?\d{6,}[.,]0+$/.test(text)) {
    return damaged(
      text,
      'was turned into a decimal by a spreadsheet',
      `Take off the ${text.slice(text.search(/[.,]/))}. ${AS_TEXT}`,
    );
  }
  if (/^#/.test(text)) return damaged(text, "is a spreadsheet's error, not a number", AS_TEXT);
  return undefined;
}

const AS_TEXT = 'Format the column as text before the numbers go in, and export the original again.';

function damaged(text: string, message: string, fix: string): Fault {
  return { code: 'spreadsheet_damage', message: `${quoted(text)} ${message}`, fix };
}

/** A number as people write it: international with `+`, or in the national form of `country`. */
function interpret(text: string, country: CountryCode | undefined): string | Fault {
  if (text.startsWith('+'))
    return parsed(text, undefined) ?? notE164(text, 'Write + and 7 to 15 digits, like +14155550100.');
  if (country === undefined) return withoutCountry(text);
  const national = parsed(text, country);
  // The library may take the country's own calling code for an area code.
  const international = /^\W*[1-9]/.test(text) ? parsed(`+${text.replace(/\D/g, '')}`, undefined, country) : undefined;
  if (national !== undefined && international !== undefined && national !== international) {
    return notE164(text, `It could be ${national} or ${international}: write the one that is meant.`);
  }
  if (national !== undefined) return national;
  const fault = withoutCountry(text);
  return fault.code === 'spreadsheet_damage' ? fault : notOf(country, text);
}

function notOf(country: CountryCode, text: string): Fault {
  return {
    code: 'not_e164',
    message: `${quoted(text)} is not a number of ${country}`,
    fix: 'Correct it, or write it with + and the country code.',
  };
}

/** Why a text without `+` cannot be called where no country says what it means. */
function withoutCountry(text: string): Fault {
  if (/^[1-9]\d+$/.test(text) && parsed(`+${text}`, undefined) !== undefined) {
    return damaged(text, 'has lost its +, as in a spreadsheet', `Write +${text} if that is the number. ${AS_TEXT}`);
  }
  if (text.startsWith('00')) {
    return notE164(text, 'What 00 means depends on the country: write + instead, or say --country.');
  }
  return notE164(text, 'Write it with + and the country code, or say --country for national numbers.');
}

function notE164(text: string, fix: string): Fault {
  return { code: 'not_e164', message: `${quoted(text)} is not an E.164 number, like +14155550100`, fix };
}

/**
 * E.164, where the library is sure: the whole text is one number, without an extension, that can be assigned in its
 * country (`within`, if given).
 */
function parsed(text: string, defaultCountry: CountryCode | undefined, within?: CountryCode): string | undefined {
  const found = parsePhoneNumberFromString(text, { extract: false, ...(defaultCountry && { defaultCountry }) });
  if (found === undefined || found.ext !== undefined || !E164.test(found.number)) return undefined;
  if (within !== undefined && found.country !== within) return undefined;
  if (found.isValid()) return found.number;
  // One that is written in full may be unassigned: what is called is what stands there.
  const isPlain = text.startsWith('+') && found.isPossible() && found.number === `+${text.replace(/\D/g, '')}`;
  return isPlain ? found.number : undefined;
}

/** As it stands in a message: quoted, and not too long. */
function quoted(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return JSON.stringify(shown);
}

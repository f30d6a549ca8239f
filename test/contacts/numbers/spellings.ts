/**
 * One number in all the spellings that people use, and what each of them means: what it says itself where it begins with +
 * or an exit code, and elsewhere what google-libphonenumber reads, which shares no code with what is tested.
 */
import { createRequire } from 'node:module';
import type * as google from 'google-libphonenumber';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { rawPlan } from '../../../src/contacts/numbers/numbering-plans.ts';
import { E164 } from '../../../src/contract.ts';
import { remembered } from '../../../src/text/remembered.ts';

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = createRequire(import.meta.url)(
  'google-libphonenumber',
) as typeof google;
const oracle = PhoneNumberUtil.getInstance();

export const COUNTRIES: readonly CountryCode[] = getCountries();

/** A number of a country, and how it is written there. */
export interface Example {
  country: CountryCode;
  /** E.164. */
  number: string;
  /** As it is written inside its country, and abroad. */
  national: string;
  international: string;
}

/** Of each type of number that the country has, one. */
export const EXAMPLES: readonly Example[] = COUNTRIES.flatMap((country) => {
  const types = Object.values(PhoneNumberType).filter((type): type is google.PhoneNumberType => Number(type) >= 0);
  const examples = types.flatMap((type) => {
    const example = oracle.getExampleNumberForType(country, type);
    if (!example || !oracle.isValidNumber(example)) return [];
    const number = oracle.format(example, PhoneNumberFormat.E164);
    // Some are shorter than any number that the service calls, some in the plans of one of the libraries alone.
    if (!E164.test(number) || !parsePhoneNumberFromString(number)?.isPossible()) return [];
    const write = (format: google.PhoneNumberFormat) => oracle.format(example, format);
    return [
      {
        country,
        number,
        national: write(PhoneNumberFormat.NATIONAL),
        international: write(PhoneNumberFormat.INTERNATIONAL),
      },
    ];
  });
  return [...new Map(examples.map((example) => [example.number, example])).values()];
});

/** What is dialled before a number inside the country. */
function trunkOf(country: CountryCode): string {
  return String(rawPlan(country).nationalPrefix() || '');
}

const ALL_DIGITS = [1, 2, 3, 4, 5].flatMap((length) =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0')),
);

/** Up to five digits of them; the longer ones are those of single companies. */
const exitCodesLike = remembered((prefix: string): readonly string[] => {
  const pattern = new RegExp(`^(?:${prefix})$`);
  return ALL_DIGITS.filter((digits) => pattern.test(digits));
});

/** What is dialled before a calling code in a country. */
function exitCodesFrom(country: CountryCode): readonly string[] {
  return exitCodesLike(rawPlan(country).IDDPrefix());
}

export interface Spelling {
  kind: string;
  text: string;
  /** E.164, where the text says it of itself wherever it is read. */
  says?: string;
}

/** Every way to write an example; those that begin with an exit code of `reader`, too, which is where it is read. */
export function spellingsOf({ country, number, national, international }: Example, reader: CountryCode): Spelling[] {
  const code = getCountryCallingCode(country);
  const bare = number.slice(1 + code.length);
  const [, ...groups] = international.split(/[ -]/);
  const abroad = groups.join(' ');
  const trunk = trunkOf(country);
  const plus: [string, string][] = [
    ['+', number],
    ['+ spaces', `+${code} ${abroad}`],
    ['+ dashes', `+${code}-${groups.join('-')}`],
    ['+ dots', `+${code}.${groups.join('.')}`],
    ['(+)', `(+${code}) ${abroad}`],
    ...(trunk === '0' ? [['+ (0)', `+${code} (0)${abroad}`] as [string, string]] : []),
    ['+ area in brackets', `+${code} (${groups[0]}) ${groups.slice(1).join(' ')}`],
  ];
  const exits = ['00', '011', ...exitCodesFrom(reader).filter((exit) => exit !== '00' && exit !== '011')];
  const out = exits.flatMap((exit): Spelling[] => {
    const name = exit === '00' || exit === '011' ? exit : 'own exit';
    return [
      { kind: name, text: `${exit}${code}${bare}`, says: number },
      { kind: `${name} spaces`, text: `${exit} ${code} ${abroad}`, says: number },
      { kind: `${name} dashes`, text: `${exit}-${code}-${groups.join('-')}`, says: number },
      ...(trunk === '0' ? [{ kind: `${name} (0)`, text: `${exit} ${code} (0)${abroad}`, says: number }] : []),
    ];
  });
  const digits = national.replace(/\D/g, '');
  const inside: [string, string][] = [
    ['national', national],
    ['national digits', digits],
    ...['-', '.', '/'].map((mark): [string, string] => [`national ${mark}`, national.replace(/[ -]/g, mark)]),
    ['national first mark /', national.replace(/[ -]/, '/')],
    ['without trunk', abroad],
    ['without trunk digits', bare],
    ['with trunk', `${trunk}${abroad}`],
    ['(trunk)', `(${trunk})${abroad}`],
    ['doubled trunk', `${trunk}${trunk}${abroad}`],
    ['doubled national prefix', `${trunk}${national}`],
    ['lost +', `${code}${bare}`],
    ['lost + spaces', `${code} ${abroad}`],
    ['lost + trunk', `${code} ${trunk}${abroad}`],
    ['0 and code', `0${code}${bare}`],
    ['1 and number', `1${bare}`],
  ];
  return [
    ...plus.map(([kind, text]): Spelling => ({ kind, text, says: number })),
    ...out,
    ...inside.map(([kind, text]): Spelling => ({ kind, text })),
  ];
}

/** E.164: what a text may mean in a country; nothing where nobody can say. */
export function meanings({ text, says }: Spelling, reader: CountryCode): string[] {
  if (says !== undefined) return [says];
  const digits = text.replace(/\D/g, '');
  // Whatever it was meant to be, that is what is dialled.
  const exits = ['00', ...exitCodesFrom(reader)].filter((exit) => digits.startsWith(exit));
  if (exits.length > 0) return exits.map((exit) => `+${digits.slice(exit.length)}`);
  try {
    const found = oracle.parse(text, reader);
    const number = oracle.format(found, PhoneNumberFormat.E164);
    if (oracle.isValidNumber(found)) return [number];
    // Nobody's number: with its national prefix, or without.
    const trunk = trunkOf(reader);
    const bare = digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
    return [number, `+${getCountryCallingCode(reader)}${bare}`];
  } catch {
    return [];
  }
}

/** Whether the text is how such a number is written in the country, or to it: it should be understood. */
export function isHonest({ kind, says }: Spelling, example: Example, reader: CountryCode): boolean {
  if (says !== undefined) return !kind.startsWith('011') || exitCodesFrom(reader).includes('011');
  return example.country === reader && ['national', 'national digits', 'without trunk'].includes(kind);
}

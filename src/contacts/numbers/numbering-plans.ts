/**
 * The numbering plans of libphonenumber, compiled once per country. A regular expression takes a tenth of a microsecond where
 * the library takes several, and the plans contain facts that the library's functions do not return.
 */
import { Metadata, type NumberingPlan as PublicPlan, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { remembered } from '../../text/remembered.ts';

/** The library's metadata of a country; its type declarations lack these methods. */
export interface RawPlan extends PublicPlan {
  callingCode(): string;
  nationalNumberPattern(): string;
  type(name: string): { pattern(): string; possibleLengths(): number[] } | undefined;
  /** Empty, undefined or 0 if the country has none. */
  nationalPrefix(): string | 0 | undefined;
  nationalPrefixForParsing(): string | 0 | undefined;
  formats(): Format[];
}

interface Format {
  pattern(): string;
  leadingDigitsPatterns(): string[];
  nationalPrefixIsMandatoryWhenFormattingInNationalFormat(): boolean;
}

interface Plans {
  numberingPlan: RawPlan;
  selectNumberingPlan(country: string): void;
  getCountryCodesForCallingCode(code: string): string[] | undefined;
}

const LONGEST_CALLING_CODE = 3;

/** `country` is the ISO code of a country that the library knows. */
export const planOf = remembered(compile);

const metadata = new Metadata() as unknown as Plans;

export function rawPlan(country: string): RawPlan {
  metadata.selectNumberingPlan(country);
  return metadata.numberingPlan;
}

export type NumberingPlan = ReturnType<typeof compile>;

function compile(country: string) {
  const plan = rawPlan(country);
  const prefixes = plan.nationalPrefixForParsing();
  const leading = plan.leadingDigits();
  return {
    country,
    callingCode: plan.callingCode(),
    /** Where countries share a calling code: what begins with these digits belongs to this country or is not assigned. */
    leadingDigits: leading ? beginning(leading) : undefined,
    /** Matches what is assigned: a national number of some type, such as mobile or fixed line. */
    numbers: numbersOfTypes(plan, TYPES),
    /** What is dialled before a number inside the country, such as 0; may be empty. */
    nationalPrefix: String(plan.nationalPrefix() || ''),
    /** Matches digits of the shape of the country's national numbers, assigned or not. */
    shape: entirely(plan.nationalNumberPattern()),
    /** How many digits a national number may have. */
    lengths: plan.possibleLengths(),
    /** The first matches exactly an exit code of the country, the second digits that begin with one. */
    exitCode: entirely(plan.IDDPrefix()),
    exitCodeFirst: beginning(plan.IDDPrefix()),
    /** Undefined if there is only one exit code, or none is more usual than the others. */
    usualExitCode: plan.defaultIDDPrefix() || undefined,
    /** Matches what may precede the national number: the national prefix, and codes of carriers. */
    prefixes: prefixes ? beginning(prefixes) : undefined,
    /** The formats of national numbers, and whether each is written with the national prefix. */
    formats: plan.formats().map((format) => ({
      leadingDigits: beginning(format.leadingDigitsPatterns().at(-1) ?? ''),
      shape: entirely(format.pattern()),
      needsPrefix: format.nationalPrefixIsMandatoryWhenFormattingInNationalFormat(),
    })),
  };
}

function entirely(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

function beginning(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`);
}

/** Whether an E.164 number is assigned, dialled exactly as written. */
export function isAssigned(e164: string): boolean {
  const callingCode = callingCodeOf(e164);
  return callingCode !== undefined && isAssignedIn(callingCode, e164.slice(1 + callingCode.length));
}

/** The calling code of an E.164 number; undefined if no country has it. */
export function callingCodeOf(e164: string): string | undefined {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const callingCode = e164.slice(1, 1 + length);
    if (plansOf(callingCode).length > 0) return callingCode;
  }
  return undefined;
}

/** The ISO codes of the countries that share a calling code, in the library's order; empty if it is none of a country. */
export function countriesOf(callingCode: string): readonly string[] {
  return metadata.getCountryCodesForCallingCode(callingCode) ?? [];
}

/** Whether some country of the calling code has assigned the national number. */
export function isAssignedIn(callingCode: string, nationalNumber: string): boolean {
  for (const { leadingDigits, numbers } of plansOf(callingCode)) {
    if (leadingDigits?.test(nationalNumber)) return numbers.test(nationalNumber);
    if (leadingDigits === undefined && numbers.test(nationalNumber)) return true;
  }
  return false;
}

/** The country that an E.164 number belongs to, or the first of those that share its calling code. */
export function mainCountryOf(e164: string): string | undefined {
  const callingCode = callingCodeOf(e164);
  return callingCode === undefined ? undefined : countriesOf(callingCode)[0];
}

/** The plans of the countries that share a calling code, in the library's order; empty for a code that no country has. */
export const plansOf = remembered((callingCode: string) => countriesOf(callingCode).map(planOf));

const TYPES = 'FIXED_LINE MOBILE PREMIUM_RATE TOLL_FREE SHARED_COST VOIP PERSONAL_NUMBER PAGER UAN VOICEMAIL'.split(
  ' ',
);

const NEVER = /(?!)/;

/** Matches the country's national numbers of these types of the library. */
export function numbersOfTypes(plan: RawPlan, types: readonly string[]): RegExp {
  const patterns = types.flatMap((name) => {
    const type = plan.type(name);
    if (!type?.pattern()) return [];
    const lengths = type.possibleLengths().map((length) => `\\d{${length}}`);
    return [`(?=(?:${lengths.join('|')})$)(?:${type.pattern()})`];
  });
  return new RegExp(`^(?=(?:${plan.nationalNumberPattern()})$)(?:${patterns.join('|') || NEVER.source})$`);
}

/**
 * The national prefix, such as 0, if the number needs it and `digits` lack it; undefined if nothing is missing or the country
 * has no prefix.
 */
export function nationalPrefixMissing(
  digits: string,
  nationalNumber: string,
  { nationalPrefix, formats }: NumberingPlan,
): string | undefined {
  if (nationalPrefix === '' || digits.startsWith(nationalPrefix)) return undefined;
  const format = formats.find(
    ({ leadingDigits, shape }) => leadingDigits.test(nationalNumber) && shape.test(nationalNumber),
  );
  return format?.needsPrefix ? nationalPrefix : undefined;
}

/**
 * Whether an E.164 number is premium-rate, so that its owner earns from each call. The library decides, and is used only if the
 * plan does not exclude it.
 */
export function isPremium(e164: string): boolean {
  const callingCode = callingCodeOf(e164);
  if (callingCode !== undefined && !premiumShape(callingCode).test(e164.slice(1 + callingCode.length))) return false;
  return parsePhoneNumberFromString(e164, { extract: false })?.getType() === 'PREMIUM_RATE';
}

/** The shape of premium-rate numbers in any of the countries of a calling code. */
const premiumShape = remembered((callingCode: string) => {
  const patterns = countriesOf(callingCode).flatMap((code) => rawPlan(code).type('PREMIUM_RATE')?.pattern() || []);
  return entirely([...new Set(patterns)].join('|') || NEVER.source);
});

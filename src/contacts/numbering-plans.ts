/**
 * The numbering plans of libphonenumber, asked directly: one regular expression a country says in a tenth of a microsecond
 * what the library takes some microseconds for, and what its functions do not tell.
 */
import { Metadata } from 'libphonenumber-js/max';

/** What the library's metadata says of a country; its own type declarations leave these methods out. */
interface NumberingPlan {
  /** Empty, undefined or 0 where the country has none. */
  leadingDigits(): string | 0 | undefined;
  nationalNumberPattern(): string;
  type(name: string): { pattern(): string; possibleLengths(): number[] } | undefined;
  nationalPrefix(): string | 0 | undefined;
  formats(): Format[];
}

interface Format {
  pattern(): string;
  leadingDigitsPatterns(): string[];
  nationalPrefixIsMandatoryWhenFormattingInNationalFormat(): boolean;
}

interface Plans {
  numberingPlan: NumberingPlan;
  selectNumberingPlan(country: string): void;
  getCountryCodesForCallingCode(code: string): string[] | undefined;
}

const TYPES = 'FIXED_LINE MOBILE PREMIUM_RATE TOLL_FREE SHARED_COST VOIP PERSONAL_NUMBER PAGER UAN VOICEMAIL'.split(
  ' ',
);

/** By calling code: what the national numbers of its main country look like, or null where there is no such code. */
const patterns = new Map<string, RegExp | null>();
const LONGEST_CALLING_CODE = 3;

/** Whether an E.164 number is assigned. True is sure; false is not, where several countries share a calling code. */
export function mainPlanHas(number: string): boolean {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const pattern = mainPattern(number.slice(1, 1 + length));
    if (pattern !== null) return pattern.test(number.slice(1 + length));
  }
  return false;
}

function mainPattern(callingCode: string): RegExp | null {
  const known = patterns.get(callingCode);
  if (known !== undefined) return known;
  const plans = new Metadata() as unknown as Plans;
  const country = plans.getCountryCodesForCallingCode(callingCode)?.[0];
  const pattern = country === undefined ? null : nationalNumbers(planOf(country));
  patterns.set(callingCode, pattern);
  return pattern;
}

/** A number must look like one of the country, and like one of some type: mobile, fixed line and so on. */
function nationalNumbers(plan: NumberingPlan): RegExp {
  const types = TYPES.flatMap((name) => {
    const type = plan.type(name);
    if (!type?.pattern()) return [];
    const lengths = type.possibleLengths().map((length) => `\\d{${length}}`);
    return [`(?=(?:${lengths.join('|')})$)(?:${type.pattern()})`];
  });
  const leading = plan.leadingDigits() || '';
  return new RegExp(`^(?=(?:${leading}))(?=(?:${plan.nationalNumberPattern()})$)(?:${types.join('|')})$`);
}

/** Whether a national number has the shape of the country's, be it assigned or not. */
export function looksLikeNational(nationalNumber: string, country: string): boolean {
  return entirely(planOf(country).nationalNumberPattern()).test(nationalNumber);
}

/**
 * The prefix that a number is dialled with inside its country, such as 0, where `text` begins neither with it nor with the
 * zeros that lead abroad; undefined where nothing is missing, or the country does without.
 */
export function nationalPrefixMissing(text: string, nationalNumber: string, country: string): string | undefined {
  const plan = planOf(country);
  const prefix = String(plan.nationalPrefix() || '');
  if (prefix === '' || text.replace(/\D/g, '').startsWith(prefix)) return undefined;
  const format = plan
    .formats()
    .find(
      (candidate) =>
        new RegExp(`^(?:${candidate.leadingDigitsPatterns().at(-1) ?? ''})`).test(nationalNumber) &&
        entirely(candidate.pattern()).test(nationalNumber),
    );
  return format?.nationalPrefixIsMandatoryWhenFormattingInNationalFormat() ? prefix : undefined;
}

const plansByCountry = new Map<string, NumberingPlan>();

function planOf(country: string): NumberingPlan {
  const known = plansByCountry.get(country);
  if (known !== undefined) return known;
  const plans = new Metadata() as unknown as Plans;
  plans.selectNumberingPlan(country);
  plansByCountry.set(country, plans.numberingPlan);
  return plans.numberingPlan;
}

function entirely(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

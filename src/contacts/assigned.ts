/**
 * Whether a number can be assigned to anybody, by the numbering plans of libphonenumber. The library takes some
 * microseconds a number; one regular expression a country says yes in a tenth of that, and only where it does not is the
 * library asked.
 */
import { Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** `number` is E.164. One that the library would change first, taking out a trunk 0, is not assigned as it stands. */
export function isAssigned(number: string): boolean {
  if (matchesMainPlan(number)) return true;
  const found = parsePhoneNumberFromString(number, { extract: false });
  return found?.number === number && found.isValid();
}

/** What the library's metadata says of a country; its own type declarations leave these methods out. */
interface NumberingPlan {
  /** Empty, undefined or 0 where the country has none. */
  leadingDigits(): string | 0 | undefined;
  nationalNumberPattern(): string;
  type(name: string): { pattern(): string; possibleLengths(): number[] } | undefined;
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

/** True is sure; false is not, where several countries share a calling code. */
function matchesMainPlan(number: string): boolean {
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
  let pattern: RegExp | null = null;
  if (country !== undefined) {
    plans.selectNumberingPlan(country);
    pattern = nationalNumbers(plans.numberingPlan);
  }
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

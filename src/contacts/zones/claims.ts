/** Which countries a number may be of, and whether its digits tell where in the country it is, by the numbering plans. */
import { countriesOf, numbersOfTypes, rawPlan } from '../numbers/numbering-plans.ts';

export interface Claims {
  /** ISO codes, the one that the library decides for first. Empty if the number is assigned in none. */
  countries: readonly string[];
  /** Whether it is of an area: a fixed line and nothing else, or a mobile number of a plan where these have area codes. */
  isOfArea: boolean;
  /** Whether it is, or may be, a mobile of an area: its area code tells, and no digit after it does. */
  isMobileOfArea: boolean;
}

/**
 * Calling codes of countries whose mobile numbers have area codes: North America, Mexico, Argentina, Brazil. Google's list also has
 * China and, in some of its forms, Indonesia. These are left out: China's map has a single zone for a country that lives by two
 * clocks, and in Indonesia it holds only for some mobile numbers, while the map has Jakarta for all.
 */
const MOBILES_HAVE_AREAS = ['1', '52', '54', '55'];

/** They come before fixed lines where a number has the shape of both, as in Google's library. */
const WITHOUT_PLACE = 'PREMIUM_RATE TOLL_FREE SHARED_COST VOIP PERSONAL_NUMBER PAGER UAN VOICEMAIL'.split(' ');

interface Claimant {
  country: string;
  leadingDigits: RegExp | undefined;
  withoutPlace: RegExp;
  fixedLine: RegExp;
  mobile: RegExp;
}

const claimants = new Map<string, readonly Claimant[]>();

/** The claims to a national number of a calling code. */
export function claimsTo(callingCode: string, nationalNumber: string): Claims {
  const countries: string[] = [];
  let [isOfArea, isMobileOfArea] = [false, false];
  for (const { country, leadingDigits, withoutPlace, fixedLine, mobile } of claimantsOf(callingCode)) {
    if (leadingDigits !== undefined && !leadingDigits.test(nationalNumber)) continue;
    const isWithoutPlace = withoutPlace.test(nationalNumber);
    const isFixedLine = !isWithoutPlace && fixedLine.test(nationalNumber);
    if (!isWithoutPlace && !isFixedLine && !mobile.test(nationalNumber)) continue;
    if (countries.push(country) > 1) continue;
    const isMobile = !isWithoutPlace && mobile.test(nationalNumber);
    isMobileOfArea = isMobile && MOBILES_HAVE_AREAS.includes(callingCode);
    // In Chile and Micronesia one pattern is for both: a mobile is carried anywhere.
    isOfArea = isMobileOfArea || (isFixedLine && !isMobile);
  }
  return { countries, isOfArea, isMobileOfArea };
}

function claimantsOf(callingCode: string): readonly Claimant[] {
  let found = claimants.get(callingCode);
  if (found === undefined) {
    const countries = countriesOf(callingCode);
    found = countries.map((country) => claimantOf(country));
    claimants.set(callingCode, found);
  }
  return found;
}

function claimantOf(country: string): Claimant {
  const plan = rawPlan(country);
  const leading = plan.leadingDigits();
  return {
    country,
    leadingDigits: leading ? new RegExp(`^(?:${leading})`) : undefined,
    withoutPlace: numbersOfTypes(plan, WITHOUT_PLACE),
    fixedLine: numbersOfTypes(plan, ['FIXED_LINE']),
    mobile: numbersOfTypes(plan, ['MOBILE']),
  };
}

/** Which countries a number may be of, and whether its digits tell where in the country it is, by the numbering plans. */
import { remembered } from '../../text/remembered.ts';
import { numbersOfTypes, plansOf, rawPlan } from '../numbers/numbering-plans.ts';

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

const claimantsOf = remembered((callingCode: string) =>
  plansOf(callingCode).map(({ country, leadingDigits }) => {
    const plan = rawPlan(country);
    return {
      country,
      leadingDigits,
      withoutPlace: numbersOfTypes(plan, WITHOUT_PLACE),
      fixedLine: numbersOfTypes(plan, ['FIXED_LINE']),
      mobile: numbersOfTypes(plan, ['MOBILE']),
    };
  }),
);

export const NORTH_AMERICA = '1';

/** Shorter numbers, such as those of 310 in Canada, are of no area, though they begin like one. */
const AMERICAN = /^\+1(\d{3})\d{7}$/;

/**
 * The country of an area code of North America, where mobiles have no other numbers than fixed lines; undefined if it is of no
 * area, such as that of toll-free numbers. `e164` begins with +1.
 */
export function countryOfArea(e164: string): string | undefined {
  const [, area] = AMERICAN.exec(e164) ?? [];
  return area === undefined ? undefined : countryWithArea(area);
}

/** Any number of the area tells, so the first that is assigned is looked for. */
const countryWithArea = remembered((area: string): string | undefined => {
  for (let exchange = 200; exchange <= 999; exchange++) {
    const { countries, isOfArea } = claimsTo(NORTH_AMERICA, `${area}${exchange}0000`);
    if (isOfArea) return countries[0];
  }
  return undefined;
});

/** Area codes of the North American plan, where a country has areas of its own and mobiles have no other numbers than fixed lines. */
import { claimsTo } from './claims.ts';

export const NORTH_AMERICA = '1';

/** Shorter numbers, such as those of 310 in Canada, are of no area, though they begin like one. */
const NUMBER = /^\+1\d{10}$/;
const AREA_DIGITS = 3;
const countries = new Map<string, string | undefined>();

/** The country of an area code; undefined if it is of no area, such as that of toll-free numbers. `e164` begins with +1. */
export function countryOfArea(e164: string): string | undefined {
  if (!NUMBER.test(e164)) return undefined;
  const area = e164.slice(2, 2 + AREA_DIGITS);
  if (!countries.has(area)) countries.set(area, findCountry(area));
  return countries.get(area);
}

/** Any number of the area tells, so the first that is assigned is looked for. */
function findCountry(area: string): string | undefined {
  for (let exchange = 200; exchange <= 999; exchange++) {
    const { countries, isOfArea } = claimsTo(NORTH_AMERICA, `${area}${exchange}0000`);
    if (isOfArea) return countries[0];
  }
  return undefined;
}

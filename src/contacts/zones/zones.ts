/**
 * The time zones in which a number may be, from its digits alone:
 *
 * - A number of an area has the zones that Google's map, corrected, has for its longest prefix, and, where its area has longer
 *   prefixes in other zones, those too. Of a mobile only the area code counts.
 * - Any other number, such as what is or may be a mobile, may be in each zone of its country, or of its countries if several claim
 *   it.
 * - Some are used beyond the country in whose plan they are: these may be there too.
 * - Numbers of no country have none (+800), and neither have those of North America without an area (+1 800), which 25 countries
 *   share from Saipan to Newfoundland.
 */
import { callingCodeOf, countriesOf } from '../numbers/numbering-plans.ts';
import { areaCodeDigits } from './area-codes.ts';
import { zonesBeyond } from './beyond.ts';
import { claimsTo } from './claims.ts';
import { sortedNames, zonesOfCountry } from './country-zones.ts';
import { countryOfArea, NORTH_AMERICA } from './north-america.ts';
import { type Area, areaOf, hasLongerPrefix } from './prefixes.ts';
import { clocksInstead, withOtherClocks } from './stand-ins.ts';

/** The same object for the same zones and country. */
export interface Whereabouts {
  /** IANA names as Intl has them, sorted; empty if nobody can say. */
  zones: readonly string[];
  /** ISO 3166 code; null if it has none, or if nobody can say. */
  country: string | null;
}

const NOWHERE: Whereabouts = { zones: [], country: null };

const byZones = new Map<string, Whereabouts>();
/** By calling code: where every number of it may be, if no digits after it tell more. */
const ofCallingCode = new Map<string, Whereabouts | undefined>();
/** By area, then by the countries that claim the number. */
const ofAreas = new Map<Area, Map<string, Whereabouts>>();

/** IANA zones in which an E.164 number may be, sorted; empty if nobody can say. */
export function zonesOf(e164: string): readonly string[] {
  return whereaboutsOf(e164).zones;
}

/** ISO 3166 code; undefined if the number has no country, or if nobody can say. */
export function countryOf(e164: string): string | undefined {
  return whereaboutsOf(e164).country ?? undefined;
}

/** The same for the same country, wherever its numbers are. */
export function whereaboutsOf(e164: string): Whereabouts {
  const callingCode = callingCodeOf(e164);
  if (callingCode === undefined) return NOWHERE;
  if (callingCode === NORTH_AMERICA) return inNorthAmerica(e164);
  const nationalNumber = e164.slice(1 + callingCode.length);
  const place = byPlan(e164, callingCode, nationalNumber);
  const further = zonesBeyond(callingCode, nationalNumber);
  return further.length === 0 ? place : whereabouts(sortedNames([...place.zones, ...further]), place.country);
}

/** By the numbering plans of the countries of a calling code, and the map. */
function byPlan(e164: string, callingCode: string, nationalNumber: string): Whereabouts {
  const only = ofWholeCode(callingCode);
  if (only !== undefined) return only;
  const { countries, isOfArea, isMobileOfArea } = claimsTo(callingCode, nationalNumber);
  if (countries.length === 0) return unassigned(callingCode);
  const told = isMobileOfArea ? e164.slice(0, 1 + areaCodeDigits(callingCode)) : e164;
  const area = isOfArea ? areaOf(told) : undefined;
  const isPlaced = area !== undefined && area.digits > callingCode.length;
  return isPlaced ? ofArea(area, countries, callingCode) : anywhereIn(countries, callingCode);
}

/** Whereabouts of these zones, which Intl knows. */
export function whereabouts(zones: readonly string[], country: string | null): Whereabouts {
  const key = `${country} ${zones.join()}`;
  let known = byZones.get(key);
  if (known === undefined) {
    known = { zones, country };
    byZones.set(key, known);
  }
  return known;
}

function ofWholeCode(callingCode: string): Whereabouts | undefined {
  if (!ofCallingCode.has(callingCode)) {
    const countries = countriesOf(callingCode);
    const [country = '', ...others] = countries;
    const tellsNoMore = zonesOfCountry(country, callingCode).length === 1 || !hasLongerPrefix(callingCode);
    const isWhole = others.length === 0 && tellsNoMore;
    ofCallingCode.set(callingCode, isWhole ? anywhereIn(countries, callingCode) : undefined);
  }
  return ofCallingCode.get(callingCode);
}

/** Its area code decides, whatever follows: a number that is not assigned yet is in the same place. */
function inNorthAmerica(e164: string): Whereabouts {
  const country = countryOfArea(e164);
  if (country === undefined) return NOWHERE;
  const area = areaOf(e164);
  const isPlaced = area !== undefined && area.digits > NORTH_AMERICA.length;
  return isPlaced ? ofArea(area, [country], NORTH_AMERICA) : anywhereIn([country], NORTH_AMERICA);
}

/** Nobody knows of what kind the number is, nor of which country, if several share the code. */
function unassigned(callingCode: string): Whereabouts {
  const countries = countriesOf(callingCode);
  const { zones } = anywhereIn(countries, callingCode);
  return whereabouts(zones, countries.length === 1 ? (countries[0] as string) : null);
}

function ofArea(area: Area, countries: readonly string[], callingCode: string): Whereabouts {
  let known = ofAreas.get(area);
  if (known === undefined) {
    known = new Map();
    ofAreas.set(area, known);
  }
  const key = countries.length === 1 ? (countries[0] as string) : countries.join();
  let found = known.get(key);
  if (found === undefined) {
    const own = anywhereIn(countries, callingCode).zones;
    const around = anywhereIn(countriesOf(callingCode), callingCode).zones;
    const zones = clocksInstead(withOtherClocks(sortedNames(area.zones), sortedNames(area.others), own), own, around);
    found = whereabouts(zones, countries[0] as string);
    known.set(key, found);
  }
  return found;
}

const anywhere = new Map<string, Whereabouts>();

function anywhereIn(countries: readonly string[], callingCode: string): Whereabouts {
  const key = countries.length === 1 ? (countries[0] as string) : countries.join();
  let found = anywhere.get(key);
  if (found === undefined) {
    const zones = sortedNames(countries.flatMap((country) => zonesOfCountry(country, callingCode)));
    found = whereabouts(zones, countries[0] as string);
    anywhere.set(key, found);
  }
  return found;
}

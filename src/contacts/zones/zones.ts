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
import { remembered } from '../../text/remembered.ts';
import { canonicalName, listedZones, zoneClock } from '../../text/zone-clock.ts';
import { callingCodeOf, countriesOf, planOf } from '../numbers/numbering-plans.ts';
import { claimsTo, countryOfArea, NORTH_AMERICA } from './claims.ts';
import { areaCodeDigits, zonesBeyond } from './corrections.ts';
import { type Area, areaOf, hasLongerPrefix, longestPrefix } from './prefixes.ts';

/** The same object for the same zones and country. */
export interface Whereabouts {
  /** IANA names as Intl has them, sorted; empty if nobody can say. */
  zones: readonly string[];
  /** ISO 3166 code; null if it has none, or if nobody can say. */
  country: string | null;
}

const NOWHERE: Whereabouts = { zones: [], country: null };

/** Where an E.164 number may be. */
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
  return isPlaced ? ofArea(area)(countries.join()) : anywhereIn(countries);
}

const known = new Map<string, Whereabouts>();

/** Whereabouts of these zones, which Intl knows. */
export function whereabouts(zones: readonly string[], country: string | null): Whereabouts {
  const key = `${country} ${zones.join()}`;
  const place = known.get(key) ?? { zones, country };
  known.set(key, place);
  return place;
}

/** Where every number of a calling code may be, if no digits after it tell more. */
const ofWholeCode = remembered((callingCode: string): Whereabouts | undefined => {
  const countries = countriesOf(callingCode);
  const [country = '', ...others] = countries;
  const tellsNoMore = zonesOfCountry(country).length === 1 || !hasLongerPrefix(callingCode);
  return others.length === 0 && tellsNoMore ? anywhereIn(countries) : undefined;
});

/** Its area code decides, whatever follows: a number that is not assigned yet is in the same place. */
function inNorthAmerica(e164: string): Whereabouts {
  const country = countryOfArea(e164);
  if (country === undefined) return NOWHERE;
  const area = areaOf(e164);
  const isPlaced = area !== undefined && area.digits > NORTH_AMERICA.length;
  return isPlaced ? ofArea(area)(country) : anywhereIn([country]);
}

/** Nobody knows of what kind the number is, nor of which country, if several share the code. */
function unassigned(callingCode: string): Whereabouts {
  const countries = countriesOf(callingCode);
  const { zones } = anywhereIn(countries);
  return whereabouts(zones, countries.length === 1 ? (countries[0] as string) : null);
}

/** By area, then by the countries that claim the number, the one that the library decides for first. */
const ofArea = remembered((area: Area) =>
  remembered((claimed: string): Whereabouts => {
    const countries = claimed.split(',');
    const [country = ''] = countries;
    const own = anywhereIn(countries).zones;
    const around = anywhereIn(countriesOf(planOf(country).callingCode)).zones;
    const zones = clocksInstead(withOtherClocks(sortedNames(area.zones), sortedNames(area.others), own), own, around);
    return whereabouts(zones, country);
  }),
);

function anywhereIn(countries: readonly string[]): Whereabouts {
  return anywhereInAll(countries.join());
}

const anywhereInAll = remembered((joined: string): Whereabouts => {
  const countries = joined.split(',');
  return whereabouts(sortedNames(countries.flatMap(zonesOfCountry)), countries[0] as string);
});

/**
 * Sorted. Of three territories that Intl does not know (Ascension, Tristan da Cunha, Kosovo), what the map has for their calling
 * code.
 */
export const zonesOfCountry = remembered((country: string): readonly string[] => {
  const known = listedZones(country);
  return sortedNames(known.length > 0 ? known : (longestPrefix(`+${planOf(country).callingCode}`)?.zones ?? []));
});

/** Without repetition, by the names that Intl has. */
function sortedNames(list: Iterable<string>): readonly string[] {
  return [...new Set([...list].map(canonicalName))].sort();
}

// Zones of other countries --------------------------------------------------------------------------------------------

/** The dates on which clocks are compared: winter and summer, wherever that is. */
const COMPARED = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/**
 * The map calls some areas by a zone of another country that keeps, or kept, the same time: Kaliningrad by Europe/Bucharest. That
 * zone may change its clocks when the area does not, so zones of the area's own country stand in its place.
 *
 * `zones`, with all zones of `own` that share a clock, in winter or in summer, instead of those that are not among these. A zone of
 * `around`, the countries with the same calling code, may be right, and stays beside them.
 */
function clocksInstead(zones: readonly string[], own: readonly string[], around: readonly string[]): readonly string[] {
  if (zones.every((zone) => own.includes(zone))) return zones;
  const found = zones.flatMap((zone) => [
    ...(own.includes(zone) ? [] : own.filter((other) => sharesClock(other, zone))),
    ...(around.includes(zone) ? [zone] : []),
  ]);
  return found.length === 0 ? own : [...new Set(found)].sort();
}

/**
 * `zones` and `others`, but of zones beyond `own` none that shows the same time as one of `zones` all year: Guernsey does not
 * make a number of London doubtful.
 */
function withOtherClocks(
  zones: readonly string[],
  others: readonly string[],
  own: readonly string[],
): readonly string[] {
  const clocks = zones.map((zone) => offsetsOf(zone).join());
  const added = others.filter((zone) => own.includes(zone) || !clocks.includes(offsetsOf(zone).join()));
  return [...new Set([...zones, ...added])].sort();
}

function sharesClock(one: string, other: string): boolean {
  const others = offsetsOf(other);
  return offsetsOf(one).some((offset) => others.includes(offset));
}

const offsetsOf = remembered((zone: string) => COMPARED.map((at) => zoneClock(zone).offset(at)));

/** For whom a day of --skip-dates holds: for everybody, or for all who are, or may be, in its country. */
import { canonicalName, listedZones } from '../text/country-zones.ts';
import type { Place } from './plan.ts';
import { type PlanRules, ZONE_OF_CONTACT } from './rules.ts';

type SkipRules = Pick<PlanRules, 'zone' | 'skipDates'>;

const zonesOf = new Map<string, ReadonlySet<string>>();

/** The dates on which nobody at the place is called, sorted. */
export function skippedAt({ zone, skipDates }: SkipRules, place: Place): string[] {
  const dates = skipDates
    .filter(({ country }) => country === undefined || mayBeIn(country, place, zone))
    .map(({ date }) => date);
  return [...new Set(dates)].sort();
}

/** The countries of dates that hold for none of the places. */
export function countriesOfNobody({ zone, skipDates }: SkipRules, places: readonly Place[]): string[] {
  const named = new Set(skipDates.flatMap(({ country }) => (country === undefined ? [] : [country])));
  return [...named].filter((country) => !places.some((place) => mayBeIn(country, place, zone)));
}

/**
 * By the number, or by a zone. A number of no country, such as a toll-free one, may be anywhere unless its own zone tells more: one
 * zone that holds for all says nothing of where it is.
 */
function mayBeIn(country: string, { country: own, zones }: Place, zone: string): boolean {
  if (own === country || zones.some((name) => zonesOfCountry(country).has(name))) return true;
  return own === null && (zone !== ZONE_OF_CONTACT || zones.every(isOfNoCountry));
}

function zonesOfCountry(country: string): ReadonlySet<string> {
  let found = zonesOf.get(country);
  if (found === undefined) {
    found = new Set(listedZones(country).map(canonicalName));
    zonesOf.set(country, found);
  }
  return found;
}

/** Zones such as UTC, Etc/GMT+5 and EST5EDT. */
function isOfNoCountry(zone: string): boolean {
  return !zone.includes('/') || zone.startsWith('Etc/');
}

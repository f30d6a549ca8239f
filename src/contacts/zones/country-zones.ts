/** The time zones of a country, also of those that Intl does not know. */
import { canonicalName, listedZones } from '../../text/country-zones.ts';
import { longestPrefix } from './prefixes.ts';

const zones = new Map<string, readonly string[]>();

/**
 * Sorted. Of three territories that Intl does not know (Ascension, Tristan da Cunha, Kosovo), what the map has for their calling
 * code.
 */
export function zonesOfCountry(country: string, callingCode: string): readonly string[] {
  let found = zones.get(country);
  if (found === undefined) {
    const known = listedZones(country);
    found = sortedNames(known.length > 0 ? known : (longestPrefix(`+${callingCode}`)?.zones ?? []));
    zones.set(country, found);
  }
  return found;
}

/** Without repetition. */
export function sortedNames(list: Iterable<string>): readonly string[] {
  return [...new Set([...list].map(canonicalName))].sort();
}

/** The time zones of a country, and the names by which this runtime knows them. */
import { longestPrefix } from './prefixes.ts';

/** Newer runtimes have a method where older ones have a property; the types know neither. */
interface LocaleWithZones {
  timeZones?: readonly string[];
  getTimeZones?(): readonly string[] | undefined;
}

const names = new Map<string, string>();
const zones = new Map<string, readonly string[]>();

/** The name under which Intl has a zone of the IANA database; it is one that Temporal knows too. */
export function canonicalName(zone: string): string {
  let name = names.get(zone);
  if (name === undefined) {
    name = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    names.set(zone, name);
  }
  return name;
}

/**
 * Sorted. Of three territories that Intl does not know (Ascension, Tristan da Cunha, Kosovo), what the map has for their calling
 * code.
 */
export function zonesOfCountry(country: string, callingCode: string): readonly string[] {
  let found = zones.get(country);
  if (found === undefined) {
    const locale = new Intl.Locale(`und-${country}`) as LocaleWithZones;
    const known = locale.getTimeZones?.() ?? locale.timeZones ?? [];
    found = sortedNames(known.length > 0 ? known : (longestPrefix(`+${callingCode}`)?.zones ?? []));
    zones.set(country, found);
  }
  return found;
}

/** Without repetition. */
export function sortedNames(list: Iterable<string>): readonly string[] {
  return [...new Set([...list].map(canonicalName))].sort();
}

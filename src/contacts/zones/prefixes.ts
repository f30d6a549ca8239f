/** The time zones that Google's map has for the longest prefix of a number. */
import { PREFIX_MAP } from './prefix-map.ts';

/** What the map has for a number. */
export interface Prefix {
  /** Its digits, the calling code included. */
  digits: number;
  /** As the map names them; not all are in the number's country, see `whereabouts.ts`. */
  zones: readonly string[];
}

const DIGITS = 10;
const ZERO = 48;

/** A node has a child for each digit, 0 if there is none, and 1 plus the index of an entry of `found`, 0 if no prefix ends there. */
let children = new Uint16Array(0);
let entries = new Uint16Array(0);
const found: Prefix[] = [];

/** Undefined if the map does not have the calling code. */
export function longestPrefix(e164: string): Prefix | undefined {
  if (found.length === 0) readMap();
  let node = 0;
  let entry = 0;
  for (let at = 1; at < e164.length; at++) {
    node = children[node * DIGITS + e164.charCodeAt(at) - ZERO] as number;
    if (node === 0) break;
    entry = (entries[node] as number) || entry;
  }
  return found[entry - 1];
}

/** Whether the map has prefixes that are longer than these digits and begin with them. */
export function hasLongerPrefix(digits: string): boolean {
  if (found.length === 0) readMap();
  let node = 0;
  for (let at = 0; at < digits.length; at++) {
    node = children[node * DIGITS + digits.charCodeAt(at) - ZERO] as number;
    if (node === 0) return false;
  }
  return children.subarray(node * DIGITS, (node + 1) * DIGITS).some((child) => child !== 0);
}

function readMap(): void {
  const lines = PREFIX_MAP.trimEnd().split('\n');
  // More than there are nodes: each prefix needs at most one for each of its digits.
  children = new Uint16Array(PREFIX_MAP.length * DIGITS);
  entries = new Uint16Array(PREFIX_MAP.length);
  let nodes = 1;
  for (const line of lines) {
    const [names = '', ...prefixes] = line.split(' ');
    const zones = names.split('&');
    /** By the number of digits. */
    const ofLength = new Map<number, number>();
    for (const prefix of prefixes) {
      let node = 0;
      for (let at = 0; at < prefix.length; at++) {
        const child = node * DIGITS + prefix.charCodeAt(at) - ZERO;
        if (children[child] === 0) children[child] = nodes++;
        node = children[child] as number;
      }
      if (!ofLength.has(prefix.length)) ofLength.set(prefix.length, found.push({ digits: prefix.length, zones }));
      entries[node] = ofLength.get(prefix.length) as number;
    }
  }
  children = children.slice(0, nodes * DIGITS);
  entries = entries.slice(0, nodes);
}

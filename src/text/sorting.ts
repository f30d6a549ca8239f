/** The order of `--sort`: numbers by size, times by instant, texts by code point; what has no value comes last. */
import { parseInstant } from '../contract.ts';
import { plainText } from './csv.ts';
import { NumberAsWritten } from './json.ts';

/** Numbers come before times, and times before texts. */
type Key = readonly [rank: number, value: number | bigint | string];

const NUMBER = 0;
const TIME = 1;
const TEXT = 2;
const NOTHING = 3;

/** In a list of its own; those that are equal keep their order. */
export function sortedBy<T>(items: readonly T[], fieldOf: (item: T) => unknown, isDescending: boolean): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(fieldOf(item)) }));
  keyed.sort(({ key: one }, { key: other }) => {
    const order = compared(one, other);
    return isDescending && one[0] !== NOTHING && other[0] !== NOTHING ? -order : order;
  });
  return keyed.map(({ item }) => item);
}

function keyOf(value: unknown): Key {
  if (typeof value === 'number') return [NUMBER, value];
  if (value instanceof NumberAsWritten) return [NUMBER, numberIn(value.text)];
  const text = plainText(value);
  if (text === '') return [NOTHING, 0];
  const time = typeof value === 'string' ? parseInstant(value) : undefined;
  // Without its zone, nobody knows which instant is meant.
  return time?.hasOffset ? [TIME, time.epochMs] : [TEXT, text];
}

/** Whole numbers exactly, however large. */
function numberIn(text: string): number | bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

function compared([rank, value]: Key, [otherRank, other]: Key): number {
  if (rank !== otherRank) return rank - otherRank;
  if (typeof value === 'string' || typeof other === 'string') return byCodePoint(String(value), String(other));
  return value < other ? -1 : Number(value > other);
}

/** JavaScript compares UTF-16: 🙂 would come before what has a code point below its own, such as ﬁ. */
function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [unit, otherUnit] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (unit === otherUnit) continue;
    return Number(isSurrogate(unit)) - Number(isSurrogate(otherUnit)) || unit - otherUnit;
  }
  return one.length - other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The name that somebody most likely meant by a word that is none of the known names. Pure. */
import { folded } from '../../text/spelling.ts';

/** Shorter words are too little to go by, unless they differ only in case or in what separates their parts. */
const SHORTEST = 2;

/**
 * The candidate nearest to `word`, or undefined if none is near: one that differs only in case, dashes, underscores or spaces; one
 * letter away; the only one that begins with the word; a few letters away; or one that the word contains, or that contains it.
 * Among equals, the first. Leading dashes of flags do not count.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const meant = folded(word);
  if (meant === '') return undefined;
  const known = candidates.map((name) => ({ name, text: folded(name) })).filter(({ text }) => text !== '');
  const same = known.find(({ text }) => text === meant);
  if (same !== undefined || meant.length < SHORTEST) return same?.name;

  const byDistance = known
    .map(({ name, text }) => ({ name, distance: distance(meant, text), allowed: allowedDistance(meant, text) }))
    .sort((one, other) => one.distance - other.distance);
  const slip = byDistance.find(({ distance, allowed }) => distance <= Math.min(allowed, 1));
  if (slip !== undefined) return slip.name;

  const completions = known.filter(({ text }) => text.startsWith(meant));
  if (completions.length === 1) return completions[0]?.name;

  return byDistance.find(({ distance, allowed }) => distance <= allowed)?.name ?? containedIn(meant, known);
}

/** One letter in three may be wrong; one in a word of three letters, none in a shorter one. */
function allowedDistance(one: string, other: string): number {
  return Math.floor(Math.max(one.length, other.length) / 3);
}

/** `outfile` means `out`. Of several, the longest is meant. */
function containedIn(meant: string, known: readonly { name: string; text: string }[]): string | undefined {
  const length = 3;
  const parts = known.filter(({ text }) => text.length >= length && meant.includes(text));
  const longest = parts.sort((one, other) => other.text.length - one.text.length)[0];
  if (longest !== undefined) return longest.name;
  const wholes = known.filter(({ text }) => meant.length >= length && text.includes(meant));
  return wholes.length === 1 ? wholes[0]?.name : undefined;
}

/** How many letters must be put in, left out, replaced, or swapped with their neighbour (Damerau-Levenshtein). */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (last[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      let least = Math.min(replaced, (last[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1);
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      if (isSwapped) least = Math.min(least, (beforeLast[at - 2] ?? 0) + 1);
      current.push(least);
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}

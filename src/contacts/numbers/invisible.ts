/** Invisible characters around and inside a number, which web pages, documents and address books leave there. */

const PLAIN = /^[\x20-\x7e]*$/;
/** Spaces of other widths, and no-break spaces. */
const SPACE = /(?! )\p{Zs}/gu;
/**
 * Characters without width, and marks of the writing direction. U+202E is excluded: it reverses digits, so that a person
 * reads another number than the file contains.
 */
const NOTHING = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202d\u2060-\u2064\u2066-\u2069\ufeff]+/gu;
const DIGIT = /\p{Nd}/u;

/**
 * The text with plain spaces and without characters of no width, and a description of what was removed, if anything. Such a
 * character between two digits stays, because a digit may be missing there.
 */
export function withoutInvisible(text: string): { visible: string; taken: string | undefined } {
  if (PLAIN.test(text)) return { visible: text, taken: undefined };
  const taken = new Set<string>();
  const take = (characters: string, by: string) => {
    for (const character of characters) taken.add(codePoint(character));
    return by;
  };
  const visible = text
    .replace(SPACE, (space) => take(space, ' '))
    .replace(NOTHING, (nothing, at: number, whole: string) => {
      const isInside = DIGIT.test(whole[at - 1] ?? '') && DIGIT.test(whole[at + nothing.length] ?? '');
      return isInside ? nothing : take(nothing, '');
    });
  return { visible, taken: taken.size === 0 ? undefined : `the invisible ${[...taken].join(' and ')}` };
}

/** `U+00A0` */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

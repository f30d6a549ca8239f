/** What web pages, spreadsheets, address books and keyboards do to phone numbers. */
import { NUMBER_PROBLEMS, type Problem } from '../problems.ts';

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
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Shapes that a spreadsheet gives to numbers, and the damage that each means. */
const SHAPES: readonly [RegExp, string][] = [
  [/^\+?\d+([.,]\d+)?e\+?\d+$/i, 'was put into scientific notation by a spreadsheet, which loses digits'],
  [/\d{3}[.,]0$|^\+?\d{6,}[.,]0+$/, 'was turned into a decimal by a spreadsheet'],
  [/\d{5}[.,]\d{1,2}$|^\d+[.,]\d{1,2}$/, 'is a decimal, not a phone number'],
  [
    /^(\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}([-./])\d{1,2}\3\d{4}|([012]?\d|3[01])([-./])([012]?\d|3[01])\5\d{2})$/,
    'looks like a date, not a phone number',
  ],
  [/^#/, "is a spreadsheet's error, not a number"],
];

/** A character that is invisible, or looks like a digit or sign that can be dialled but is not one; or a damaged shape. */
export function damageOf(text: string): Problem | undefined {
  const [invisible] = /[\p{C}\p{M}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(text) ?? [];
  if (invisible !== undefined) return NUMBER_PROBLEMS.invisible(text, codePoint(invisible));
  const [foreign] = /(?![0-9])\p{Nd}|[\uff01-\uff5e]/u.exec(text) ?? [];
  if (foreign !== undefined) return NUMBER_PROBLEMS.foreign(text, foreign, codePoint(foreign));
  const [, how] = SHAPES.find(([shape]) => shape.test(text)) ?? [];
  return how === undefined ? undefined : NUMBER_PROBLEMS.damaged(text, how);
}

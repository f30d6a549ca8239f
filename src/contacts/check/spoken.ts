/** Checks texts that the agent speaks: their length, and placeholders that were not filled in. */
import { FIRST_LINE_ADVISED_WORDS } from '../../contract.ts';

/** The number of words of a first line if it is more than the service advises; otherwise 0. */
export function wordsBeyondLimit(firstLine: string): number {
  // A text has at least as many characters as words.
  if (firstLine.length <= FIRST_LINE_ADVISED_WORDS) return 0;
  const words = wordsIn(firstLine);
  return words > FIRST_LINE_ADVISED_WORDS ? words : 0;
}

/** Where the scripts without spaces between words begin. */
const FROM_THAI_ON = /[\u0e00-\uffff]/;
let segmenter: Intl.Segmenter | undefined;

function wordsIn(text: string): number {
  const parts = text.trim().split(/\s+/);
  if (!FROM_THAI_ON.test(text)) return parts.length;
  // Made here, because a start of the program would take longer by a millisecond for each such pattern.
  const withoutSpaces =
    /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  return parts.reduce((words, part) => words + (withoutSpaces.test(part) ? segmentsIn(part) : 1), 0);
}

function segmentsIn(text: string): number {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words++;
  return words;
}

/** The first placeholder that was left in a text; undefined if there is none. */
export function placeholderIn(text: string): string | undefined {
  if (!text.includes('{')) return undefined;
  // `{{…}}`, or the beginning of one, or a name in single braces.
  return /\{\{(?:[^{}]*\}\})?|\{\s*(?:\p{L}[\p{L}\p{M}\p{N}_ .]{0,60}|\d{1,2})\}/u.exec(text)?.[0];
}

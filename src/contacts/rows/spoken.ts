/** Checks texts that the agent speaks: their length, and placeholders that were not filled in. */
import { FIRST_LINE_ADVISED_WORDS } from '../../contract.ts';

/** The number of words of a first line if it is more than the service advises; otherwise 0. */
export function wordsBeyondLimit(firstLine: string): number {
  // A text has at least as many characters as words.
  if (firstLine.length <= FIRST_LINE_ADVISED_WORDS) return 0;
  const words = wordsIn(firstLine);
  return words > FIRST_LINE_ADVISED_WORDS ? words : 0;
}

/** Scripts without spaces between words. All of them are from U+0E00 on. */
const WITHOUT_SPACES =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const FROM_THAI_ON = /[\u0e00-\uffff]/;
let segmenter: Intl.Segmenter | undefined;

function wordsIn(text: string): number {
  const parts = text.trim().split(/\s+/);
  if (!FROM_THAI_ON.test(text)) return parts.length;
  return parts.reduce((words, part) => words + (WITHOUT_SPACES.test(part) ? segmentsIn(part) : 1), 0);
}

function segmentsIn(text: string): number {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words++;
  return words;
}

/** `{{…}}`, or the beginning of one, or a name in single braces. */
const PLACEHOLDER = /\{\{(?:[^{}]*\}\})?|\{\s*(?:\p{L}[\p{L}\p{M}\p{N}_ .]{0,60}|\d{1,2})\}/u;

/** The first placeholder that was left in a text; undefined if there is none. */
export function placeholderIn(text: string): string | undefined {
  return text.includes('{') ? PLACEHOLDER.exec(text)?.[0] : undefined;
}

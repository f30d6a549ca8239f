/** The columns of a terminal that texts fill, and how they are laid out by that. */
import { describe, expect, test } from 'vitest';
import { fitted, padded, widthOf, wrap } from '../../src/text/width.ts';

test.each([
  ['plain letters', 'Zürich', 6],
  ['an accent of its own', 'Zu\u0308rich', 6],
  ['Chinese', '漢字', 4],
  ['rare Chinese', '𠮷', 2],
  ['Japanese', 'かなカナ', 8],
  ['half-width katakana', 'ｶﾅ', 2],
  ['Korean', '한국', 4],
  ['full-width letters', 'ＡＢ', 4],
  ['an emoji', '🎉', 2],
  ['marks of direction', '\u200eabc\u200f', 3],
])('%s: %s fills %i columns', (_what, text, width) => {
  expect(widthOf(text)).toBe(width);
});

describe('laying out', () => {
  test.each([
    ['ab', 4, 'ab  '],
    ['漢字', 5, '漢字 '],
    ['abcdef', 4, 'abc…'],
    ['漢字漢字', 4, '漢… '],
    ['several words here', 12, 'several…    '],
    ['5  averylongword', 12, '5  averylon…'],
  ])('%s in %i columns', (text, width, shown) => {
    expect(fitted(text, width)).toBe(shown);
  });

  test('a text that is too wide is not padded', () => {
    expect(padded('abcdef', 4)).toBe('abcdef');
  });

  test.each([
    ['fits', '  as  it is', 11, ['  as  it is']],
    ['between words', 'one two three', 7, ['one two', 'three']],
    ['within a long word', 'abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
    ['wide letters', '漢字漢字', 5, ['漢字', '漢字']],
  ])('wrapped: %s', (_how, text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('wrapped between the words that are given', () => {
    expect(wrap('mean 1 s, max 2 s', 12, ['mean 1 s,', 'max 2 s'])).toEqual(['mean 1 s,', 'max 2 s']);
  });
});

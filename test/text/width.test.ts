/** The columns of a terminal that texts fill, and how they are laid out by that. */
import { describe, expect, test } from 'vitest';
import { fitted, padded, widthOf, wrap } from '../../src/text/width.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

test.each(cases<[string, string, number]>('widths'))('%s: %s fills %i columns', (_what, text, width) => {
  expect(widthOf(text)).toBe(width);
});

describe('laying out', () => {
  test.each(cases<[string, number, string]>('fitted'))('%s in %i columns', (text, width, shown) => {
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

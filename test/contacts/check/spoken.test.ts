/** What is told of texts and numbers that can be sent, but hardly are what was meant. */

import { getCountries, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { placeholderIn, wordsBeyondLimit } from '../../../src/contacts/check/spoken.ts';
import { readE164 } from '../../../src/contacts/numbers/dialled.ts';
import { isPremium, rawPlan } from '../../../src/contacts/numbers/numbering-plans.ts';
import { casesBeside } from '../../support/cases.ts';
import { howMany } from '../../support/full-matrix.ts';
import fc from '../../support/properties.ts';

const cases = casesBeside(import.meta.filename);

describe('a text with something left in it that was to be filled in', () => {
  test.each(cases<[string, string]>('a text with something left in it'))('%s: %s', (text, placeholder) => {
    expect(placeholderIn(text)).toBe(placeholder);
  });

  test.each(cases<string>('a text with nothing left in it'))('is not %s', (text) => {
    expect(placeholderIn(text)).toBeUndefined();
  });
});

describe('a first line of more than 50 words', () => {
  test.each(cases<[string, string]>('one sentence'))(
    'in %s is told, and one sentence is not',
    (_language, sentence) => {
      expect(wordsBeyondLimit(sentence)).toBe(0);
      expect(wordsBeyondLimit(`${sentence} `.repeat(6))).toBeGreaterThan(50);
    },
  );

  test('is counted to the word where words stand apart, and never where there are no more characters', () => {
    for (const word of ['a', 'hello', '안녕', 'γεια', 'नमस्ते', '👋']) {
      expect(wordsBeyondLimit(Array<string>(50).fill(word).join(' '))).toBe(0);
      expect(wordsBeyondLimit(Array<string>(51).fill(word).join(' \n'))).toBe(51);
    }
    expect(wordsBeyondLimit('您'.repeat(50))).toBe(0);
  });
});

describe('a premium-rate number', () => {
  const judge = (number: string) =>
    parsePhoneNumberFromString(number, { extract: false })?.getType() === 'PREMIUM_RATE';

  /** Numbers of every country that its plan calls premium-rate, by a random walk through its pattern. */
  const patterns = getCountries().flatMap((country) => {
    const plan = rawPlan(country);
    const pattern = plan.type('PREMIUM_RATE')?.pattern();
    return pattern ? [{ code: plan.callingCode(), pattern }] : [];
  });

  test('is what the library says it is, near the plans of all countries', () => {
    expect(patterns.length).toBeGreaterThan(100);
    const near = fc
      .constantFrom(...patterns)
      .chain(({ code, pattern }) =>
        fc.stringMatching(new RegExp(`^(?:${pattern})$`)).map((digits) => `+${code}${digits}`),
      );
    const anyOther = fc
      .tuple(fc.constantFrom(...patterns), fc.integer({ min: 100_000, max: 999_999_999 }))
      .map(([{ code }, digits]) => `+${code}${digits}`);
    fc.assert(
      fc.property(fc.oneof(near, anyOther), (number) => {
        // "+370 8 909…" is refused before anybody asks: the library drops the 8 and judges another number.
        fc.pre(!('code' in readE164(number)));
        expect([number, isPremium(number)]).toEqual([number, judge(number)]);
      }),
      { numRuns: howMany(1000, 4000) },
    );
  });
});

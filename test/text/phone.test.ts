/** Two numbers of one phone are one; numbers of two phones are never. */

import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { phoneKey, phoneKeyOfDigits } from '../../src/text/phone.ts';
import { casesBeside } from '../support/cases.ts';
import fc from '../support/properties.ts';

const cases = casesBeside(import.meta.filename);

describe('the phone of a number', () => {
  test.each(cases<[string, string, string]>('the phone of a number'))('%s', (_, number, key) => {
    expect(phoneKey(number)).toBe(key);
  });

  test('a number that somebody has is known by itself', () => {
    const found = getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []);
    expect(found.map(phoneKey)).toEqual(found);
    fc.assert(
      fc.property(fc.stringMatching(/^\+5(2|21|5|5[1-9][1-9][689])\d{8,10}$/), (number) => {
        fc.pre(parsePhoneNumberFromString(number, { extract: false })?.isValid() === true);
        expect(phoneKey(number)).toBe(number);
      }),
    );
  });

  test('the key of a key is the key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+5(2|21|5|5[1-9][1-9][689])\d{6,10}$/), (number) => {
        expect(phoneKey(phoneKey(number))).toBe(phoneKey(number));
      }),
    );
  });

  test('the key of digits is that of the number', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^(5(2|21|5|5[1-9][1-9][689])\d{6,10}|39054[89]\d{0,9}|[1-9]\d{6,14})$/),
        (digits) => {
          expect(`+${phoneKeyOfDigits(Number(digits))}`).toBe(phoneKey(`+${digits}`));
        },
      ),
    );
  });
});

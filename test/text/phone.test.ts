/** Two numbers of one phone are one; numbers of two phones are never. */

import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { phoneKey, phoneKeyOfDigits } from '../../src/text/phone.ts';
import fc from '../support/properties.ts';

describe('the phone of a number', () => {
  test.each([
    ['an old Mexican mobile', '+5215512345678', '+525512345678'],
    ['a Mexican number of today', '+525512345678', '+525512345678'],
    ['an old Brazilian mobile', '+551187654321', '+5511987654321'],
    ['a Brazilian mobile of today', '+5511987654321', '+5511987654321'],
    ['a Brazilian fixed line', '+551123456789', '+551123456789'],
    ['a Brazilian number with a 7, which kept eight digits', '+551178123456', '+551178123456'],
    ['an Argentine mobile, which is not the fixed line of the same digits', '+5491112345678', '+5491112345678'],
    ['San Marino through Italy', '+390549886377', '+3780549886377'],
    ['San Marino', '+3780549886377', '+3780549886377'],
    ['an Italian number of the next area', '+390548886377', '+390548886377'],
    ['a number one digit too long for Mexico', '+52155123456789', '+52155123456789'],
  ])('%s', (_, number, key) => {
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

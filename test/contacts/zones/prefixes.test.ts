/** The file of prefixes is Google's map, and the longest prefix is found as the package's own function finds it. */
import { expect, test } from 'vitest';
import { PREFIX_MAP } from '../../../src/contacts/zones/prefix-map.ts';
import { hasLongerPrefix, longestPrefix } from '../../../src/contacts/zones/prefixes.ts';
import { googleZones, packagedZones } from './google-zones.ts';

const DIGITS = [...'0123456789'];

test('the file has each prefix of the package once, with its zones, and no other', () => {
  const written = PREFIX_MAP.trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [zones, ...prefixes] = line.split(' ');
      return prefixes.map((prefix) => [prefix, zones] as const);
    });
  expect(written.length).toBeGreaterThan(3000);
  expect(written).toHaveLength(Object.keys(googleZones).length);
  expect(Object.fromEntries(written)).toEqual(googleZones);
});

test('each prefix is found, whatever digit follows, unless a longer one does', () => {
  for (const prefix of Object.keys(googleZones)) {
    for (const digit of DIGITS) {
      const digits = prefix + digit in googleZones ? prefix.length + 1 : prefix.length;
      expect(longestPrefix(`+${prefix}${digit}`)).toEqual({
        digits,
        zones: googleZones[(prefix + digit).slice(0, digits)]?.split('&'),
      });
    }
  }
});

test('what the package finds is found', async () => {
  const prefixes = Object.keys(googleZones);
  // The package reads its file for each number again.
  for (let at = 0; at < prefixes.length; at += 40) {
    const number = `+${prefixes[at]}${DIGITS[at % 10]}555`;
    expect(longestPrefix(number)?.zones).toEqual(await packagedZones({ number }));
  }
});

test('whether a prefix goes on', () => {
  const prefixes = Object.keys(googleZones);
  const codes = [
    '1',
    '7',
    '44',
    '49',
    '54',
    '55',
    '86',
    '590',
    '800',
    ...prefixes.filter((_prefix, at) => at % 50 === 0),
  ];
  for (const code of codes) {
    const longer = prefixes.some((prefix) => prefix.length > code.length && prefix.startsWith(code));
    expect([code, hasLongerPrefix(code)]).toEqual([code, longer]);
  }
});

test.each(['+80012345678', '+88161234567', '+9', '+'])('%s is on no map', (number) => {
  expect(longestPrefix(number)).toBeUndefined();
});

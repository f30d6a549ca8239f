/** The file of prefixes is Google's map, and the longest prefix is found as the package's own function finds it. */
import { expect, test } from 'vitest';
import { CORRECTIONS } from '../../../src/contacts/zones/corrections.ts';
import PREFIX_MAP from '../../../src/contacts/zones/prefix-map.json' with { type: 'json' };
import { areaOf, hasLongerPrefix, longestPrefix } from '../../../src/contacts/zones/prefixes.ts';
import { googleZones, packagedZones } from './google-zones.ts';

/** What the package has for a prefix, with the zones that corrections add. */
function correctedZones(prefix: string, zones = googleZones[prefix]?.split('&') ?? []): string[] {
  const added = CORRECTIONS.filter(({ prefixes }) => prefixes.some((beginning) => prefix.startsWith(beginning)))
    .filter(({ says }) => says === undefined || zones.includes(says))
    .flatMap(({ adds }) => adds);
  return [...new Set([...zones, ...added])];
}

const DIGITS = [...'0123456789'];

test('the file has each prefix of the package once, with its zones, and no other', () => {
  const written = Object.entries(PREFIX_MAP).flatMap(([zones, prefixes]) =>
    prefixes.split(' ').map((prefix) => [prefix, zones] as const),
  );
  expect(written.length).toBeGreaterThan(3000);
  expect(written).toHaveLength(Object.keys(googleZones).length);
  expect(Object.fromEntries(written)).toEqual(googleZones);
});

/** Prefixes that no map has. */
const onlyCorrected = new Set(
  CORRECTIONS.flatMap(({ prefixes }) => prefixes).filter((prefix) => !(prefix in googleZones)),
);

test('each prefix is found, whatever digit follows, unless a longer one does', () => {
  for (const prefix of Object.keys(googleZones)) {
    for (const digit of DIGITS) {
      if (onlyCorrected.has(prefix + digit)) continue;
      const digits = prefix + digit in googleZones ? prefix.length + 1 : prefix.length;
      const zones = correctedZones((prefix + digit).slice(0, digits));
      expect(longestPrefix(`+${prefix}${digit}`)).toEqual({ digits, zones });
    }
  }
});

test('what the package finds is found', async () => {
  const prefixes = Object.keys(googleZones);
  // The package reads its file for each number again.
  for (let at = 0; at < prefixes.length; at += 40) {
    const number = `+${prefixes[at]}${DIGITS[at % 10]}555`;
    const theirs = await packagedZones({ number });
    expect(longestPrefix(number)?.zones).toEqual(theirs && correctedZones(number.slice(1), theirs));
  }
});

test('each correction says something, of zones that this runtime knows', () => {
  for (const { prefixes, says, adds } of CORRECTIONS) {
    for (const prefix of prefixes) {
      const below = Object.entries(googleZones).filter(([other]) => other.startsWith(prefix));
      const changed = below.filter(([, zones]) => says === undefined || zones.split('&').includes(says));
      if (says !== undefined) expect([prefix, changed.length > 0]).toEqual([prefix, true]);
      const zones = longestPrefix(`+${prefix}`)?.zones ?? [];
      if (says === undefined) expect([prefix, ...zones]).toEqual(expect.arrayContaining([...adds]));
      const before = changed.map(([, names]) => names.split('&'));
      expect([prefix, before.every((names) => adds.every((zone) => names.includes(zone)))]).toEqual([
        prefix,
        before.length === 0,
      ]);
    }
    for (const zone of adds) expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
  }
});

test('an area of North America has the zones of all its prefixes', () => {
  const codes = Object.keys(googleZones).filter((prefix) => /^1\d{3}$/.test(prefix));
  expect(codes.length).toBeGreaterThan(300);
  for (const code of codes) {
    const exchanges = Object.keys(googleZones).filter((prefix) => prefix.startsWith(code));
    const unknown = Array.from({ length: 800 }, (_none, at) => `${code}${200 + at}`).find(
      (exchange) => !exchanges.some((prefix) => prefix !== code && exchange.startsWith(prefix)),
    );
    const area = areaOf(`+${unknown}0000`);
    const zones = exchanges.flatMap((prefix) => correctedZones(prefix));
    expect([code, ...[...(area?.zones ?? []), ...(area?.others ?? [])].sort()]).toEqual([
      code,
      ...[...new Set(zones)].sort(),
    ]);
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

/** The file of prefixes is Google's map, and each correction of it says something. */
import { expect, test } from 'vitest';
import { CORRECTIONS } from '../../../src/contacts/zones/corrections.ts';
import PREFIX_MAP from '../../../src/contacts/zones/prefix-map.json' with { type: 'json' };
import { areaOf, longestPrefix } from '../../../src/contacts/zones/prefixes.ts';
import { googleZones } from './google-zones.ts';

/** What the package has for a prefix, with the zones that corrections add. */
function correctedZones(prefix: string, zones = googleZones[prefix]?.split('&') ?? []): string[] {
  const added = CORRECTIONS.filter(({ prefixes }) => prefixes.some((beginning) => prefix.startsWith(beginning)))
    .filter(({ says }) => says === undefined || zones.includes(says))
    .flatMap(({ adds }) => adds);
  return [...new Set([...zones, ...added])];
}

test('the file has each prefix of the package once, with its zones, and no other', () => {
  const written = Object.entries(PREFIX_MAP).flatMap(([zones, prefixes]) =>
    prefixes.split(' ').map((prefix) => [prefix, zones] as const),
  );
  expect(written.length).toBeGreaterThan(3000);
  expect(written).toHaveLength(Object.keys(googleZones).length);
  expect(Object.fromEntries(written)).toEqual(googleZones);
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

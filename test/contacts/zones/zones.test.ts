/** Where numbers may be: a table of what is known, and what holds for every number. */
import { getCountries } from 'libphonenumber-js/max';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { whereaboutsOf, zonesOfCountry } from '../../../src/contacts/zones/zones.ts';
import { casesBeside } from '../../support/cases.ts';
import { googleZones, name, zonesIn } from './google-zones.ts';

const cases = casesBeside(import.meta.filename);

test.each(cases<[string, string, string | undefined, string[]]>('places'))(
  '%s: %s',
  (_where, number, country, zones) => {
    const found = whereaboutsOf(number);
    expect(found).toEqual({ zones: zones.map(name).sort(), country: country ?? found.country });
  },
);

test.each(cases<[string, string, string]>('zones that are added'))(
  'where the map is wrong or older than the clocks, the right zone is added: %s, %s',
  (_where, number, zone) => {
    expect(whereaboutsOf(number).zones).toContain(name(zone));
  },
);

describe('other numbers may be anywhere in their country', () => {
  test.each(cases<[string, string, string]>('anywhere in the country'))('%s: %s', (_what, number, country) => {
    expect(zonesIn(country).length).toBeGreaterThan(1);
    expect(whereaboutsOf(number)).toEqual({ zones: zonesIn(country), country });
  });

  test.each<[what: string, number: string, countries: string[], country: string | null]>([
    ['an Australian mobile: on islands with the same calling code', '+61412345678', ['AU', 'CX', 'CC'], 'AU'],
    ['one that is not assigned: in any country of its calling code', '+70000000000', ['RU', 'KZ'], null],
    ['one that is not assigned, of one country', '+550000000000', ['BR'], 'BR'],
  ])('%s', (_what, number, countries, country) => {
    expect(whereaboutsOf(number)).toEqual({ zones: countries.flatMap(zonesIn).sort(), country });
  });
});

test.each(cases<[string, string]>('nobody can say where'))('nobody can say where %s is: %s', (_what, number) => {
  expect(whereaboutsOf(number).zones).toEqual([]);
  expect(whereaboutsOf(number).country).toBeNull();
});

test('the same zones and country are the same object', () => {
  expect(whereaboutsOf('+14155550100')).toBe(whereaboutsOf('+12135550100'));
  expect(whereaboutsOf('+79161234567')).toBe(whereaboutsOf('+79261234567'));
});

test('every zone of the map and of every country has a name that Intl and Temporal both know', () => {
  const known = new Set(Intl.supportedValuesOf('timeZone'));
  const zones = Object.keys(googleZones).map((prefix) => whereaboutsOf(`+${prefix.padEnd(11, '5')}`).zones);
  const ofCountries = getCountries().map((country) => zonesOfCountry(country));
  const all = new Set([...zones, ...ofCountries].flat());
  expect(all.size).toBeGreaterThan(380);
  for (const zone of all) {
    expect([zone, known.has(zone)]).toEqual([zone, true]);
    expect(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId).toBe(zone);
  }
});

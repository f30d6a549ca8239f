/** Where numbers may be: a table of what is known, and what holds for every number. */
import { getCountries } from 'libphonenumber-js/max';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { countryOf, whereaboutsOf, zonesOf, zonesOfCountry } from '../../../src/contacts/zones/zones.ts';
import { googleZones } from './google-zones.ts';

const name = (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

function zonesIn(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as { timeZones?: string[]; getTimeZones?(): string[] };
  return (locale.getTimeZones?.() ?? locale.timeZones ?? []).map(name).sort();
}

describe('numbers of an area', () => {
  test.each([
    ['San Francisco', '+14155550100', 'US', ['America/Los_Angeles']],
    ['a number of San Francisco that is not assigned', '+14151234567', 'US', ['America/Los_Angeles']],
    ['Toronto', '+14165550100', 'CA', ['America/Toronto']],
    ['Guam', '+16715550100', 'GU', ['Pacific/Guam']],
    ['Nassau', '+12425550100', 'BS', ['America/Nassau']],
    ['Kingston', '+18765550100', 'JM', ['America/Jamaica']],
    ['Las Palmas', '+34928123456', 'ES', ['Atlantic/Canary']],
    ['Madrid', '+34912345678', 'ES', ['Europe/Madrid']],
    ['Christmas Island, by a number that the plans have in Australia', '+61851204481', 'AU', ['Indian/Christmas']],
    ['Cocos Islands', '+61891621234', 'CC', ['Indian/Cocos']],
    ['Rio Branco', '+556832123456', 'BR', ['America/Rio_Branco']],
    // The map has one of its exchanges elsewhere.
    ['Manaus', '+559233334444', 'BR', ['America/Manaus', 'America/Sao_Paulo']],
    ['a mobile of Monterrey', '+528112345678', 'MX', ['America/Mexico_City']],
    ['Vladivostok', '+74232123456', 'RU', ['Asia/Vladivostok']],
    // The map has Europe/Bucharest; its clocks change.
    ['Kaliningrad', '+74012345678', 'RU', ['Europe/Kaliningrad', 'Europe/Kirov', 'Europe/Moscow', 'Europe/Volgograd']],
  ])('%s', (_where, number, country, zones) => {
    expect(whereaboutsOf(number)).toEqual({ zones: zones.map(name).sort(), country });
  });
});

describe('an exchange that the map does not know may be in each zone of its area', () => {
  test.each([
    ['Pensacola or Tallahassee', '+18503130000', ['America/Chicago', 'America/New_York']],
    ['Pensacola, by an exchange that it knows', '+18504320000', ['America/Chicago']],
    ['Kentucky', '+12704350000', ['America/Chicago', 'America/New_York']],
    ['Indiana', '+18122050000', ['America/Chicago', 'America/New_York']],
    ['Michigan', '+19062500000', ['America/Chicago', 'America/New_York']],
    ['Tennessee', '+14235550000', ['America/Chicago', 'America/New_York']],
    [
      'the north of Canada',
      '+18675550000',
      ['Edmonton', 'Fort_Nelson', 'Toronto', 'Vancouver', 'Whitehorse', 'Winnipeg'].map((zone) => `America/${zone}`),
    ],
    ['Phoenix', '+16025550000', ['America/Phoenix']],
    // Areas of one clock whose numbers begin like those of others.
    ['Lisbon', '+351213456789', ['Europe/Lisbon']],
    ['Azores', '+351296123456', ['Atlantic/Azores']],
    ['Fortaleza', '+558533334444', ['America/Sao_Paulo']],
    ['Nuuk', '+299321234', ['America/Godthab']],
    ['Sydney', '+61293744000', ['Australia/Sydney']],
    ['the coast with Lord Howe Island', '+61265551234', ['Australia/Lord_Howe', 'Australia/Sydney']],
    ['Perth', '+61892211234', ['Australia/Adelaide', 'Australia/Perth']],
    [
      'Brisbane, whose numbers the map mixes with those of Sydney',
      '+61747123456',
      ['Australia/Brisbane', 'Australia/Sydney'],
    ],
    ['Christchurch', '+6433661234', ['Pacific/Auckland']],
    // Others of the calling code show the same time all year.
    ['Birmingham', '+441212345678', ['Europe/London']],
    ['Rome', '+390612345678', ['Europe/Rome']],
  ])('%s: %s', (_where, number, zones) => {
    expect(zonesOf(number)).toEqual(zones.map(name).sort());
  });
});

describe('a mobile of Brazil may be anywhere in its area', () => {
  test.each([
    ['81', ['America/Noronha', 'America/Recife', 'America/Sao_Paulo']],
    ['91', ['America/Manaus', 'America/Sao_Paulo']],
    ['97', ['America/Eirunepe', 'America/Manaus']],
    ['11', ['America/Sao_Paulo']],
    ['68', ['America/Rio_Branco']],
  ])('of %s', (area, zones) => {
    for (const digits of ['988887777', '912121212', '999999999', '933334444']) {
      expect(zonesOf(`+55${area}${digits}`)).toEqual(zones);
    }
  });
});

describe('where the map is wrong or older than the clocks, the right zone is added', () => {
  test.each([
    ['Recife', '+558131234567', 'America/Recife'],
    ['Chihuahua', '+526141234567', 'America/Chihuahua'],
    ['Cuauhtémoc', '+526251234567', 'America/Chihuahua'],
    ['Parral', '+526271234567', 'America/Chihuahua'],
    ['Delicias', '+526391234567', 'America/Chihuahua'],
    ['Nuevo Casas Grandes', '+526361234567', 'America/Chihuahua'],
    ['Ascensión, at the border', '+526361234567', 'America/Ciudad_Juarez'],
    ['Matamoros', '+528681234567', 'America/Matamoros'],
    ['Yukon, by an exchange that the map has', '+18676681234', 'America/Whitehorse'],
    ['Fort St. John', '+12507851234', 'America/Dawson_Creek'],
    ['Fort St. John, by an overlay', '+17785551234', 'America/Dawson_Creek'],
    ['Cranbrook, by an overlay', '+12365551234', 'America/Edmonton'],
    ['Pensacola, by an overlay', '+14485551234', 'America/Chicago'],
    ['Christchurch', '+6433071234', 'Pacific/Auckland'],
    ['the Chatham Islands', '+6433050123', 'Pacific/Chatham'],
    ['Nuku Hiva', '+68940920300', 'Pacific/Marquesas'],
    ['Saratov', '+78452123456', 'Europe/Saratov'],
    ['Ust-Nera', '+74115412345', 'Asia/Vladivostok'],
    ['Ürümqi', '+869912345678', 'Asia/Urumqi'],
  ])('%s: %s', (_where, number, zone) => {
    expect(zonesOf(number)).toContain(name(zone));
  });

  test('and nobody near there loses by it', () => {
    expect(zonesOf('+861012345678')).toEqual(['Asia/Shanghai']);
    expect(zonesOf('+526241234567')).toEqual(['America/Mazatlan']);
  });
});

describe('other numbers may be anywhere in their country', () => {
  test.each([
    ['a mobile', '+79161234567', 'RU'],
    ['a mobile', '+34612345678', 'ES'],
    ['a mobile', '+77012345678', 'KZ'],
    ['a mobile, though the map has Jakarta', '+628123456789', 'ID'],
    ['a mobile, though the map has Shanghai', '+8613912345678', 'CN'],
    ['toll-free', '+55800123456', 'BR'],
    // Chile and Micronesia have one pattern for mobiles and fixed lines.
    ['a mobile, though the map has Santiago', '+56912345678', 'CL'],
    ['a number of Santiago that may have gone to a mobile', '+56221234567', 'CL'],
    ['a number of Punta Arenas that may', '+56612212345', 'CL'],
    ['a number of Pohnpei that may', '+6913201234', 'FM'],
    ['a mobile, though the map has Pohnpei', '+6919201234', 'FM'],
  ])('%s: %s', (_what, number, country) => {
    expect(zonesIn(country).length).toBeGreaterThan(1);
    expect(whereaboutsOf(number)).toEqual({ zones: zonesIn(country), country });
  });

  test('an Australian mobile may be on islands with the same calling code', () => {
    expect(whereaboutsOf('+61412345678')).toEqual({
      zones: [...zonesIn('AU'), ...zonesIn('CX'), ...zonesIn('CC')].sort(),
      country: 'AU',
    });
  });

  test('one that is not assigned may be in any country of its calling code', () => {
    expect(whereaboutsOf('+70000000000')).toEqual({
      zones: [...zonesIn('RU'), ...zonesIn('KZ')].sort(),
      country: null,
    });
    expect(whereaboutsOf('+550000000000')).toEqual({ zones: zonesIn('BR'), country: 'BR' });
  });
});

describe('a country with one zone has it, whatever zone the map lends it', () => {
  test.each([
    ['+213551234567', 'DZ', 'Africa/Algiers'],
    ['+50588123456', 'NI', 'America/Managua'],
    ['+37061234567', 'LT', 'Europe/Vilnius'],
    ['+375291234567', 'BY', 'Europe/Minsk'],
    ['+85366123456', 'MO', 'Asia/Macau'],
    ['+33612345678', 'FR', 'Europe/Paris'],
    ['+919876543210', 'IN', 'Asia/Kolkata'],
    // Intl knows nothing of these two, so the map's zone it is.
    ['+38349123456', 'XK', 'Europe/Belgrade'],
    ['+24740123', 'AC', 'Atlantic/St_Helena'],
  ])('%s', (number, country, zone) => {
    expect(whereaboutsOf(number)).toEqual({ zones: [name(zone)], country });
  });
});

describe('a number that is used beyond the country in whose plan it is may be there too', () => {
  test.each([
    ['a fixed line of Northern Cyprus', '+903922281234', 'TR', ['Asia/Famagusta', 'Europe/Istanbul']],
    ['a mobile of Northern Cyprus', '+905338612345', 'TR', ['Asia/Famagusta', 'Europe/Istanbul']],
    ['a mobile of its other operator', '+905428512345', 'TR', ['Asia/Famagusta', 'Europe/Istanbul']],
    ['a mobile of Turkey', '+905321234567', 'TR', ['Europe/Istanbul']],
    ['a fixed line of Turkey', '+902121234567', 'TR', ['Europe/Istanbul']],
    ['a mobile of Palestine', '+972599123456', 'IL', ['Asia/Gaza', 'Asia/Hebron', 'Asia/Jerusalem']],
    ['a fixed line of Gaza', '+97282812345', 'IL', ['Asia/Gaza', 'Asia/Hebron', 'Asia/Jerusalem']],
    ['a mobile of Israel', '+972501234567', 'IL', ['Asia/Jerusalem']],
    ['a fixed line of Tel Aviv', '+97231234567', 'IL', ['Asia/Jerusalem']],
  ])('%s: %s', (_what, number, country, zones) => {
    expect(whereaboutsOf(number)).toEqual({ zones: zones.map(name).sort(), country });
  });
});

test.each([
  ['an international toll-free number', '+80012345678'],
  ['a satellite phone', '+881612345678'],
  ['a toll-free number of 25 countries', '+18005550100'],
  ['a personal number of North America', '+15005550100'],
  ['a premium number of North America', '+19005550100'],
  ['an area code that nobody has', '+12005550100'],
  ['a number of Canada that is shorter than others', '+13101234'],
  ['a number of Canada for satellites', '+16002012345'],
  ['no number', '+141'],
])('nobody can say where %s is: %s', (_what, number) => {
  expect(zonesOf(number)).toEqual([]);
  expect(countryOf(number)).toBeUndefined();
});

test('the same zones and country are the same object', () => {
  expect(whereaboutsOf('+14155550100')).toBe(whereaboutsOf('+12135550100'));
  expect(whereaboutsOf('+79161234567')).toBe(whereaboutsOf('+79261234567'));
});

test('every zone of the map and of every country has a name that Intl and Temporal both know', () => {
  const known = new Set(Intl.supportedValuesOf('timeZone'));
  const zones = Object.keys(googleZones).map((prefix) => zonesOf(`+${prefix.padEnd(11, '5')}`));
  const ofCountries = getCountries().map((country) => zonesOfCountry(country));
  const all = new Set([...zones, ...ofCountries].flat());
  expect(all.size).toBeGreaterThan(380);
  for (const zone of all) {
    expect([zone, known.has(zone)]).toEqual([zone, true]);
    expect(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId).toBe(zone);
  }
});

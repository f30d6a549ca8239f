/**
 * Where numbers of all countries may be, beside google-libphonenumber, which shares no code with what is tested, and its map as
 * Google reads it: the longest prefix of a geographic number, and for any other the calling code. Every difference is listed
 * with its reason.
 */
import { createRequire } from 'node:module';
import type * as google from 'google-libphonenumber';
import { expect, test } from 'vitest';
import { corrected } from '../../../src/contacts/zones/corrections.ts';
import { whereaboutsOf } from '../../../src/contacts/zones/zones.ts';
import { remembered } from '../../../src/text/remembered.ts';
import { googleZones, name, zonesIn } from './google-zones.ts';

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = createRequire(import.meta.url)(
  'google-libphonenumber',
) as typeof google;
/** The package's types lack the method. */
const oracle = PhoneNumberUtil.getInstance() as google.PhoneNumberUtil & {
  isNumberGeographical(number: google.PhoneNumber): boolean;
};

// Numbers -------------------------------------------------------------------------------------------------------------

/** Digits that look random and are the same in every run. */
function digitsFrom(seed: number): (count: number) => string {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * 10);
  };
  return (count) => Array.from({ length: count }, next).join('');
}

/** Of every type in every country, and of every prefix of the map: those that Google calls valid. */
function validNumbers(): Map<string, google.PhoneNumber> {
  const digits = digitsFrom(7);
  const numbers = new Map<string, google.PhoneNumber>();
  const offer = (number: string) => {
    try {
      const parsed = oracle.parse(number);
      if (oracle.isValidNumber(parsed) && oracle.format(parsed, PhoneNumberFormat.E164) === number) {
        numbers.set(number, parsed);
      }
    } catch {
      // Too short or too long for any number.
    }
  };
  for (const region of oracle.getSupportedRegions()) {
    for (const type of Object.values(PhoneNumberType).filter((value) => Number(value) >= 0)) {
      const example = oracle.getExampleNumberForType(region, type as google.PhoneNumberType);
      if (!example) continue;
      const number = oracle.format(example, PhoneNumberFormat.E164);
      offer(number);
      for (const changed of [2, 3, 3, 4, 5]) offer(number.slice(0, -changed) + digits(changed));
    }
  }
  for (const prefix of Object.keys(googleZones)) {
    const [least, most] = prefix.startsWith('1') || prefix.startsWith('7') ? [11, 11] : [10, 12];
    for (let length = least; length <= most; length++) {
      if (length > prefix.length) offer(`+${prefix}${digits(length - prefix.length)}`);
    }
  }
  return numbers;
}

// What Google says ----------------------------------------------------------------------------------------------------

/** The longest prefix that the map has for these digits. */
function longestOf(digits: string): string {
  for (let length = digits.length; length > 0; length--) {
    if (googleZones[digits.slice(0, length)] !== undefined) return digits.slice(0, length);
  }
  return '';
}

function mapped(digits: string): string[] {
  const zones = googleZones[longestOf(digits)];
  return zones === undefined ? [] : [...new Set(zones.split('&').map(name))].sort();
}

/** Zones of all prefixes that begin with these digits, with those of the corrections. */
const zonesBelow = remembered((digits: string) =>
  Object.entries(googleZones)
    .filter(([prefix]) => prefix.startsWith(digits))
    .flatMap(([prefix, zones]) => corrected(prefix, zones.split('&')).map(name)),
);

const zonesOfCallingCode = remembered((callingCode: string) => {
  const regions = oracle.getSupportedRegions();
  return regions.filter((region) => String(oracle.getCountryCodeForRegion(region)) === callingCode).flatMap(zonesIn);
});

// Differences ---------------------------------------------------------------------------------------------------------

/** By reason, and by whether Google calls the number geographic: the countries of the numbers. */
const EXPECTED = {
  // 25 countries share toll-free and similar numbers, and those of Canada's 600 belong to satellites.
  'without area in North America': { other: 'CA US' },
  // The map names a clock, not a place: it has a zone of another country, whose clocks may change on other days.
  'a zone of another country': {
    area: 'BY DZ EE GW IE KP LR LT LV LY MA MO MX NI PS RU SS',
    other: 'BY DZ EE GW IE KP KZ LR LT LV LY MA MO MX NI PS RU SS',
  },
  // The map has zones of all countries of a calling code, where the numbering plans know the country; or one of the wrong country.
  'zones of countries with the same calling code': {
    area: 'BL CA',
    other: 'AG AI AS AU BB BM BQ BS CW DM DO FI GB GD GG IT JE JM KN KY LC MS NO RE SX TC TT VC VG YT',
  },
  // `corrections.ts` has the facts.
  'a corrected entry of the map': { area: 'BR CA MX NZ RU US' },
  // An exchange of its area that the map has not, or a mobile of Brazil.
  'zones of longer prefixes': { area: 'AU BR CA EC FM ID US' },
  // Intl knows zones of the country that the map leaves out for its calling code, or a fixed line of Chile or Micronesia may be a
  // mobile as well: these have one pattern for both, and the map has one place.
  'more zones of the country': {
    area: 'AR CL CY DE FM GP MH MY PG UA UZ',
    other: 'AR BR CL CN CY DE ES GL GP ID MH MY PG PT UA UZ',
  },
};

type Reason = keyof typeof EXPECTED;

function reasonOf(
  number: string,
  region: string,
  google: readonly string[],
  ours: readonly string[],
  callingCode: string,
): Reason {
  if (ours.length === 0) return 'without area in North America';
  const own = zonesIn(region);
  if (google.some((zone) => !zonesOfCallingCode(callingCode).includes(zone))) return 'a zone of another country';
  if (google.some((zone) => !own.includes(zone))) return 'zones of countries with the same calling code';
  const longest = longestOf(number.slice(1));
  const right = corrected(number.slice(1), longest === '' ? [] : mapped(longest)).map(name);
  if (longest !== callingCode && ours.every((zone) => right.includes(zone))) return 'a corrected entry of the map';
  const area = region === 'BR' ? number.slice(1, 5) : longest;
  const around = longest === callingCode ? [] : [...mapped(area), ...zonesBelow(area)];
  if (ours.every((zone) => right.includes(zone) || around.includes(zone))) return 'zones of longer prefixes';
  return 'more zones of the country';
}

test('each number has the country and the zones that Google has, but for reasons', { timeout: 60_000 }, () => {
  const found: Record<string, Record<string, Set<string>>> = {};
  const numbers = validNumbers();
  const regions = new Set<string>();
  let same = 0;
  for (const [number, parsed] of numbers) {
    const region = oracle.getRegionCodeForNumber(parsed) ?? '';
    const callingCode = String(parsed.getCountryCode());
    const isGeographic = oracle.isNumberGeographical(parsed);
    const theirs = mapped(isGeographic ? number.slice(1) : callingCode);
    const { zones, country } = whereaboutsOf(number);
    regions.add(region);

    // North America's numbers without an area have no country either.
    expect([number, country]).toEqual([number, zones.length > 0 ? region : null]);
    // No zone of the number's country is lost.
    const own = zonesIn(region).filter((zone) => theirs.includes(zone));
    if (zones.length > 0) expect([number, ...zones]).toEqual(expect.arrayContaining(own));
    if (theirs.join() === zones.join()) {
      same++;
      continue;
    }
    const reason = reasonOf(number, region, theirs, zones, callingCode);
    const kind = isGeographic ? 'area' : 'other';
    found[reason] ??= {};
    found[reason][kind] ??= new Set();
    found[reason][kind].add(region);
  }
  process.stdout.write(`zones of ${numbers.size} numbers of ${regions.size} countries: ${same} as in Google's map\n`);
  expect(numbers.size).toBeGreaterThan(9000);
  expect(regions.size).toBeGreaterThan(240);
  const listed = Object.entries(found).map(([reason, kinds]) => [
    reason,
    Object.fromEntries(Object.entries(kinds).map(([kind, countries]) => [kind, [...countries].sort().join(' ')])),
  ]);
  expect(Object.fromEntries(listed)).toEqual(EXPECTED);
});

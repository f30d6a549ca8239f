/** The clocks of zones, against what Intl shows; and what is known of changed clocks beside the zone data of Node.js. */
import { describe, expect, test } from 'vitest';
import { parseTime } from '../../src/text/time.ts';
import { DAY, MINUTE } from '../../src/text/units.ts';
import { changedZones, changesAfter, changesOf, isTooOld, OWN_RELEASE } from '../../src/text/zone-changes.ts';
import { clocksOf, ZoneClock } from '../../src/text/zone-clock.ts';
import { casesBeside } from '../support/cases.ts';
import { NEW_CLOCKS, shownMinute, zonesLike } from '../support/new-clocks.ts';
import fc from '../support/properties.ts';

const cases = casesBeside(import.meta.filename);

const NOW = Date.parse('2026-11-23T12:00Z');

test('old data misses every change that the release notes tell of, and no other', () => {
  const zones = NEW_CLOCKS.map(([zone]) => zone);
  expect(
    changesAfter('2025c')
      .flatMap((change) => change.zones)
      .toSorted(),
  ).toEqual(zones.toSorted());
  for (const [zone, like, from] of NEW_CLOCKS) {
    const [change] = changesOf(zone, '2025c');
    const { as = '', from: since = 0 } = change ?? {};
    expect([shownMinute(as, NOW), since]).toEqual([shownMinute(like, NOW), Date.parse(from)]);
  }
});

test.each(cases<[release: string, count: number]>('missing zones'))(
  'of release %s %i zones are missing',
  (release, count) => {
    expect(changedZones(NOW, undefined, release)).toHaveLength(count);
  },
);

test('what is over is told no more, and only of the zones that matter', () => {
  expect(changedZones(Date.parse('2027-11-08'), undefined, '2026e')).toEqual([]);
  const among = new Set(['America/Vancouver', 'Europe/Berlin']);
  expect(changedZones(NOW, among, '2025c')).toEqual(['America/Vancouver']);
});

test.each(cases<[release: string | undefined, now: string, isSo: boolean]>('too old'))(
  'data of %s is too old in %s: %s',
  (release, now, expected) => {
    expect(isTooOld(Date.parse(now), release)).toBe(expected);
  },
);

describe.runIf(OWN_RELEASE !== undefined && OWN_RELEASE < '2026b')('where the data is older', () => {
  test.each([...NEW_CLOCKS.map(([zone]) => zone), 'Europe/Berlin'])('all clocks of %s are asked', (zone) => {
    for (const at of ['2026-08-01', '2026-12-01', '2027-12-01', '2028-07-01'].map((day) => Date.parse(day))) {
      const minutes = new Set(clocksOf(zone).map((clock) => clock.minuteOfDay(at)));
      expect(minutes).toEqual(new Set(zonesLike(zone, at).map((name) => shownMinute(name, at))));
    }
  });

  const reading = (text: string, zone: string, direction: 'ahead' | 'back' = 'ahead') =>
    parseTime(text, { flag: '--start', now: NOW, direction, zone });

  test.each(cases<[text: string, zone: string, said: string]>('two times'))(
    'a call at %s in %s could be made at two times',
    async (text, zone, said) => {
      await expect(reading(text, zone)).rejects.toThrow(
        `--start ${text} could be ${said}: the clocks of ${zone} were changed.`,
      );
    },
  );

  test.each(cases<[text: string, zone: string, at: string]>('one time'))(
    '%s in %s is one time',
    async (text, zone, at) => {
      expect(new Date(await reading(text, zone)).toISOString()).toBe(at);
    },
  );

  test('to look back, a time is taken as before', async () => {
    expect(await reading('2026-11-20T09:00', 'America/Vancouver', 'back')).toBe(Date.parse('2026-11-20T17:00Z'));
  });
});

const ZONES = Intl.supportedValuesOf('timeZone');

test('any instants in any order', () => {
  const instants = fc.array(fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2040, 0) }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, list) => {
      const clock = new ZoneClock(zone);
      for (const at of list) expect(clock.minuteOfDay(at)).toBe(shownMinute(zone, at));
    }),
    { numRuns: 300 },
  );
});

test.each(cases<[zone: string, from: string, until: string]>('each minute'))(
  'each minute of %s from %s to %s, by a clock that began long before',
  (zone, from, until) => {
    const clock = new ZoneClock(zone);
    clock.minuteOfDay(Date.parse(from) - 20 * DAY);
    for (let at = Date.parse(from); at < Date.parse(until); at += MINUTE) {
      expect([at, clock.minuteOfDay(at)]).toEqual([at, shownMinute(zone, at)]);
    }
  },
);

test('no offset of the time around a change of the clocks, before and after questions about later days', () => {
  const clock = new ZoneClock('Europe/Berlin');
  const change = Date.parse('2026-03-29T01:00Z');
  for (const asked of [change, change + 90 * DAY]) {
    clock.minuteOfDay(asked);
    expect(clock.steadyOffset(change - DAY, change)).toBe(60 * MINUTE);
    expect(clock.steadyOffset(change, change + DAY)).toBe(120 * MINUTE);
    expect(clock.steadyOffset(change - MINUTE, change + MINUTE)).toBeUndefined();
  }
});

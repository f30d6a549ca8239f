/** The clocks of zones, against what Intl shows; and what is known of changed clocks beside the zone data of Node.js. */
import { describe, expect, test } from 'vitest';
import { parseTime } from '../../src/text/time.ts';
import { DAY, MINUTE } from '../../src/text/units.ts';
import { changedZones, changesAfter, changesOf, isTooOld, OWN_RELEASE } from '../../src/text/zone-changes.ts';
import { clocksOf, ZoneClock } from '../../src/text/zone-clock.ts';
import { NEW_CLOCKS, shownMinute, zonesLike } from '../support/new-clocks.ts';
import fc from '../support/properties.ts';

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

test.each([
  ['2025c', 8],
  ['2026b', 6],
  ['2026c', 3],
  ['2026e', 1],
  ['2026f', 0],
  ['2027a', 0],
])('of release %s %i zones are missing', (release, count) => {
  expect(changedZones(NOW, undefined, release)).toHaveLength(count);
});

test('what is over is told no more, and only of the zones that matter', () => {
  expect(changedZones(Date.parse('2027-11-08'), undefined, '2026e')).toEqual([]);
  const among = new Set(['America/Vancouver', 'Europe/Berlin']);
  expect(changedZones(NOW, among, '2025c')).toEqual(['America/Vancouver']);
});

test.each([
  ['2025c', '2027-06-01', false],
  ['2025c', '2028-01-01', true],
  ['2028a', '2029-01-01', false],
  ['2028a', '2031-01-01', true],
  [undefined, '2028-01-01', true],
])('data of %s is too old in %s: %s', (release, now, expected) => {
  expect(isTooOld(Date.parse(now), release)).toBe(expected);
});

describe.runIf(OWN_RELEASE !== undefined && OWN_RELEASE < '2026b')('where the data is older', () => {
  test.each([...NEW_CLOCKS.map(([zone]) => zone), 'Europe/Berlin'])('all clocks of %s are asked', (zone) => {
    for (const at of ['2026-08-01', '2026-12-01', '2027-12-01', '2028-07-01'].map((day) => Date.parse(day))) {
      const minutes = new Set(clocksOf(zone).map((clock) => clock.minuteOfDay(at)));
      expect(minutes).toEqual(new Set(zonesLike(zone, at).map((name) => shownMinute(name, at))));
    }
  });

  const reading = (text: string, zone: string, direction: 'ahead' | 'back' = 'ahead') =>
    parseTime(text, { flag: '--start', now: NOW, direction, zone });

  test.each([
    ['2026-12-01T09:00', 'America/Vancouver', '2026-12-01T09:00:00-08:00 or 2026-12-01T09:00:00-07:00'],
    ['tomorrow 09:00', 'Africa/Casablanca', '2026-11-24T09:00:00+01:00 or 2026-11-24T09:00:00+00:00'],
    ['2027-01-05T09:00', 'America/Havana', '2027-01-05T09:00:00-05:00 or 2027-01-05T09:00:00-04:00'],
  ])('a call at %s in %s could be made at two times', async (text, zone, said) => {
    await expect(reading(text, zone)).rejects.toThrow(
      `--start ${text} could be ${said}: the clocks of ${zone} were changed.`,
    );
  });

  test.each([
    ['2027-07-01T09:00', 'America/Vancouver', '2027-07-01T16:00:00.000Z'],
    ['2026-12-01T09:00-08:00', 'America/Vancouver', '2026-12-01T17:00:00.000Z'],
    ['2028-01-05T09:00', 'America/Havana', '2028-01-05T14:00:00.000Z'],
    ['2026-12-01T09:00', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
  ])('%s in %s is one time', async (text, zone, at) => {
    expect(new Date(await reading(text, zone)).toISOString()).toBe(at);
  });

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

test.each([
  ['Europe/Berlin', '2026-03-28T23:30Z', '2026-03-29T02:30Z'],
  ['Europe/Berlin', '2026-10-24T23:30Z', '2026-10-25T02:30Z'],
  ['Australia/Lord_Howe', '2026-04-04T13:30Z', '2026-04-04T16:30Z'],
  ['Pacific/Apia', '2011-12-30T09:00Z', '2011-12-30T11:00Z'],
  ['America/St_Johns', '2009-11-01T01:30Z', '2009-11-01T04:00Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00Z', '2026-01-01T01:00Z'],
])('each minute of %s from %s to %s, by a clock that began long before', (zone, from, until) => {
  const clock = new ZoneClock(zone);
  clock.minuteOfDay(Date.parse(from) - 20 * DAY);
  for (let at = Date.parse(from); at < Date.parse(until); at += MINUTE) {
    expect([at, clock.minuteOfDay(at)]).toEqual([at, shownMinute(zone, at)]);
  }
});

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

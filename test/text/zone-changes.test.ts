/** What is known of changed clocks beside the zone data of Node.js, and until when that is worth something. */
import { describe, expect, test } from 'vitest';
import { parseTime } from '../../src/text/time.ts';
import { changedZones, changesAfter, changesOf, isTooOld, OWN_RELEASE } from '../../src/text/zone-changes.ts';
import { clocksOf } from '../../src/text/zone-clock.ts';
import { NEW_CLOCKS, zonesLike } from '../support/new-clocks.ts';

const NOW = Date.parse('2026-11-23T12:00Z');

function shownMinute(timeZone: string, at: number): number {
  const shown = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const [hours = 0, minutes = 0] = shown.format(at).split(':').map(Number);
  return hours * 60 + minutes;
}

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

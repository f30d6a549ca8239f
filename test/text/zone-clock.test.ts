/** The clocks of zones, against what Intl shows. */
import { expect, test } from 'vitest';
import { ZoneClock, zoneClock } from '../../src/text/zone-clock.ts';
import fc from '../support/properties.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const ZONES = Intl.supportedValuesOf('timeZone');

function shownMinute(timeZone: string, at: number): number {
  const shown = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const [hours = 0, minutes = 0] = shown.format(at).split(':').map(Number);
  return hours * 60 + minutes;
}

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

test('before 1970 too', () => {
  expect(new ZoneClock('America/New_York').minuteOfDay(Date.parse('1969-06-01T12:00Z'))).toBe(8 * 60);
});

test('one clock of each zone, for whoever asks', () => {
  expect(zoneClock('Europe/Berlin')).toBe(zoneClock('Europe/Berlin'));
  expect(zoneClock('Europe/Berlin')).not.toBe(zoneClock('Europe/Lisbon'));
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

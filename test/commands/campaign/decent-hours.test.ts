/**
 * Before a campaign it is said who would be called at night, as `decent-hours.session` shows; the counts are those of an oracle
 * that asks Intl for each call.
 */
import { describe, expect, test } from 'vitest';
import { outsideWindow, windowsOfPlaces } from '../../../src/campaigns/usual-window.ts';
import { whereaboutsOf } from '../../../src/contacts/zones/zones.ts';
import { shownMinute, zonesLike } from '../../support/new-clocks.ts';

const CALIFORNIA = '+1415555';
const OTHERS = ['+1604555', '+34612345', '+44207946', '+80012345', '+61491570', '+7916123', '+91987654'];

/** So many numbers that begin with these digits. */
function numbers(count: number, ...beginnings: string[]): string[] {
  return Array.from({ length: count }, (_none, at) => {
    const beginning = beginnings[at % beginnings.length] ?? '';
    return beginning + String(at).padStart(beginning.startsWith('+1') ? 4 : 12 - beginning.length, '0');
  });
}

const contactsOf = (list: readonly string[]) => list.map((phone_number) => ({ phone_number }));

describe('the counts', () => {
  const list = numbers(300, CALIFORNIA, ...OTHERS);
  const isEarly = (minute: number) => minute < 480;
  const isLate = (minute: number) => minute >= 1260;
  /** The minutes of the night that clocks show at an instant where a number may be. */
  const night = (index: number, at: number) =>
    whereaboutsOf(list[index] as string)
      .zones.flatMap((zone) => zonesLike(zone, at))
      .map((zone) => shownMinute(zone, at))
      .filter((minute) => isEarly(minute) || isLate(minute));
  const extremes = (minutes: number[]) => ({
    earliest: minutes.some(isEarly) ? Math.min(...minutes.filter(isEarly)) : undefined,
    latest: minutes.some(isLate) ? Math.max(...minutes.filter(isLate)) : undefined,
  });

  // The delay is longer than all first calls last, so that each retry comes when it is due.
  test.each([
    ['2026-11-20T18:00Z', 60, 0, 1],
    ['2026-10-24T20:00Z', 20, 0, 1],
    ['2026-03-28T04:00Z', 7, 0, 1],
    ['2026-11-20T00:00Z', 3600, 0, 1],
    ['2026-11-20T14:00Z', 60, 2, 6],
    ['2026-10-24T12:00Z', 60, 2, 25],
    ['2026-03-28T16:00Z', 60, 2, 24],
  ])('from %s, %i calls an hour, %i retries after %i hours', async (start, callsPerHour, retries, hours) => {
    const start_time = Date.parse(start);
    const pacing = { start_time, calls_per_hour: callsPerHour, retry_attempts: retries, retry_delay: hours * 3600 };
    const minutes = list.map((_number, index) => {
      const first = start_time + Math.floor((index * 3_600_000) / callsPerHour);
      return Array.from({ length: retries + 1 }, (_none, nth) => night(index, first + nth * hours * 3_600_000));
    });
    const isAtFirst = ([first = []]: number[][]) => first.length > 0;
    const byRetries = minutes.filter((all) => !isAtFirst(all) && all.flat().length > 0).length;
    expect([minutes.some(isAtFirst), byRetries > 0]).toEqual([true, retries > 0]);
    expect(outsideWindow(contactsOf(list), pacing, whereaboutsOf)).toEqual({
      outside: minutes.filter(isAtFirst).length,
      byRetries,
      unplaced: list.filter((number) => whereaboutsOf(number).zones.length === 0).length,
      first: extremes(minutes.flatMap(([first = []]) => first)),
      all: extremes(minutes.flat(2)),
    });
  });

  test('a call that others delay may come at any time from when it is due', async () => {
    // One call an hour: 19:00 and 20:00 if nobody needs a retry. If all do, the last comes at midnight.
    const pacing = { calls_per_hour: 1, retry_attempts: 2, retry_delay: 60 };
    const start_time = Date.parse('2026-11-20T18:00Z');
    expect(outsideWindow(contactsOf(numbers(2, '+4930901')), { ...pacing, start_time }, whereaboutsOf)).toEqual({
      ...{ outside: 0, byRetries: 2, unplaced: 0, first: { earliest: undefined, latest: undefined } },
      all: { earliest: 0, latest: 23 * 60 },
    });
    const berlin = windowsOfPlaces(whereaboutsOf)('+4930901820');
    const at = (time: string) => Date.parse(`2026-11-20T${time}+01:00`);
    berlin.moveTo(at('09:00'));
    expect(berlin.isOutside).toBe(false);
    expect(berlin.wasOutsideSince(at('08:00'))).toBe(false);
    expect(berlin.wasOutsideSince(at('07:59'))).toBe(true);
  });

  test('of more calls than can be stepped through, everybody is told who is called again and again', async () => {
    const pacing = { calls_per_hour: 3600, retry_attempts: 40_000_000, retry_delay: 60 };
    const start_time = Date.parse('2026-11-20T09:00Z');
    expect(
      outsideWindow(contactsOf(numbers(2, '+4930901', '+80012345')), { ...pacing, start_time }, whereaboutsOf),
    ).toMatchObject({
      ...{ outside: 0, byRetries: 1, unplaced: 1 },
    });
  });
});

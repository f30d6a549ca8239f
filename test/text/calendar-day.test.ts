import { describe, expect, test } from 'vitest';
import { parseDay } from '../../src/text/calendar-day.ts';

/** A Friday; it is the same day in every zone that a test may run in. */
const now = () => Date.parse('2026-11-20T11:00:00Z');
const parsed = (text: string) => parseDay(text, { flag: '--start-date', now });

describe('a day', () => {
  test.each<[text: string, date: string]>([
    ['2026-11-01', '2026-11-01'],
    ['today', '2026-11-20'],
    ['Today', '2026-11-20'],
    ['yesterday', '2026-11-19'],
    ['monday', '2026-11-16'],
    ['sat', '2026-11-14'],
    ['7d', '2026-11-13'],
    ['-7d', '2026-11-13'],
    ['1w', '2026-11-13'],
    ['48h', '2026-11-18'],
    ['20d', '2026-10-31'],
    ['2 weeks', '2026-11-06'],
    ['2 days ago', '2026-11-18'],
  ])('%s is %s', async (text, date) => {
    expect(await parsed(text)).toBe(date);
  });

  test.each<[text: string, says: string, hint: RegExp]>([
    ['2026-02-30', '--start-date 2026-02-30 is not a date that exists.', /^Write it as YYYY-MM-DD, or as today/],
    ['7', '--start-date 7 is not a date that exists.', /7d/],
    ['01/12/2026', '--start-date 01/12/2026 is not a date that exists.', /^Did you mean 2026-12-01 or 2026-01-12\? /],
    ['2026/12/1', '--start-date 2026/12/1 is not a date that exists.', /^Did you mean 2026-12-01\? /],
    ['36h', '--start-date 36h is not a date that exists.', /YYYY-MM-DD/],
    ['1 month', '--start-date 1 month is not a date that exists.', /^Did you mean 30d\? Write/],
    ['yesterday 09:00', '--start-date yesterday 09:00 is not a date that exists.', /YYYY-MM-DD/],
    ['friday', '--start-date friday could be 2026-11-20 or 2026-11-13: today is Friday.', /the date that is meant/],
    ['999999999w', '--start-date 999999999w is beyond the calendar.', /^$/],
  ])('%s is refused', async (text, message, hint) => {
    const refusal = await parsed(text).catch((error) => error);
    expect(refusal).toMatchObject({ exitCode: 3, message });
    expect(refusal.hint ?? '').toMatch(hint);
  });

  test('a date needs no clock', async () => {
    const asked = async () => parseDay('2026-11-01', { flag: '--start-date', now: () => Promise.reject(new Error()) });
    expect(await asked()).toBe('2026-11-01');
  });
});

/** What a window means, and what is refused with which words; the same for lists of skipped dates. */
import { describe, expect, test } from 'vitest';
import { InputError, UsageError } from '../../src/errors.ts';
import { parseSkipDates } from '../../src/plans/rules/skip-dates.ts';
import { callableWindow, parseWindow } from '../../src/plans/rules/window.ts';

const H = 60;
const hours = (from: number, until: number) => ({ from: from * H, until: until * H });
const NONE: never[] = [];

/** Seven days of the same hours. */
const daily = (...list: { from: number; until: number }[]) => Array.from({ length: 7 }, () => list);

test.each([
  ['09:00-20:00', daily(hours(9, 20))],
  ['9:00 - 20:00', daily(hours(9, 20))],
  ['00:00-24:00', daily(hours(0, 24))],
  ['09:00–20:30', daily({ from: 540, until: 1230 })],
  ['14:00-20:00,10:00-13:00', daily(hours(10, 13), hours(14, 20))],
  ['09:00-12:00,12:00-15:00', daily(hours(9, 15))],
  ['mon-fri=09:00-20:00,sat=10:00-16:00', [...Array.from({ length: 5 }, () => [hours(9, 20)]), [hours(10, 16)], NONE]],
  [
    'mon-fri=10:00-13:00, mon-fri=14:00-20:00',
    [...Array.from({ length: 5 }, () => [hours(10, 13), hours(14, 20)]), NONE, NONE],
  ],
  ['SUN=23:00-24:00', [...Array.from({ length: 6 }, () => NONE), [hours(23, 24)]]],
  ['saturday-Mon=09:00-10:00', [[hours(9, 10)], NONE, NONE, NONE, NONE, [hours(9, 10)], [hours(9, 10)]]],
  ['wed-tue=09:00-10:00', daily(hours(9, 10))],
  ['mon=09:00-10:00,tue=09:00-10:00', [[hours(9, 10)], [hours(9, 10)], NONE, NONE, NONE, NONE, NONE]],
])('%s', (text, expected) => {
  expect(parseWindow(text)).toEqual(expected);
});

describe('is refused', () => {
  test.each([
    ['', /^The window "" is not understood\.$/, /^Write 09:00-20:00 for every day/],
    ['9-20', /^The window "9-20" is not understood\.$/, /./],
    ['09:00', /is not understood/, /./],
    ['09:00-25:00', /is not understood/, /./],
    ['09:60-10:00', /is not understood/, /./],
    ['24:01-24:30', /is not understood/, /./],
    ['9am-8pm', /is not understood/, /./],
    ['09:00-20:00,', /^The window "09:00-20:00," is not understood at ""\.$/, /./],
    ['mon=', /is not understood/, /./],
    ['09:00-09:00', /^The window 09:00-09:00 is empty\.$/, /./],
    ['24:00-24:00', /is empty/, /./],
    ['09:00-00:00', /ends before it begins/, /^Midnight as an end is 24:00\.$/],
    ['montag=09:00-10:00', /^"montag" is no day of the week, and no range of days\.$/, /./],
    ['=09:00-10:00', /^"" is no day of the week/, /./],
    ['mon-wed-fri=09:00-10:00', /^"mon-wed-fri" is no day of the week/, /./],
    ['09:00-12:00,11:00-13:00', /^Two parts of the window overlap on Monday\.$/, /./],
    ['mon-fri=09:00-12:00,fri=09:00-10:00', /overlap on Friday/, /./],
    ['09:00-12:00,09:00-12:00', /overlap on Monday/, /./],
    [
      'mon-fri=10:00-13:00,14:00-20:00',
      /^The window "mon-fri=10:00-13:00,14:00-20:00" names days, but not for 14:00-20:00\.$/,
      /^Name them for each part, as in mon-fri=14:00-20:00\.$/,
    ],
  ])('%j', (text, message, hint) => {
    const parse = () => parseWindow(text);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) }));
  });
});

describe('hours of the night', () => {
  test.each([
    ['20:00-09:00', '09:00-20:00'],
    ['mon-fri=20:00-09:00', '09:00-20:00'],
    ['17:30-8:30', '08:30-17:30'],
    ['9:00-8:00', '09:00-20:00'],
    ['10:00-07:30', '10:00-19:30'],
  ])('%s may be meant as %s', (text, meant) => {
    expect(() => parseWindow(text)).toThrow(/^The window [\d:-]+ ends before it begins\.$/);
    const hint = `Write ${meant} if that is meant. No part of a window goes over midnight.`;
    expect(() => parseWindow(text)).toThrow(expect.objectContaining({ hint }));
  });

  test.each(['22:00-06:00', '23:00-09:00', '21:30-20:00', '20:00-01:00', '20:00-00:00', '06:00-05:00', '24:00-09:00'])(
    '%s: no night is offered to be copied',
    (text) => {
      const read = () => parseWindow(text);
      expect(read).toThrow(UsageError);
      const offered = /(?:0[0-7]|2[1-3]):\d\d-|-(?:0\d|2[2-4]):\d\d|-21:(?!00)/;
      expect(read).toThrow(expect.objectContaining({ hint: expect.not.stringMatching(offered) }));
    },
  );
});

describe('skipped dates', () => {
  test('a date a line, perhaps with a country; comments, a header and empty lines are passed over', () => {
    const text =
      '\uFEFFdate,country\r\n\r\n2026-12-25\r\n2026-10-03 DE # unity\n2026-07-14,fr\n # all\n2026-08-31;uk\n2026-11-28\tXK\n';
    expect(parseSkipDates(text)).toEqual([
      { date: '2026-12-25', country: undefined },
      { date: '2026-10-03', country: 'DE' },
      { date: '2026-07-14', country: 'FR' },
      // Numbers are of GB.
      { date: '2026-08-31', country: 'GB' },
      { date: '2026-11-28', country: 'XK' },
    ]);
  });

  test.each(['', '\n', 'date\n', '# 2026-12-25\n', 'Christmas'])('without a date it is refused: %j', (text) => {
    expect(() => parseSkipDates(text, 'holidays.txt')).toThrow('holidays.txt holds no date.');
  });

  test.each([
    ['2026-02-30', '"2026-02-30" is not a date'],
    ['25.12.2026', '"25.12.2026" is not a date: write 2026-12-25'],
    ['3.4.2026', '"3.4.2026" is not a date: write 2026-04-03 or 2026-03-04'],
    ['2026-12-25 XX', '"XX" is not the ISO code of a country'],
    ['2026-12-25 EU', '"EU" is not the ISO code of a country'],
    ['2026-12-25 Germany', '"Germany" is not the ISO code of a country'],
    ['2026-12-25 DE Weihnachten', '"Weihnachten" after the country'],
  ])('%j is refused', (line, message) => {
    const parse = () => parseSkipDates(`2026-12-24\n${line}\n`, 'holidays.txt');
    expect(parse).toThrow(InputError);
    expect(parse).toThrow('holidays.txt: 1 line not understood, from line 2.');
    expect(parse).toThrow(expect.objectContaining({ issues: [{ field: 'line 2', message }] }));
  });

  test('a first line with digits is no header', () => {
    expect(() => parseSkipDates('1. May\n')).toThrow('1 line not understood');
  });
});

describe('hours that the margin takes up', () => {
  test.each([
    '09:00-09:10',
    'mon=09:00-09:05,tue-fri=10:00-10:10',
    'mon=23:55-24:00,tue=00:00-00:05',
    'mon=23:50-24:00',
  ])('%s: nobody could be called', (text) =>
    expect(() => callableWindow(text)).toThrow('is too short: no call is planned in the last 10 minutes'),
  );

  test.each(['09:00-09:11', 'mon=09:00-09:05,tue=10:00-10:11', 'sun=23:55-24:00,mon=00:00-00:06'])(
    '%s: somebody could',
    (text) => expect(callableWindow(text)).toEqual(parseWindow(text)),
  );
});

/** What a window means, and what is refused with which words; the same for lists of skipped dates. */
import { expect, test } from 'vitest';
import { InputError, UsageError } from '../../src/errors.ts';
import { parseSkipDates } from '../../src/plans/rules/skip-dates.ts';
import { callableWindow, parseWindow } from '../../src/plans/rules/window.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

test.each(cases<[string, number[][][]]>('minutes of each day, Monday first'))('%s', (text, expected) => {
  expect(parseWindow(text).map((day) => day.map(({ from, until }) => [from, until]))).toEqual(expected);
});

test.each(cases<[string, string | RegExp, RegExp]>('refused'))('%j is refused', (text, message, hint) => {
  const parse = () => parseWindow(text);
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(typeof message === 'string' ? expect.objectContaining({ message }) : message);
  expect(parse).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) }));
});

test.each(cases<[string]>('no night is offered to be copied'))('%s', (text) => {
  const offered = /(?:0[0-7]|2[1-3]):\d\d-|-(?:0\d|2[2-4]):\d\d|-21:(?!00)/;
  expect(() => parseWindow(text)).toThrow(UsageError);
  expect(() => parseWindow(text)).toThrow(expect.objectContaining({ hint: expect.not.stringMatching(offered) }));
});

test.each(cases<[string, boolean]>('what the margin leaves'))(
  'in %s somebody can be called: %j',
  (text, isCallable) => {
    if (isCallable) expect(callableWindow(text)).toEqual(parseWindow(text));
    else expect(() => callableWindow(text)).toThrow('is too short: no call is planned in the last 10 minutes');
  },
);

test('a date a line, perhaps with a country; comments, a header and empty lines are passed over', () => {
  const dates = cases<[string, string | undefined]>('skipped dates');
  const text = `\uFEFFdate,country\r\n\r\n # all\n${dates.map(([line]) => line).join('\r\n')}\n`;
  const expected = dates.map(([line, country]) => ({ date: line.slice(0, 10), country }));
  expect(parseSkipDates(text)).toEqual(expected);
});

test.each(cases<[string]>('no date'))('without a date it is refused: %j', (text) => {
  expect(() => parseSkipDates(text, 'holidays.txt')).toThrow('holidays.txt holds no date.');
});

test.each(cases<[string, string]>('dates that are refused'))('%j is refused', (line, message) => {
  const parse = () => parseSkipDates(`2026-12-24\n${line}\n`, 'holidays.txt');
  expect(parse).toThrow(InputError);
  expect(parse).toThrow('holidays.txt: 1 line not understood, from line 2.');
  expect(parse).toThrow(expect.objectContaining({ issues: [{ field: 'line 2', message }] }));
  // Nor is it a header.
  expect(() => parseSkipDates(`1. May\n`)).toThrow('1 line not understood');
});

/** Times and durations for a person. The zone of tests is UTC. */
import { expect, test } from 'vitest';
import { distance, inUnits, shortDay, shortTime, writtenTime } from '../../src/text/when.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const NOW = Date.parse('2026-11-20T09:00:00Z');

test.each(cases<[time: string, shown: string]>('short times'))('%s is %j', (time, shown) => {
  expect(shortTime(Date.parse(time), NOW)).toBe(shown);
});

test.each(cases<[apart: number, shown: string]>('distances'))('%i ms away is %s', (apart, shown) => {
  expect(distance(NOW + apart, NOW)).toBe(shown);
});

test('a time of another zone keeps its offset', () => {
  expect(writtenTime('2026-12-01T09:00:00.000+01:00', NOW)).toBe('1 Dec 09:00 +01:00');
  expect(writtenTime('2027-12-01T09:00:00.000Z', NOW)).toBe('1 Dec 2027 09:00 UTC');
  expect(shortDay('2026-11-02', NOW)).toBe('2 Nov');
});

test.each(cases<[seconds: number, shown: string]>('seconds in units'))('%i s is %s', (seconds, shown) => {
  expect(inUnits(seconds)).toBe(shown);
});

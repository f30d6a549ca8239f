/** Times and durations for a person. The zone of tests is UTC. */
import { expect, test } from 'vitest';
import { distance, inUnits, shortDay, shortTime, writtenTime } from '../../src/text/when.ts';

const NOW = Date.parse('2026-11-20T09:00:00Z');

test.each([
  ['2026-11-20T09:05:59Z', '20 Nov 09:05'],
  ['2026-03-01T00:00:00Z', ' 1 Mar 00:00'],
  ['2025-12-31T23:59:00Z', '31 Dec 2025 23:59'],
])('%s is %j', (time, shown) => {
  expect(shortTime(Date.parse(time), NOW)).toBe(shown);
});

test.each([
  [0, 'just now'],
  [-45_000, '45 s ago'],
  [-180_000, '3 min ago'],
  [7_199_000, 'in 2 h'],
  [-30 * 3_600_000, '30 h ago'],
  [3 * 86_400_000, 'in 3 d'],
])('%i ms away is %s', (apart, shown) => {
  expect(distance(NOW + apart, NOW)).toBe(shown);
});

test('a time of another zone keeps its offset', () => {
  expect(writtenTime('2026-12-01T09:00:00.000+01:00', NOW)).toBe('1 Dec 09:00 +01:00');
  expect(writtenTime('2027-12-01T09:00:00.000Z', NOW)).toBe('1 Dec 2027 09:00 UTC');
  expect(shortDay('2026-11-02', NOW)).toBe('2 Nov');
});

test.each([
  [0, '0 s'],
  [45, '45 s'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [5400, '1 h 30 min'],
  [108_000, '30 h'],
  [259_200, '3 d'],
])('%i s is %s', (seconds, shown) => {
  expect(inUnits(seconds)).toBe(shown);
});

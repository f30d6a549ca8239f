/** Two clocks, that of the service and that of this machine: the hours hold by both, and what was chosen is sent at once or not. */
import { describe, expect, test } from 'vitest';
import { areApart, clocksAt, onBothClocks, whyStale } from '../../src/plans/rules/clocks.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { forecast } from '../../src/plans/rules/forecast.ts';
import { ALWAYS, dailyHours, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const OPEN = 9 * 60;
const CLOSED = 20 * 60;

/** Each minute of a day, the opening that contains it or the next one, by both clocks: by the definition. */
test.each([-10, -7.5, -1, 0, 0.5, 3, 10])('hours are open by both clocks where one is %d minutes ahead', (minutes) => {
  const hours = dailyHours([OPEN, CLOSED], [0, 1440], [0, 4], [23 * 60, 1440]);
  const both = onBothClocks(hours, minutes * MINUTE);
  const isOpen = (place: number, at: number) => (hours.openingAt(place, at)?.from ?? Number.POSITIVE_INFINITY) <= at;
  const wrong: string[] = [];
  for (const place of [0, 2, 3]) {
    for (let at = T0; at < T0 + 1500 * MINUTE; at += MINUTE / 2) {
      const { from, until } = both.openingAt(place, at) ?? { from: Number.POSITIVE_INFINITY, until: at + 1 };
      const expected = isOpen(place, at) && isOpen(place, at - minutes * MINUTE);
      if (from <= at !== expected || until <= at) wrong.push(`${place} ${(at - T0) / MINUTE}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the forecast, and what a plan says that it does next, hold by the clocks as it knows them', () => {
  const loaded = { ...planInMemory({ contacts: phones(1), hours: dailyHours([OPEN, CLOSED]) }), ahead: 5 * MINUTE };
  const opens = T0 + (OPEN + 5) * MINUTE;
  expect(decide(loaded, { now: T0 })).toMatchObject({ kind: 'wait', at: opens });
  expect(forecast(loaded, T0)).toEqual({ finish: opens, left: 0 });
});

describe('a wave', () => {
  const at = (minutes: number, ahead: number) => {
    const loaded = planInMemory({ contacts: phones(60), hours: dailyHours([OPEN, CLOSED]) });
    return decide(loaded, { now: T0 + minutes * MINUTE, ahead: ahead * MINUTE });
  };

  test.each([
    ['the service is ahead, and there it has just opened', OPEN, 5, { kind: 'wait', at: T0 + (OPEN + 5) * MINUTE }],
    ['the service is ahead, and here it has just opened', OPEN + 5, 5, { kind: 'wave' }],
    ['the service is behind, and it has just opened there', OPEN, -5, { kind: 'wave' }],
    ['the service is behind, and here it closes', CLOSED - 14, -5, { kind: 'wait', at: T0 + (1440 + OPEN) * MINUTE }],
    ['the service is ahead, and it closes there', CLOSED - 9, 5, { kind: 'wait', at: T0 + (1440 + OPEN + 5) * MINUTE }],
  ])('%s', (_name, minutes, ahead, expected) => {
    expect(at(minutes, ahead)).toMatchObject(expected);
  });

  test.each([
    [0, 20],
    [-9, 11],
    [9, 20],
  ])('ends before the hours do by both: the service %i minutes ahead, %i calls', (ahead, calls) => {
    expect(at(CLOSED - 30, ahead)).toMatchObject({ rows: { length: calls } });
  });

  test('is chosen as before where it may be called at any time', () => {
    const loaded = planInMemory({ contacts: phones(5), hours: ALWAYS });
    expect(decide(loaded, { now: T0, ahead: 9 * MINUTE })).toMatchObject({ kind: 'wave', start: T0 });
  });
});

test.each([
  ['the same, as far as whole seconds tell', 0.9, 0, false],
  ['part of a second more', -1.2, -2, false],
  ['the margin', 600, 600, false],
  ['more than the margin', -601, -601, true],
  ['an hour', 3600, 3600, true],
])('clocks that are apart: %s', (_name, seconds, ahead, apart) => {
  const clocks = clocksAt(T0, T0 + seconds * 1000);
  expect([clocks.ahead, areApart(clocks)]).toEqual([ahead * 1000, apart]);
});

test('a service that does not say the time has none of its own', () => {
  expect(clocksAt(T0, undefined)).toEqual({ own: T0, ahead: 0 });
});

/** In minutes: how far each clock has gone since the choice, and how far the service was ahead then. */
test.each([
  ['at once', 0, 0, 0, undefined],
  ['after a minute', 1, 1, 0, undefined],
  ['the machine slept, and its clock went on', 40, 40, 0, '40 min have passed since it was chosen'],
  [
    ...(['the machine slept with its clock, and the service said the time since', 0, 40, 0] as const),
    "since it was chosen 0 s passed by the clock of this machine, and 40 min by the service's",
  ],
  [
    ...(['it slept for less than the margin', 0, 5, 0] as const),
    "since it was chosen 0 s passed by the clock of this machine, and 5 min by the service's",
  ],
  [
    ...(['the clock of this machine was set forward', 5, 0, 5] as const),
    "since it was chosen 5 min passed by the clock of this machine, and 0 s by the service's",
  ],
  [
    ...(['the clock of this machine was set back', -5, 0, -5] as const),
    "since it was chosen -5 min passed by the clock of this machine, and 0 s by the service's",
  ],
  ['both were set back', -5, -5, 0, 'a clock was set back since it was chosen'],
  ['they drift apart by more than the margin', 0, 1, 9.5, 'the clocks are more than 10 min apart now'],
  ['the service was ahead, and nothing has happened', 0.1, 0.1, 9, undefined],
])('what was chosen is sent, or it is said why not: %s', (_name, own, service, ahead, why) => {
  const chosen = clocksAt(T0, T0 + ahead * MINUTE);
  const sent = clocksAt(T0 + own * MINUTE, T0 + (ahead + service) * MINUTE);
  expect(whyStale(chosen, sent)).toBe(why);
});

/** Two clocks, that of the service and that of this machine: the hours hold by both, and what was chosen is sent at once or not. */
import { expect, test } from 'vitest';
import { areApart, clocksAt, onBothClocks, whyStale } from '../../src/plans/rules/clocks.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { forecast } from '../../src/plans/rules/forecast.ts';
import { casesBeside } from '../support/cases.ts';
import { dailyHours, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const cases = casesBeside(import.meta.filename);

const OPEN = 9 * 60;
const CLOSED = 20 * 60;

/** Each minute of a day, the opening that contains it or the next one, by both clocks: by the definition. */
test.each([-10, -7.5, -1, 0, 0.5, 3, 10])('hours are open by both clocks where one is %d minutes ahead', (minutes) => {
  const hours = dailyHours([OPEN, CLOSED], [0, 1440], [0, 4], [23 * 60, 1440]);
  const both = onBothClocks(hours, minutes * MINUTE);
  const isOpen = (place: number, at: number) => (hours.windowAt(place, at)?.from ?? Number.POSITIVE_INFINITY) <= at;
  const wrong: string[] = [];
  for (const place of [0, 2, 3]) {
    for (let at = T0; at < T0 + 1500 * MINUTE; at += MINUTE / 2) {
      const { from, until } = both.windowAt(place, at) ?? { from: Number.POSITIVE_INFINITY, until: at + 1 };
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

test.each(cases<[string, number, number, boolean]>('apart'))(
  'clocks that are apart: %s',
  (_name, seconds, ahead, apart) => {
    const clocks = clocksAt(T0, T0 + seconds * 1000);
    expect([clocks.ahead, areApart(clocks)]).toEqual([ahead * 1000, apart]);
  },
);

test('a service that does not say the time has none of its own', () => {
  expect(clocksAt(T0, undefined)).toEqual({ own: T0, ahead: 0 });
});

test.each(cases<[string, number, number, number, string?]>('since'))(
  'what was chosen is sent, or it is said why not: %s',
  (_name, own, service, ahead, why) => {
    const chosen = clocksAt(T0, T0 + ahead * MINUTE);
    const sent = clocksAt(T0 + own * MINUTE, T0 + (ahead + service) * MINUTE);
    expect(whyStale(chosen, sent)).toBe(why);
  },
);

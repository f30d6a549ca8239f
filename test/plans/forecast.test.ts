/** When everybody would have been called once, held against a minute-by-minute count and against plain arithmetic. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forecast } from '../../src/plans/rules/forecast.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { MARGIN } from '../../src/plans/rules/rules.ts';
import { DAY, dailyHours, HOUR, MINUTE, planInMemory, T0 as START } from '../support/plans.ts';

/** Contacts in places that are open from one hour of the UTC day to another. */
function planOf(queues: { contacts: number; open: [from: number, until: number] }[], rules = {}): LoadedPlan {
  const places = queues.flatMap(({ contacts }, place) => Array.from({ length: contacts }, () => place));
  const contacts = places.map((place, row) => ({ phone: 14155550000 + row, place }));
  const hours = dailyHours(...queues.map(({ open: [from, until] }) => [from * 60, until * 60] as const));
  return planInMemory({ contacts, hours, rules });
}

/** At 60 calls an hour: each minute one of those whose hours end first. */
function counted(loaded: LoadedPlan, now: number): number | undefined {
  const left: number[] = [];
  for (let row = 0; row < loaded.roster.size; row++) {
    const place = loaded.roster.placeOf(row);
    left[place] = (left[place] ?? 0) + 1;
  }
  let finish: number | undefined;
  for (let at = now; left.some((count) => count > 0); at += MINUTE) {
    const open = left.flatMap((count, place) => {
      const opening = loaded.windows.windowAt(place, at);
      const isOpen = count > 0 && opening !== undefined && opening.from <= at && at < opening.until - MARGIN;
      return isOpen ? [{ place, until: opening.until }] : [];
    });
    const first = open.toSorted((one, other) => one.until - other.until)[0];
    if (first === undefined) continue;
    (left[first.place] as number) -= 1;
    finish = at;
  }
  return finish;
}

describe('the forecast', () => {
  test('is what a count minute by minute says', () => {
    const hour = fc.integer({ min: 0, max: 23 });
    const queue = fc
      .record({ contacts: fc.integer({ min: 1, max: 900 }), one: hour, other: hour })
      .filter(({ one, other }) => one !== other)
      .map(({ contacts, one, other }) => ({
        contacts,
        open: [Math.min(one, other), Math.max(one, other)] as [number, number],
      }));
    const startMinute = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(fc.array(queue, { minLength: 1, maxLength: 4 }), startMinute, (queues, minute) => {
        const loaded = planOf(queues);
        const now = START + minute * MINUTE;
        expect(forecast(loaded, now)).toEqual({ finish: counted(loaded, now), left: 0 });
      }),
      { numRuns: 100 },
    );
  });

  test('leaves those whom the plan would not reach before its end', () => {
    const loaded = planOf([{ contacts: 300, open: [9, 12] }], { end: START + 10 * HOUR + MARGIN });
    expect(forecast(loaded, START)).toEqual({ finish: START + 10 * HOUR - MINUTE, left: 240 });
  });

  test.each([
    // A number has 20 calls, and as many again a day and the margin later.
    [{}, START + 9 * HOUR + 4 * (DAY + MARGIN), 0],
    [{ end: START + 3 * DAY }, START + 9 * HOUR + 2 * (DAY + MARGIN), 40],
    // What the pace allows is later.
    [{ callsPerHour: 2 }, START + 16 * DAY + 10.5 * HOUR, 0],
  ])('does not pass what the callers may be given: %j', (rules, finish, left) => {
    const loaded = planOf([{ contacts: 100, open: [9, 12] }], { fromCap: { count: 20, within: DAY }, ...rules });
    expect(forecast(loaded, START)).toEqual({ finish, left });
  });

  test('of a list that takes years goes on as it began', () => {
    // Four places that are open one after the other, an hour each, less the margin: 200 calls a day.
    const hours = [8, 10, 12, 14];
    const queues = hours.map((from) => ({ contacts: 75_000, open: [from, from + 1] as [number, number] }));
    const { finish = 0, left } = forecast(planOf(queues), START);
    expect(left).toBe(0);
    expect(Math.abs((finish - START) / DAY - 1500)).toBeLessThan(2);
    const cut = forecast(planOf(queues, { end: START + 1200 * DAY }), START);
    expect(Math.abs(cut.left - 60_000)).toBeLessThan(400);
  });

  test('of nobody who can be called is none', () => {
    const loaded = planOf([{ contacts: 5, open: [9, 12] }]);
    expect(forecast({ ...loaded, windows: { windowAt: () => undefined } }, START)).toEqual({
      finish: undefined,
      left: 5,
    });
  });
});

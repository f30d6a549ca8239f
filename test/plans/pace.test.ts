/** What a service was slow with is expected again: nobody is called after hours a second time. */
import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { runsOf } from '../../src/plans/rules/events.ts';
import { forecast } from '../../src/plans/rules/forecast.ts';
import { type Pending, pendingUntilOf } from '../../src/plans/rules/pending.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { MARGIN } from '../../src/plans/rules/rules.ts';
import { marginOf, paceSeen } from '../../src/plans/rules/waves.ts';
import { casesBeside } from '../support/cases.ts';
import { called, DAY, dailyHours, HOUR, handed, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const cases = casesBeside(import.meta.filename);
const CLOSING = 20 * HOUR;
const REACHED = { result: 'reached', status: 'completed', outcome: '', seconds: 30 } as const;

interface SlowService {
  /** The share of the pace that it keeps. */
  pace: number;
  /** Minutes by which it begins late. */
  delay?: number;
}

/** Days in which there are as many people as can be called; the calls after hours of each day, and all calls. */
function playDays(loaded: LoadedPlan, { pace, delay = 0 }: SlowService, days: number) {
  const late = Array.from({ length: days }, () => 0);
  let calls = 0;
  const coming: { at: number; row: number; wave: number }[] = [];
  for (let now = T0; now < T0 + days * DAY; ) {
    for (const { at, row, wave } of coming.filter((call) => call.at <= now)) {
      applyEvent(called(row, at, { wave, ...REACHED }), loaded, 0);
      calls += 1;
      const day = Math.floor((at - T0) / DAY);
      if ((at - T0) % DAY >= CLOSING) late[day] = (late[day] ?? 0) + 1;
    }
    coming.splice(0, coming.length, ...coming.filter((call) => call.at > now));
    const next = decide(loaded, { now });
    if (next.kind === 'wave') {
      const { from, start, interval, rows } = next;
      const wave = loaded.position.waves + 1;
      applyEvent({ event: 'handed', at: now, wave, from, start, interval, rows: runsOf(rows) }, loaded, 0);
      for (const [place, row] of rows.entries())
        coming.push({ at: start + delay * MINUTE + (place * interval) / pace, row, wave });
    }
    now += 5 * MINUTE;
  }
  return { late, calls };
}

test.each(cases<[string, SlowService]>('a service'))(
  'that %s calls nobody after hours, though it does all day what it can',
  (_what, service) => {
    const loaded = planInMemory({ contacts: phones(1500), hours: dailyHours([9 * 60, 20 * 60]) });
    const { late, calls } = playDays(loaded, service, 3);
    expect(late).toEqual([0, 0, 0]);
    const hours = 11 - (service.delay ?? 0) / 60 - 1 / service.pace;
    expect(calls).toBeGreaterThan(3 * 0.5 * hours * 60 * service.pace);
  },
);

test('where it is slow in the evening alone, the first evening is the last one', () => {
  const loaded = planInMemory({ contacts: phones(3000), hours: dailyHours([18 * 60 + 30, 20 * 60]) });
  const { late } = playDays(loaded, { pace: 1, delay: 25 }, 3);
  expect(late).toEqual([expect.any(Number), 0, 0]);
});

describe('what is expected', () => {
  const afterWave = (contacts: number, minutes: number) => {
    const loaded = planInMemory({ contacts: phones(40) });
    applyEvent(handed(1, [0, contacts], T0), loaded, 0);
    applyEvent(called(contacts - 1, T0 + minutes * MINUTE), loaded, 0);
    return loaded;
  };

  const free = cases<[string, number, number, number]>('minutes that stay free');
  test.each(free)('%s: minutes that stay free', (_what, contacts, last, margin) => {
    const loaded = afterWave(contacts, last);
    expect(marginOf(loaded, T0 + HOUR) / MINUTE).toBeCloseTo(margin);
    // An evening is as slow as the one before the weekend; what is older is over.
    expect(marginOf(loaded, T0 + 3 * DAY) / MINUTE).toBeCloseTo(margin);
    expect(marginOf(loaded, T0 + 5 * DAY)).toBe(MARGIN);
  });

  test('of other requests too, their retries and delays included', () => {
    const loaded = afterWave(31, 60);
    expect(paceSeen(loaded.position).stretch).toBe(2);
    const start = T0 + HOUR;
    const other: Pending = {
      ...{ key: 1, phones: [phones(40)[0]?.phone ?? 0], start, interval: MINUTE, attempts: 3, retryDelay: HOUR },
      ...{ until: start + 3 * HOUR, isCertain: false },
    };
    const until = (other: Pending) => pendingUntilOf(loaded, [other], start + MINUTE)(0) - loaded.plan.rules.minGap;
    expect(until(other)).toBeGreaterThanOrEqual(start + 6 * HOUR);
    expect(until({ ...other, isCertain: true })).toBe(start + 3 * HOUR);
  });
});

test('what a service was slow with is expected by the forecast, and where a cap counts the calls of a number', () => {
  const slow = [{ at: T0, late: 25 * MINUTE, stretch: 1 }];
  const before = planInMemory({ contacts: phones(2), hours: dailyHours([9 * 60, 20 * 60]) });
  before.position.slow = slow;
  const late = T0 + CLOSING - 25 * MINUTE;
  const opens = T0 + DAY + 9 * HOUR;
  expect(decide(before, { now: late })).toMatchObject({ kind: 'wait', at: opens, why: 'window' });
  expect(forecast(before, late)).toEqual({ finish: opens + MINUTE, left: 0 });

  const capped = planInMemory({ contacts: phones(2), rules: { fromCap: { count: 1, within: HOUR } } });
  capped.position.slow = slow;
  expect(forecast(capped, T0)).toEqual({ finish: T0 + 90 * MINUTE, left: 0 });
  applyEvent(handed(1, [0, 1], T0), capped, 0);
  applyEvent(called(0, T0, REACHED), capped, 0);
  expect(decide(capped, { now: T0 + 75 * MINUTE })).toMatchObject({ at: T0 + 90 * MINUTE, why: 'from_cap' });
});

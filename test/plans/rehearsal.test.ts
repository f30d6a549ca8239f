/** What a rehearsal reports of a plan on an assumed service; that run 0 is what happens is tested with the command. */
import { describe, expect, test } from 'vitest';
import { type PlanRehearsal, rehearsePlan } from '../../src/plans/rehearsal/rehearse-plan.ts';
import { onAssumedService } from '../../src/plans/rehearsal/stage.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { EPOCH } from '../support/engine.ts';
import { dailyHours, HOUR, handed, type InMemory, MINUTE, phones, planInMemory } from '../support/plans.ts';

const FROM = ['+14155550100', '+442079460100'];

function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const HOURS = dailyHours([540, 720], [600, 1200], [1000, 1440]);

describe('the report', () => {
  const WIDE = { callsPerHour: 60, retry: { busy: 30 * MINUTE, no_answer: 4 * HOUR } };
  const reportOf = (more: Partial<InMemory>, runs = 1): PlanRehearsal => {
    const loaded = planInMemory({ contacts: phones(40), rules: WIDE, from: FROM, hours: HOURS, ...more });
    const stage = onAssumedService(loaded, { now: EPOCH, pending: [] }, () => []);
    return finished(rehearsePlan(stage, runs));
  };
  const addUp = ({ reached, not_reached, no_result, excluded, not_called }: PlanRehearsal) =>
    reached + not_reached + no_result + excluded + not_called;

  test('has all contacts by their states, the waves of run 0, and times within the hours', () => {
    const report = reportOf({});
    expect(addUp(report)).toBe(40);
    expect(report).toMatchObject({ plan_id: 1, contacts: 40, not_called: 0, runs: 1, stopped: null, stopped_runs: 0 });
    expect(report).not.toHaveProperty('percentiles');
    expect(report.first_call).toBe('2026-11-20T09:00:00.000Z');
    expect(report.wave_list.slice(0, 2)).toEqual([
      { wave: 1, start: '2026-11-20T09:00:00.000Z', contacts: 30, from: '+14155550100' },
      { wave: 2, start: '2026-11-20T09:30:00.000Z', contacts: 10, from: '+442079460100' },
    ]);
    expect(report.waves).toBe(report.wave_list.length);
    expect(report.attempts).toBe(report.wave_list.reduce((sum, { contacts }) => sum + contacts, 0));
  });

  test('of many runs has percentiles, and run 0 stays what it is', () => {
    const [one, many] = [reportOf({}), reportOf({}, 40)];
    const { percentiles, ...first } = many;
    expect({ ...first, runs: 1 }).toEqual(one);
    const rising = ({ p5, p50, p95 }: { p5: unknown; p50: unknown; p95: unknown }) => [p5, p50, p95];
    for (const of of [percentiles?.attempts, percentiles?.cost, percentiles?.finish]) {
      const values = rising(of as { p5: unknown; p50: unknown; p95: unknown });
      expect(values).toEqual(values.toSorted((a, b) => ((a as number) < (b as number) ? -1 : 1)));
      expect(new Set(values).size).toBeGreaterThan(1);
    }
  });

  test.each<[string, Partial<PlanRules>, Partial<PlanRehearsal>]>([
    ['a budget that is too small', { budget: 1_000_000, pricePerMinute: 100_000 }, { stopped_runs: 1 }],
    ['the end of the plan', { end: EPOCH + 30 * MINUTE }, { attempts: 20, stopped: null }],
    [
      'hours that never come',
      { start: Date.UTC(9999, 0) },
      { attempts: 0, not_called: 40, finish: null, first_call: null },
    ],
  ])('%s leaves contacts', (_what, rules, expected) => {
    const report = reportOf({ rules: { ...WIDE, ...rules } });
    expect(report).toMatchObject(expected);
    expect(addUp(report)).toBe(40);
    expect(report.not_called).toBeGreaterThan(0);
    expect(report.stopped === null).toBe(report.stopped_runs === 0);
  });

  test('of a plan that waits after its canary goes on at once, and says so', () => {
    const report = reportOf({ rules: { ...WIDE, canary: 3 } });
    expect(report).toMatchObject({ waits_after_canary: true, not_called: 0, stopped: null });
    expect(report.wave_list[0]).toMatchObject({ wave: 1, contacts: 3 });
  });

  test('of a real service believes that its waves under way were placed', () => {
    const rules = { ...WIDE, maxAttempts: 1 };
    const loaded = planInMemory({ contacts: phones(5), rules, from: FROM, hours: HOURS });
    const start = EPOCH - 2 * MINUTE;
    applyEvent(handed(1, [0, 5], start), loaded, 0);
    const rehearsed = onAssumedService(loaded, { now: EPOCH, pending: [] }, () => [0, 1, 2, 3, 4]);
    const report = finished(rehearsePlan(rehearsed, 1));
    expect(report).toMatchObject({ attempts: 5, no_result: 0, not_called: 0, waves: 0 });
    const [first, last] = [start, start + 4 * MINUTE].map((at) => new Date(at).toISOString());
    expect([report.first_call, report.finish]).toEqual([first, last]);
  });
});

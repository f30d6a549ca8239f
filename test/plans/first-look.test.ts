/** The first look at a service waits for what may still come, and ends with a verdict. */
import { expect, test } from 'vitest';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import { overdue } from '../../src/plans/rules/halts.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { HOUR, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const PROBE = { isProbe: true, firstLook: 2 * HOUR, maxAttempts: 1, retry: {} };
const CANARY = { canary: 2, firstLook: 2 * HOUR };

const called = (row: number, at: number): PlanEvent => ({
  ...{ event: 'called', at, row, wave: 1, result: 'reached', status: 'completed', outcome: '', seconds: 30 },
});

/** A first wave at T0, and calls at so many minutes after. */
function afterCalls(rules: Partial<PlanRules>, contacts: number, calls: number[]): LoadedPlan {
  const loaded = planInMemory({ contacts: phones(rules.canary === undefined ? contacts : 9), rules });
  const wave = { wave: 1, from: '+14155550100', start: T0, interval: MINUTE, rows: [0, contacts] };
  applyEvent({ event: 'handed', at: T0, ...wave }, loaded, 0);
  for (const [row, minutes] of calls.entries()) applyEvent(called(row % contacts, T0 + minutes * MINUTE), loaded, 0);
  return loaded;
}

/** What the plan does at so many minutes: until when it waits, or how it ends. */
function at(loaded: LoadedPlan, minutes: number): [string, number | string] {
  const now = T0 + minutes * MINUTE;
  for (const event of overdue(loaded, now)) applyEvent(event, loaded, 0);
  const next = decide(loaded, { now });
  if (next.kind === 'wait') return [next.why, (next.at - T0) / MINUTE];
  return next.kind === 'halt' ? [next.event.event, next.event.reason] : [next.kind, ''];
}

test.each<[string, Partial<PlanRules>, string]>([
  ['a probe', PROBE, 'first_look'],
  ['a canary', CANARY, 'canary'],
])('%s waits two hours after its last call, or as long as was asked', (_what, rules, why) => {
  const contacts = rules.canary ?? 1;
  const calls = [0, 1].slice(0, contacts);
  const last = contacts - 1;
  const loaded = afterCalls(rules, contacts, calls);
  expect(at(loaded, 10)).toEqual([why, last + 120]);
  expect(at(loaded, last + 119)).toEqual([why, last + 120]);
  expect(at(loaded, last + 120)[0]).toBe(rules.isProbe ? 'done' : 'waiting');
  const asked = afterCalls({ ...rules, firstLook: 6 * HOUR }, contacts, calls);
  expect(at(asked, last + 120)).toEqual([why, last + 360]);
});

test.each<[string, number[], string, RegExp]>([
  ['in time', [0], 'done', /did as it was told: one call was made, once, in time, and no other within 2 h\.$/],
  ['a little late', [0.5], 'done', /once, 30 s late at most, and no other/],
  ['five hours late', [300], 'stopped', /did not do as it was told: its last call was 5 h late\.$/],
  ['too early', [-4], 'stopped', /its first call was 4 min early\.$/],
  ['again by itself', [0, 60], 'stopped', /it made 2 calls to 1 contact, its last call was 1 h late\.$/],
  ['never', [], 'stopped', /1 of 1 contact had no call in the log within a day\.$/],
])('the verdict on a service that calls a probe %s', (_how, calls, event, says) => {
  const [ended, reason] = at(afterCalls(PROBE, 1, calls), 26 * 60);
  expect([ended, reason]).toEqual([event, expect.stringMatching(says)]);
});

test('a canary waits with the verdict in its reason, and other plans wait for nothing', () => {
  expect(at(afterCalls(CANARY, 2, [0, 61]), 26 * 60)).toEqual([
    'waiting',
    expect.stringMatching(/^The first wave is over\. The service did not .* 1 h late\. The others are called when/),
  ]);
  expect(at(afterCalls({ retry: {} }, 1, [0]), 1)).toEqual(['done', '']);
});

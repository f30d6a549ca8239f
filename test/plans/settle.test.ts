/** What the log and the clock say about a plan. */
import { describe, expect, test } from 'vitest';
import { lastingOf, type SeenCall, reconcileCalls as settle } from '../../src/plans/log/attempts.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import { halts, overdue } from '../../src/plans/rules/halts.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { UNSEEN_AFTER } from '../../src/plans/rules/rules.ts';
import { DAY, dailyHours, HOUR, type InMemory, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const NINE = T0 + 9 * HOUR;
const NOW = NINE + HOUR;

function seen(row: number, status: string, more: Partial<SeenCall> = {}): SeenCall {
  const at = NINE + row * MINUTE;
  return { row, wave: 1, at, status, outcome: 'x', isVoicemail: false, seconds: 0, isAmbiguous: false, ...more };
}

/** A plan whose wave 1 began at nine with all contacts. */
function begun(count: number, more: Partial<InMemory> = {}): LoadedPlan {
  const loaded = planInMemory({ contacts: phones(count), hours: dailyHours([540, 600]), ...more });
  const wave = { wave: 1, from: '+14155550100', start: NINE, interval: MINUTE, rows: [0, count] };
  applyEvent({ event: 'handed', at: NINE, ...wave }, loaded, 0);
  return loaded;
}

function apply(loaded: LoadedPlan, events: readonly PlanEvent[]): void {
  for (const event of events) applyEvent(event, loaded, 0);
}

function shortly(events: readonly PlanEvent[]): string[] {
  return events.map((event) => {
    if (event.event === 'called') return `called ${event.row} ${event.result}`;
    return 'reason' in event ? `${event.event}: ${event.reason}` : event.event;
  });
}

describe('settle', () => {
  test('gives each final call once, in the order of time', () => {
    const loaded = begun(6);
    const calls = [
      seen(2, 'completed', { seconds: 70, callId: 'c2', recordingUrl: 'https://r/2' }),
      seen(0, 'busy'),
      seen(1, 'completed', { isVoicemail: true, isAmbiguous: true }),
      seen(3, 'in_progress'),
      seen(4, 'no_answer'),
      seen(4, 'no_answer'),
      seen(5, 'failed'),
    ];
    const events = settle(loaded, calls, NOW);
    expect(shortly(events)).toEqual([
      'called 0 busy',
      'called 1 voicemail',
      'called 2 reached',
      'called 4 no_answer',
      'called 5 failed',
    ]);
    expect(events[2]).toEqual({
      ...{ event: 'called', at: NINE + 2 * MINUTE, row: 2, wave: 1, result: 'reached', status: 'completed' },
      ...{ outcome: 'x', seconds: 70, call_id: 'c2', recording_url: 'https://r/2' },
    });
    expect(events[1]).toMatchObject({ ambiguous: true });
    apply(loaded, events);
    expect(settle(loaded, calls, NOW)).toEqual([]);
    expect(shortly(settle(loaded, [...calls, seen(3, 'busy')], NOW))).toEqual(['called 3 busy']);
  });

  test('takes an old call for nobody else’s, although newer ones have pushed it out of what is kept', () => {
    // The second row has the same phone: its call at nine was news of it, and the first row waits for its own still.
    const loaded = begun(2, { contacts: [{ phone: 49_1 }, { phone: 49_1 }] });
    const old = seen(1, 'no_answer', { at: NINE });
    apply(loaded, settle(loaded, [old], NOW));
    for (let later = 1; later <= loaded.roster.dials; later++)
      apply(loaded, [{ event: 'others', at: NINE + later * MINUTE, row: 0 }]);
    const read = { ...old, row: 0 };
    const told = (whose: 'own' | 'others') => (row: number) => new Map(row === 1 ? [[NINE, whose] as const] : []);
    expect(settle(loaded, [read], NOW, told('own'))).toEqual([]);
    expect(settle(loaded, [read], NOW, told('others'))).toEqual([]);
    expect(shortly(settle(loaded, [{ ...read, at: NINE + 1 }], NOW, told('own')))).toEqual(['called 0 no_answer']);
  });

  test('says how long calls last that are going on, as far as is known', () => {
    const loaded = begun(4);
    const calls = [
      seen(0, 'in_progress'),
      seen(1, 'in_progress', { seconds: 9000 }),
      seen(1, 'ringing'),
      seen(2, 'completed', { seconds: 5000 }),
      seen(3, 'in_progress', { wave: 2 }),
    ];
    apply(loaded, settle(loaded, calls, NOW));
    expect(lastingOf(loaded, calls, NOW)).toEqual([3600, 9000]);
    apply(loaded, settle(loaded, [seen(0, 'busy')], NOW));
    expect(lastingOf(loaded, calls, NOW)).toEqual([9000]);
  });

  test('knows a call although others have called the phone since', () => {
    const loaded = begun(1);
    apply(loaded, settle(loaded, [seen(0, 'busy')], NOW));
    apply(loaded, [{ event: 'others', at: NOW, row: 0 }]);
    expect(settle(loaded, [seen(0, 'busy')], NOW)).toEqual([]);
  });

  test('believes what it sees after a day: the contact is unseen no longer', () => {
    const loaded = begun(1);
    apply(loaded, overdue(loaded, NOW + 2 * DAY));
    expect(loaded.roster.stateOf(0)).toBe('unseen');
    apply(loaded, settle(loaded, [seen(0, 'busy')], NOW + 2 * DAY));
    expect(loaded.roster.stateOf(0)).toBe('again');
  });

  test('of somebody who was recalled is known where it was counted for another row of the phone', () => {
    const loaded = begun(2, { contacts: [{ phone: 49_1 }, { phone: 49_1 }] });
    apply(loaded, overdue(loaded, NOW + 2 * DAY));
    apply(loaded, [{ event: 'resumed', at: NOW + 2 * DAY, recalls: true }]);
    const counted = (row: number) => new Map(row === 1 ? [[seen(0, 'busy').at, 'own'] as const] : []);
    expect(settle(loaded, [seen(0, 'busy')], NOW + 2 * DAY, counted)).toEqual([]);
  });

  test('of somebody who was recalled takes each call that the journal does not have, however old, and only once', () => {
    const loaded = begun(1);
    apply(loaded, overdue(loaded, NOW + 2 * DAY));
    apply(loaded, [{ event: 'resumed', at: NOW + 2 * DAY, recalls: true }]);
    const counted = new Map<number, 'own'>();
    const old = () => settle(loaded, [seen(0, 'busy')], NOW + 2 * DAY, () => counted);
    expect(shortly(old())).toEqual(['called 0 busy']);
    apply(loaded, old());
    counted.set(seen(0, 'busy').at, 'own');
    expect(old()).toEqual([]);
    expect(loaded.position.state).toBe('open');
  });

  test.each<[string, Partial<SeenCall>[], string[]]>([
    ['twice', [{}, { at: NINE + 5 * MINUTE }], ['A contact of wave 1 was called more than once.']],
    ['twice, perhaps by another campaign', [{}, { at: NINE + 5 * MINUTE, isAmbiguous: true }], []],
    [
      'before nine',
      [{ at: NINE - 1 }],
      ['A contact of wave 1 was called at 2026-11-23T08:59:59.999Z, outside the hours of the plan.'],
    ],
    ['at nine', [{ at: NINE }], []],
    ['in the last millisecond', [{ at: NOW - 1 }], []],
    [
      'at ten',
      [{ at: NOW }],
      ['A contact of wave 1 was called at 2026-11-23T10:00:00.000Z, outside the hours of the plan.'],
    ],
    ['at ten, perhaps by another campaign', [{ at: NOW, isAmbiguous: true }], []],
  ])('a contact called %s', (_what, calls, reasons) => {
    const loaded = begun(2);
    const events = settle(
      loaded,
      calls.map((call) => seen(0, 'busy', call)),
      NOW,
    );
    expect(shortly(events)).toEqual([...calls.map(() => 'called 0 busy'), ...reasons.map((why) => `stopped: ${why}`)]);
    apply(loaded, events);
    expect(loaded.position.state).toBe(reasons.length > 0 ? 'stopped' : 'open');
    // Once somebody has said to go on, the same calls do not stop it again.
    apply(loaded, [{ event: 'resumed', at: NOW }]);
    expect(
      settle(
        loaded,
        calls.map((call) => seen(0, 'busy', call)),
        NOW,
      ),
    ).toEqual([]);
  });

  test('does not stop what is over already', () => {
    const loaded = begun(1);
    apply(loaded, [{ event: 'cancelled', at: NOW, reason: '' }]);
    expect(shortly(settle(loaded, [seen(0, 'busy', { at: NOW })], NOW))).toEqual(['called 0 busy']);
  });
});

describe('overdue', () => {
  const end = NINE + 3 * MINUTE;

  test('after a day the calls that were not seen are given up, not before', () => {
    const loaded = begun(3);
    apply(loaded, settle(loaded, [seen(1, 'reached'), seen(1, 'completed')], NOW));
    expect(overdue(loaded, end + UNSEEN_AFTER - 1)).toEqual([]);
    expect(overdue(loaded, end + UNSEEN_AFTER)).toEqual([
      { event: 'unseen', at: end + UNSEEN_AFTER, rows: [0, 1, 2, 1] },
    ]);
    apply(loaded, overdue(loaded, end + UNSEEN_AFTER));
    expect(loaded.position.open).toEqual([]);
    expect(overdue(loaded, end + 9 * DAY)).toEqual([]);
  });

  test('at the end of the plan those who wait are left, and those whose call is awaited are not', () => {
    const loaded = begun(2, { rules: { end: NOW } });
    apply(loaded, settle(loaded, [seen(0, 'busy')], NOW - 1));
    expect(overdue(loaded, NOW - 1)).toEqual([]);
    expect(overdue(loaded, NOW)).toEqual([{ event: 'left', at: NOW, rows: [0, 1] }]);
  });

  test('a busy line is not called again by a plan that was cancelled', () => {
    const loaded = begun(1);
    apply(loaded, [{ event: 'cancelled', at: NOW, reason: '' }]);
    apply(loaded, settle(loaded, [seen(0, 'busy')], NOW));
    expect(overdue(loaded, NOW)).toEqual([{ event: 'left', at: NOW, rows: [0, 1] }]);
  });
});

describe('halts', () => {
  const rules = { stopOn: { result: 'busy', share: 0.5, over: 4 }, maxAttempts: 9 } as const;

  test.each<[string, string[], string[]]>([
    ['too few attempts', ['busy', 'busy', 'busy'], []],
    [
      'the share is reached',
      ['completed', 'busy', 'completed', 'busy'],
      ['stopped: 2 of the last 4 attempts had the result busy.'],
    ],
    ['the share is not reached', ['completed', 'busy', 'completed', 'no_answer'], []],
    ['it was reached longer ago', ['busy', 'busy', 'completed', 'no_answer', 'completed'], []],
  ])('the breaker: %s', (_when, statuses, halted) => {
    const loaded = begun(6, { rules });
    apply(
      loaded,
      settle(
        loaded,
        statuses.map((status, row) => seen(row, status)),
        NOW,
      ),
    );
    expect(shortly(halts(loaded, NOW))).toEqual(halted);
    apply(loaded, halts(loaded, NOW));
    apply(loaded, [{ event: 'resumed', at: NOW }]);
    expect(halts(loaded, NOW)).toEqual([]);
  });

  test('the canary waits when all its calls were seen, and only then', () => {
    const loaded = planInMemory({ contacts: phones(3), rules: { canary: 2 } });
    expect(halts(loaded, NINE)).toEqual([]);
    const wave = { wave: 1, from: '+14155550100', start: NINE, interval: MINUTE, rows: [0, 2] };
    apply(loaded, [{ event: 'handed', at: NINE, ...wave }]);
    apply(loaded, settle(loaded, [seen(0, 'completed')], NOW));
    expect(halts(loaded, NOW)).toEqual([]);
    apply(loaded, settle(loaded, [seen(1, 'completed')], NOW));
    expect(halts(loaded, NOW)).toMatchObject([{ event: 'waiting' }]);
    apply(loaded, halts(loaded, NOW));
    expect(halts(loaded, NOW)).toEqual([]);
    apply(loaded, [{ event: 'resumed', at: NOW }]);
    expect(halts(loaded, NOW)).toEqual([]);
  });

  test('the budget stops a plan when no call fits and none is awaited', () => {
    const money = { budget: 3_000_000, pricePerMinute: 100_000, longest: 300 };
    const loaded = planInMemory({ contacts: phones(9), rules: money });
    const wave = { wave: 1, from: '+14155550100', start: NINE, interval: MINUTE, rows: [0, 2] };
    apply(loaded, [{ event: 'handed', at: NINE, ...wave }]);
    apply(loaded, settle(loaded, [seen(0, 'completed', { seconds: 26 * 60 })], NOW));
    expect(halts(loaded, NOW)).toEqual([]);
    apply(loaded, settle(loaded, [seen(1, 'busy')], NOW));
    // 26 minutes cost 2.6; another such call would cost as much.
    expect(shortly(halts(loaded, NOW))).toEqual([
      'stopped: The budget of 3 allows no further call: 2.6 was spent, and the next call may cost 2.6.',
    ]);
  });

  test('a plan is done when nobody is to be called and no call is awaited', () => {
    const loaded = begun(1);
    expect(halts(loaded, NOW)).toEqual([]);
    apply(loaded, settle(loaded, [seen(0, 'completed')], NOW));
    expect(halts(loaded, NOW)).toEqual([{ event: 'done', at: NOW, reason: '' }]);
    apply(loaded, halts(loaded, NOW));
    expect(halts(loaded, NOW)).toEqual([]);
  });
});

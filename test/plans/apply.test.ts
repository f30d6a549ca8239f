/** Each event of the journal, applied in each state of a contact. */
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/contract.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import type { Called, PlanEvent } from '../../src/plans/rules/events.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { CONTACT_STATES, type ContactState } from '../../src/plans/rules/roster.ts';
import { casesBeside } from '../support/cases.ts';
import { HOUR, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const cases = casesBeside(import.meta.filename);

const FROM = '+14155550100';

function handed(wave: number, rows: number[], start = T0): PlanEvent {
  return { event: 'handed', at: start, wave, from: FROM, start, interval: MINUTE, rows };
}

function called(row: number, result: Result, more: Partial<Called> = {}): Called {
  const status = result === 'reached' || result === 'voicemail' ? 'completed' : result;
  return { event: 'called', at: T0 + row * MINUTE, row, wave: 1, result, status, outcome: 'x', seconds: 61, ...more };
}

function applied(loaded: LoadedPlan, ...events: PlanEvent[]): LoadedPlan {
  for (const event of events) applyEvent(event, loaded, 7);
  return loaded;
}

function statesOf({ roster }: LoadedPlan): ContactState[] {
  return Array.from({ length: roster.size }, (_none, row) => roster.stateOf(row));
}

function countsAddUp({ roster, plan }: LoadedPlan): void {
  const states = statesOf({ roster } as LoadedPlan);
  for (const state of CONTACT_STATES) {
    expect(roster.counts[state]).toBe(states.filter((found) => found === state).length);
  }
  expect(Object.values(roster.counts).reduce((sum, count) => sum + count)).toBe(plan.contacts);
}

describe('a wave', () => {
  test('takes its contacts, counts an attempt, and sets the earliest start of the next one', () => {
    const loaded = applied(planInMemory({ contacts: phones(4) }), handed(1, [1, 2]));
    expect(statesOf(loaded)).toEqual(['new', 'handed', 'handed', 'new']);
    expect([1, 2].map((row) => [loaded.roster.attemptsOf(row), loaded.roster.waveOf(row)])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(loaded.position).toMatchObject({ waves: 1, nextStart: T0 + 2 * MINUTE });
    expect(loaded.position.given).toEqual([{ from: FROM, at: T0, contacts: 2 }]);
    expect(loaded.position.open).toEqual([
      {
        ...{ wave: 1, from: FROM, start: T0, interval: MINUTE, contacts: 2, unsettled: 2, outcome: 'sending' },
        ...{ entry: undefined, campaignId: undefined, journalAt: 7 },
      },
    ]);
  });

  test.each(['accepted', 'unknown'] as const)('that was %s keeps them', (outcome) => {
    const loaded = planInMemory({ contacts: phones(2) });
    applied(loaded, handed(1, [0, 2]), { event: 'answered', at: T0, wave: 1, outcome, campaign_id: 5 });
    expect(statesOf(loaded)).toEqual(['handed', 'handed']);
    expect(loaded.position.open).toMatchObject([{ outcome, campaignId: 5 }]);
  });

  test('that was not placed leaves everything but its number as it was', () => {
    const loaded = planInMemory({ contacts: phones(3) });
    applied(loaded, handed(1, [0, 2]), called(0, 'busy'), { event: 'unseen', at: T0 + HOUR, rows: [1, 1] });
    const before = structuredClone(loaded.position);
    const due = loaded.roster.dueOf(0);
    const start = T0 + 2 * HOUR;
    applied(loaded, handed(2, [0, 1, 2, 1], start), { event: 'answered', at: start, wave: 2, outcome: 'not_placed' });
    expect(statesOf(loaded)).toEqual(['again', 'unseen', 'new']);
    expect([0, 1, 2].map((row) => loaded.roster.attemptsOf(row))).toEqual([1, 1, 0]);
    expect(loaded.roster.dueOf(0)).toBe(due);
    expect(loaded.position).toEqual({ ...before, waves: 2, notPlaced: 1, nextStart: start });
    applied(loaded, handed(3, [2, 1], start));
    expect(loaded.roster.stateOf(2)).toBe('handed');
    countsAddUp(loaded);
  });
});

describe('what comes of a call that is awaited', () => {
  test.each(cases<[Result, Partial<Called>, number, ContactState, number]>('awaited'))(
    '%s %j at attempt %i of 3: %s',
    (result, more, attempt, state, due) => {
      const loaded = planInMemory({ contacts: phones(1) });
      loaded.roster.setAttempts(0, attempt - 1);
      applied(loaded, handed(1, [0, 1]), called(0, result, more));
      expect(loaded.roster.stateOf(0)).toBe(state);
      expect(loaded.roster.dueOf(0)).toBe(due === 0 ? 0 : T0 + due * MINUTE);
      expect(loaded.roster.dialOf(0, 0)).toBe(T0);
      expect(loaded.position.open).toEqual([]);
      countsAddUp(loaded);
    },
  );

  test('is counted: attempts, the price of started minutes, the longest, the first, the last and the latest', () => {
    const rules = { pricePerMinute: 100_000, stopOn: { result: 'failed', share: 0.5, over: 2 } } as const;
    const loaded = planInMemory({ contacts: phones(3), rules });
    applied(loaded, handed(1, [0, 3]), called(1, 'reached'), called(0, 'busy', { seconds: 0 }));
    applied(loaded, called(2, 'reached', { seconds: 400 }));
    expect(loaded.position).toMatchObject({
      ...{ attempts: 3, spent: 900_000, longest: 400, firstCall: T0, lastCall: T0 + 2 * MINUTE },
      latest: ['busy', 'reached'],
    });
  });

  test('is a dial of every row of the phone, and so is a call by others', () => {
    const loaded = planInMemory({ contacts: [{ phone: 49_1 }, { phone: 49_2 }, { phone: 49_1 }] });
    applied(loaded, handed(1, [0, 1]), called(0, 'busy'), { event: 'others', at: T0 + HOUR, row: 1 });
    expect([0, 1, 2].map((row) => loaded.roster.dialOf(row, 0))).toEqual([T0, T0 + HOUR, T0]);
    expect(statesOf(loaded)).toEqual(['again', 'new', 'new']);
  });

  test('an opt-out excludes every row of the phone that waits', () => {
    const loaded = planInMemory({ contacts: [{ phone: 49_1 }, { phone: 49_1 }, { phone: 49_2 }] });
    applied(loaded, handed(1, [0, 1]), called(0, 'reached', { outcome: 'opted_out' }));
    expect(statesOf(loaded)).toEqual(['excluded', 'excluded', 'new']);
    countsAddUp(loaded);
  });
});

describe('news that comes late', () => {
  test.each(cases<[string, Partial<Called>, ContactState[]]>('late'))('%s', (_what, event, states) => {
    const loaded = planInMemory({ contacts: phones(CONTACT_STATES.length) });
    for (const [row, state] of CONTACT_STATES.entries()) {
      loaded.roster.setWave(row, 1);
      loaded.roster.setAttempts(row, 1);
      loaded.roster.setState(row, state);
    }
    for (const row of CONTACT_STATES.keys()) {
      const whole =
        'result' in event ? called(row, event.result as Result, event) : { at: T0, rows: [row, 1], ...event };
      applied(loaded, whole as PlanEvent);
    }
    countsAddUp(loaded);
    expect(statesOf(loaded)).toEqual(states);
  });

  test('a recalled contact whose first call was a talk after all is not called a third time', () => {
    const loaded = planInMemory({ contacts: phones(1) });
    applied(loaded, handed(1, [0, 1]), { event: 'unseen', at: T0 + 25 * HOUR, rows: [0, 1] });
    expect(loaded.position.open).toEqual([]);
    const at = T0 + 26 * HOUR;
    applied(loaded, { event: 'resumed', at, recalls: true }, handed(2, [0, 1], at), called(0, 'reached'));
    expect(statesOf(loaded)).toEqual(['handed']);
    applied(loaded, called(0, 'busy', { wave: 2, at }));
    expect(statesOf(loaded)).toEqual(['reached']);
    countsAddUp(loaded);
  });

  test('who was recalled is called no more if the last call comes to light with a result that is never tried again', () => {
    const loaded = planInMemory({ contacts: phones(2), rules: { maxAttempts: 4 } });
    const unseen = { event: 'unseen', at: T0 + 25 * HOUR, rows: [0, 2] } as const;
    const resumed = { event: 'resumed', at: T0 + 26 * HOUR, recalls: true } as const;
    applied(loaded, handed(1, [0, 2]), unseen, resumed, called(0, 'failed'), called(1, 'busy'));
    expect(statesOf(loaded)).toEqual(['exhausted', 'again']);
    // One that was made before the last wave does not decide.
    applied(loaded, handed(2, [1, 1], T0 + 27 * HOUR), called(1, 'busy', { wave: 2, at: T0 + 27 * HOUR }));
    applied(loaded, called(1, 'failed', { wave: 1, at: T0 + HOUR }));
    expect(statesOf(loaded)).toEqual(['exhausted', 'again']);
    countsAddUp(loaded);
  });

  test('a call that nobody saw counts as a dial of its phone at the end of its wave', () => {
    const loaded = planInMemory({ contacts: [{ phone: 49_1 }, { phone: 49_2 }, { phone: 49_1 }] });
    applied(loaded, handed(1, [0, 2]), called(1, 'busy'), { event: 'unseen', at: T0 + 25 * HOUR, rows: [0, 1] });
    expect([0, 1, 2].map((row) => loaded.roster.dialOf(row, 0))).toEqual([
      T0 + 2 * MINUTE,
      T0 + MINUTE,
      T0 + 2 * MINUTE,
    ]);
  });

  test('who has no attempt left is not recalled', () => {
    const loaded = planInMemory({ contacts: phones(1), rules: { maxAttempts: 1 } });
    applied(loaded, handed(1, [0, 1]), { event: 'unseen', at: T0, rows: [0, 1] });
    applied(loaded, { event: 'resumed', at: T0, recalls: true });
    expect(statesOf(loaded)).toEqual(['exhausted']);
  });
});

describe('the state of a plan', () => {
  test.each(['stopped', 'waiting', 'cancelled', 'done'] as const)('%s, and open again', (event) => {
    const loaded = planInMemory({ contacts: phones(1), rules: { stopOn: { result: 'busy', share: 1, over: 9 } } });
    applied(loaded, handed(1, [0, 1]), called(0, 'busy'), { event, at: T0, reason: 'because' });
    expect(loaded.position).toMatchObject({ state: event, reason: 'because', latest: ['busy'] });
    applied(loaded, { event: 'resumed', at: T0 });
    expect(loaded.position).toMatchObject({ state: 'open', reason: '', latest: [] });
  });

  test.each<[string, PlanEvent[], boolean]>([
    ['before the first wave', [{ event: 'stopped', at: T0, reason: '' }], false],
    ['while its calls are awaited', [handed(1, [0, 1]), { event: 'stopped', at: T0, reason: '' }], false],
    ['when they were seen', [handed(1, [0, 1]), called(0, 'busy'), { event: 'stopped', at: T0, reason: '' }], true],
    ['when it waits', [handed(1, [0, 2]), { event: 'waiting', at: T0, reason: '' }], true],
    [
      'after a wave that was not placed',
      [handed(1, [0, 1]), { event: 'answered', at: T0, wave: 1, outcome: 'not_placed' }],
      false,
    ],
  ])('a resume passes the canary, %s: %j', (_when, events, hasPassed) => {
    const loaded = planInMemory({ contacts: phones(3), rules: { canary: 1 } });
    applied(loaded, ...events, { event: 'resumed', at: T0 });
    expect(loaded.position.hasPassedCanary).toBe(hasPassed);
  });
});

test('a revision of a call before the last one leaves a contact who is called again where it is, unless somebody talked', () => {
  const revised = (result: Result, was: Result): PlanEvent => ({
    ...called(0, result, { seconds: 10 }),
    ...{ event: 'revised', was: { result: was, seconds: 0 } },
  });
  const twice = () => {
    const loaded = applied(planInMemory({ contacts: phones(1) }), handed(1, [0, 1]), called(0, 'busy'));
    return applied(loaded, handed(2, [0, 1], T0 + HOUR), called(0, 'no_answer', { wave: 2, at: T0 + HOUR }));
  };
  const due = T0 + 5 * HOUR;
  for (const [result, state] of [
    ['failed', 'again'],
    ['no_answer', 'again'],
    ['reached', 'reached'],
  ] as const) {
    const loaded = applied(twice(), revised(result, 'busy'));
    expect([loaded.roster.stateOf(0), loaded.roster.dueOf(0)]).toEqual([state, due]);
    expect([loaded.roster.attemptsOf(0), loaded.position.attempts]).toEqual([2, 2]);
    countsAddUp(loaded);
  }
});

test('a revision stands for the first result where the breaker counts', () => {
  const rules = { stopOn: { result: 'failed', share: 0.5, over: 3 } } as const;
  const loaded = applied(planInMemory({ contacts: phones(3), rules }), handed(1, [0, 3]));
  applied(loaded, called(0, 'failed'), called(1, 'failed'), called(2, 'busy'));
  const was = { result: 'failed', seconds: 0 } as const;
  applied(loaded, { ...called(1, 'reached'), event: 'revised', was });
  expect(loaded.position.latest).toEqual(['failed', 'reached', 'busy']);
});

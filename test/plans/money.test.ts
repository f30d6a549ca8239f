/** What may have been charged stays charged, until a call says what it really cost. */
import { expect, test } from 'vitest';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { affordable, uncharged } from '../../src/plans/rules/capacity.ts';
import type { PlanEvent } from '../../src/plans/rules/events.ts';
import { halts } from '../../src/plans/rules/halts.ts';
import { Roster } from '../../src/plans/rules/roster.ts';
import { DAY, HOUR, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';

const AMOUNT = 1_000_000;
/** Ten calls of five minutes. */
const RULES = { budget: 5 * AMOUNT, pricePerMinute: AMOUNT / 10, longest: 300, maxAttempts: 4 };

const start = (wave: number) => T0 + wave * 2 * DAY;

const handed = (wave: number, count: number): PlanEvent => {
  const rest = { from: '+14155550100', start: start(wave), interval: MINUTE, rows: [0, count] };
  return { event: 'handed', at: start(wave), wave, ...rest };
};

const unseen = (wave: number, count: number): PlanEvent => ({
  ...{ event: 'unseen', at: start(wave) + 25 * HOUR, rows: [0, count] },
});

const recalled = (wave: number): PlanEvent => ({ event: 'resumed', at: start(wave) + 26 * HOUR, recalls: true });

const called = (wave: number, row: number, seconds: number, after = 0): PlanEvent => {
  const status = seconds === 0 ? 'busy' : 'completed';
  const said = { status, outcome: 'x', seconds, result: seconds === 0 ? 'busy' : 'reached' } as const;
  return { event: 'called', at: start(wave) + row * MINUTE + after, row, wave, ...said };
};

test.each<[string, PlanEvent[], { uncharged: number; calls: number }]>([
  ['waited for', [handed(1, 4)], { uncharged: 4, calls: 6 }],
  ['never seen', [handed(1, 4), unseen(1, 4)], { uncharged: 4, calls: 6 }],
  ['recalled', [handed(1, 4), unseen(1, 4), recalled(1)], { uncharged: 4, calls: 6 }],
  [
    'recalled and waited for again',
    [handed(1, 4), unseen(1, 4), recalled(1), handed(2, 4)],
    { uncharged: 8, calls: 2 },
  ],
  [
    'recalled twice',
    [handed(1, 4), unseen(1, 4), recalled(1), handed(2, 4), unseen(2, 4), recalled(2)],
    { uncharged: 8, calls: 2 },
  ],
  ['recalled, and seen late', [handed(1, 4), unseen(1, 4), recalled(1), called(1, 0, 60)], { uncharged: 3, calls: 6 }],
  [
    'recalled, called again, and the first seen late',
    [handed(1, 4), unseen(1, 4), recalled(1), handed(2, 4), called(1, 0, 0)],
    { uncharged: 7, calls: 3 },
  ],
  [
    'recalled, the second seen, and the first too',
    [handed(1, 2), unseen(1, 2), recalled(1), handed(2, 2), called(2, 0, 0), called(1, 0, 0)],
    { uncharged: 2, calls: 8 },
  ],
  [
    'recalled, and the second was made twice: that says nothing of the first',
    [handed(1, 1), unseen(1, 1), recalled(1), handed(2, 1), called(2, 0, 0), called(2, 0, 0, HOUR)],
    { uncharged: 1, calls: 9 },
  ],
  [
    'recalled, and the wave after it was certainly not placed',
    [
      ...[handed(1, 3), unseen(1, 3), recalled(1), handed(2, 3)],
      { event: 'answered', at: start(2), wave: 2, outcome: 'not_placed' },
    ],
    { uncharged: 3, calls: 7 },
  ],
])('attempts that were %s', (_what, events, expected) => {
  const loaded = planInMemory({ contacts: phones(20), rules: RULES });
  for (const event of events) applyEvent(event, loaded, 0);
  expect({ uncharged: uncharged(loaded), calls: affordable(loaded) }).toEqual(expected);
  const { roster } = loaded;
  // The same when it is read from its files.
  const again = new Roster(roster.size, roster.dials);
  for (let row = 0; row < roster.size; row++) {
    const { numbers, dials } = roster.recordOf(row);
    again.restore(row, [...numbers, ...dials], 0);
  }
  expect(uncharged({ ...loaded, roster: again })).toBe(expected.uncharged);
});

test('a plan that has handed over all that its budget allows is stopped by it, however often it is recalled', () => {
  const loaded = planInMemory({ contacts: phones(20), rules: RULES });
  for (const event of [handed(1, 10), unseen(1, 10), recalled(1)]) applyEvent(event, loaded, 0);
  const [stopped] = halts(loaded, start(1) + 27 * HOUR);
  expect(stopped).toMatchObject({
    event: 'stopped',
    reason: expect.stringContaining('up to 5 more by calls that were never seen'),
  });
});

test('who has no attempt left stays charged', () => {
  const loaded = planInMemory({ contacts: phones(20), rules: { ...RULES, maxAttempts: 1 } });
  for (const event of [handed(1, 10), unseen(1, 10), recalled(1)]) applyEvent(event, loaded, 0);
  expect([loaded.roster.stateOf(0), affordable(loaded)]).toEqual(['exhausted', 0]);
});

test('a plan that its budget stopped says at each look what is true of it by then', () => {
  const loaded = planInMemory({ contacts: phones(3), rules: { ...RULES, budget: AMOUNT / 2 } });
  const said = () => {
    const events = halts(loaded, T0 + DAY);
    for (const event of events) applyEvent(event, loaded, 0);
    return events.map(({ event, reason }) => [event, reason]);
  };
  const revised = (seconds: number, was: number): PlanEvent => {
    const call = called(1, 0, seconds) as Extract<PlanEvent, { event: 'called' }>;
    return { ...call, event: 'revised', was: { result: was === 0 ? 'busy' : 'reached', seconds: was } };
  };
  for (const event of [handed(1, 1), called(1, 0, 60)]) applyEvent(event, loaded, 0);
  const none = 'The budget of 0.5 allows no further call: 0.1 was spent, and the next call may cost 0.5.';
  expect(said()).toEqual([['stopped', none]]);
  expect(said()).toEqual([]);
  applyEvent(revised(0, 60), loaded, 0);
  const one = 'The budget of 0.5 allows 1 more call by what is known now: 0 was spent.';
  expect(said()).toEqual([['stopped', one]]);
  expect(said()).toEqual([]);
  applyEvent(revised(60, 0), loaded, 0);
  expect(said()).toEqual([['stopped', none]]);
});

/** What else this machine has sent holds phones of a plan until it is over, and no longer. */
import { describe, expect, test } from 'vitest';
import { type Pending, pendingUntilOf } from '../../src/plans/rules/pending.ts';
import { DIAL_MARKS, type DialMark } from '../../src/plans/rules/roster.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { DAY, HOUR, MINUTE, phones, planInMemory } from '../support/plans.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const CONTACTS = phones(3);

/** Calls the second and the third phone, ten minutes after one another. */
const busy = (fields: Partial<Pending> = {}): Pending => ({
  key: 1,
  phones: () => CONTACTS.slice(1).map(({ phone }) => phone),
  start: START,
  interval: 10 * MINUTE,
  attempts: 1,
  retryDelay: 0,
  until: START + HOUR,
  isCertain: false,
  ...fields,
});

/** A dial of the plan itself or of people unknown, unless it is marked. */
type Dialled = [row: number, at: number, mark?: DialMark];
const { sent: SENT, answered: ANSWERED } = DIAL_MARKS;

function freeAt(all: readonly Pending[], now: number, dials: Dialled[] = [], rules: Partial<PlanRules> = {}) {
  const loaded = planInMemory({ contacts: CONTACTS, rules });
  for (const [row, at, mark] of dials) loaded.roster.addDial(row, at, mark);
  const free = pendingUntilOf(loaded, all, now);
  return [0, 1, 2].map((row) => (free(row) === 0 ? 0 : (free(row) - START) / MINUTE));
}

describe('phones of another campaign', () => {
  test('are held until it must be over and the log had time to show it, the others not at all', () => {
    expect(freeAt([busy()], START)).toEqual([0, 75, 75]);
    expect(freeAt([busy()], START + 74 * MINUTE)).toEqual([0, 75, 75]);
    expect(freeAt([busy()], START + 75 * MINUTE)).toEqual([0, 0, 0]);
  });

  test('are held as long as a cap would with each call that may have been made', () => {
    const cap = (count: number) => ({ maxPerNumber: { count, within: 2 * HOUR } });
    expect(freeAt([busy()], START, [], cap(1))).toEqual([0, 180, 180]);
    expect(freeAt([busy()], START, [], cap(2))).toEqual([0, 75, 75]);
    expect(freeAt([busy()], START, [[1, START - 20 * MINUTE]], cap(2))).toEqual([0, 100, 75]);
    expect(freeAt([busy({ attempts: 2 })], START, [], cap(2))).toEqual([0, 180, 180]);
  });

  test('are free when the log shows the only call of each, and not by a call before it was due', () => {
    const shown = (second: Dialled, third: Dialled) => freeAt([busy()], START + 20 * MINUTE, [second, third]);
    expect(shown([1, START, SENT], [2, START + 5 * MINUTE, SENT])).toEqual([0, 0, 75]);
    expect(shown([1, START, SENT], [2, START + 10 * MINUTE, ANSWERED])).toEqual([0, 0, 0]);
  });

  test('are not free by a call of the plan itself, or of somebody whom this machine does not know', () => {
    expect(freeAt([busy()], START + 20 * MINUTE, [[1, START + MINUTE]])).toEqual([0, 75, 75]);
  });

  test('are held by each of two that were sent, until the log shows as many calls', () => {
    const later = busy({ until: START + 2 * HOUR });
    const rules = { maxPerNumber: { count: 4, within: DAY } };
    const shown = (...dials: Dialled[]) => freeAt([later, busy()], START + 20 * MINUTE, dials, rules)[1];
    expect(shown()).toBe(135);
    expect(shown([1, START, SENT])).toBe(135);
    expect(shown([1, START, SENT], [1, START + MINUTE, SENT])).toBe(0);
    expect(shown([1, START, ANSWERED])).toBe(135);
  });

  test('count as called by the later of two where the cap lets only one more', () => {
    const later = busy({ until: START + 2 * HOUR });
    const rules = { maxPerNumber: { count: 2, within: 3 * HOUR } };
    expect(freeAt([later, busy()], START + 20 * MINUTE, [[1, START, SENT]], rules)[1]).toBe(180);
  });

  test('are not free by a call of one that is over for long', () => {
    const again = busy({ attempts: 2, until: START + 2 * HOUR });
    const once = busy({ until: START + 30 * MINUTE });
    const dials: Dialled[] = [
      [1, START, SENT],
      [1, START + 20 * MINUTE, SENT],
    ];
    const rules = { maxPerNumber: { count: 4, within: 10 * MINUTE } };
    expect(freeAt([again, once], START + HOUR, dials, rules)[1]).toBe(135);
    expect(freeAt([again], START + HOUR, dials, rules)[1]).toBe(0);
  });

  test('are held by one that may call again until all its calls were seen, or one was answered', () => {
    const retrying = busy({ attempts: 2, retryDelay: 5 * MINUTE });
    const rules = { maxPerNumber: { count: 3, within: HOUR } };
    const shown = (...dials: Dialled[]) => freeAt([retrying], START + 5 * MINUTE, dials, rules)[1];
    expect(shown([1, START, SENT])).toBe(75);
    expect(shown([1, START, SENT], [1, START + 4 * MINUTE, SENT])).toBe(0);
    expect(shown([1, START, ANSWERED])).toBe(0);
  });

  test('count as called before one that was answered, as often as there was time for it', () => {
    const retrying = busy({ attempts: 3, retryDelay: 20 * MINUTE });
    const answered = (at: number, dials: Dialled[], count: number) =>
      freeAt([retrying], START + 55 * MINUTE, [...dials, [1, at, ANSWERED]], {
        maxPerNumber: { count, within: 3 * HOUR },
      })[1];
    const answeredAt = (at: number, ...dials: Dialled[]) => answered(at, dials, 2);
    expect(answeredAt(START + MINUTE)).toBe(0);
    expect(answeredAt(START + 25 * MINUTE)).toBe(205);
    expect(answeredAt(START + 45 * MINUTE)).toBe(225);
    // What was seen before it is not missing.
    expect(answeredAt(START + 25 * MINUTE, [1, START + MINUTE, SENT])).toBe(0);
    const twice: Dialled[] = [
      [1, START, SENT],
      [1, START + 22 * MINUTE, SENT],
    ];
    expect(answered(START + 45 * MINUTE, twice, 3)).toBe(0);
    expect(answered(START + 45 * MINUTE, twice.slice(1), 3)).toBe(202);
  });

  test('are free at its end where the log cannot be late', () => {
    const certain = [busy({ isCertain: true })];
    expect(freeAt(certain, START)).toEqual([0, 75, 75]);
    expect(freeAt(certain, START + HOUR - 1)).toEqual([0, 75, 75]);
    expect(freeAt(certain, START + HOUR)).toEqual([0, 0, 0]);
    // Then its calls are in the log.
    expect(freeAt(certain, START, [], { maxPerNumber: { count: 1, within: 2 * HOUR } })).toEqual([0, 180, 180]);
  });

  test('are not read when it is over, and held by the last of several', () => {
    const unread = busy({
      until: START - HOUR,
      phones: () => {
        throw new Error('read');
      },
    });
    expect(freeAt([unread, busy({ until: START + 2 * HOUR }), busy()], START)).toEqual([0, 135, 135]);
  });
});

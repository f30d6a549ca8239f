/** What else this machine has sent holds phones of a plan until it is over, and no longer. */
import { describe, expect, test } from 'vitest';
import { type Busy, freeAtOf } from '../../src/plans/free-at.ts';
import type { PlanRules } from '../../src/plans/rules.ts';
import { HOUR, MINUTE, phones, planInMemory } from '../support/plans.ts';

const START = Date.parse('2026-11-20T09:00:00Z');
const CONTACTS = phones(3);

/** Calls the second and the third phone, ten minutes after one another. */
const busy = (fields: Partial<Busy> = {}): Busy => ({
  phones: () => CONTACTS.slice(1).map(({ phone }) => phone),
  start: START,
  interval: 10 * MINUTE,
  attempts: 1,
  until: START + HOUR,
  isCertain: false,
  ...fields,
});

function freeAt(all: readonly Busy[], now: number, dials: [number, number][] = [], rules: Partial<PlanRules> = {}) {
  const loaded = planInMemory({ contacts: CONTACTS, rules });
  for (const [row, at] of dials) loaded.roster.addDial(row, at);
  const free = freeAtOf(loaded, all, now);
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
    expect(
      freeAt([busy()], START + 20 * MINUTE, [
        [1, START],
        [2, START + 5 * MINUTE],
      ]),
    ).toEqual([0, 0, 75]);
    expect(
      freeAt([busy()], START + 20 * MINUTE, [
        [1, START],
        [2, START + 10 * MINUTE],
      ]),
    ).toEqual([0, 0, 0]);
  });

  test('are held until the end where it may call again, and no longer when a call was seen', () => {
    const retrying = busy({ attempts: 2 });
    expect(freeAt([retrying], START, [[1, START]])).toEqual([0, 60, 75]);
    expect(freeAt([retrying], START + HOUR, [[1, START]])).toEqual([0, 0, 75]);
  });

  test('are free at its end where the log cannot be late', () => {
    expect(freeAt([busy({ isCertain: true })], START)).toEqual([0, 60, 60]);
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

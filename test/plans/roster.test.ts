/** Dials keep what is known of them while others come before and after them. */
import { describe, expect, test } from 'vitest';
import { DIAL_MARKS, Roster } from '../../src/plans/rules/roster.ts';
import fc from '../support/properties.ts';

const marks = fc.constantFrom(DIAL_MARKS.none, DIAL_MARKS.sent, DIAL_MARKS.connected);

const rosterOf = (dials: number) => new Roster(2, dials);

describe('the dials of a contact', () => {
  test('are the latest, each with the highest of its marks, in whatever order they come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), marks), { maxLength: 25 }),
        (dials, added) => {
          const roster = rosterOf(dials);
          const times = [...new Set(added.map(([at]) => at))].sort((one, other) => other - one).slice(0, dials);
          for (const [at, mark] of added) roster.addDial(1, at, mark);
          roster.recall(1);
          expect(Array.from({ length: dials }, (_none, rank) => roster.dialOf(1, rank))).toEqual([
            ...times,
            ...Array(dials - times.length).fill(0),
          ]);
          expect([roster.isRecalled(0), roster.isRecalled(1), roster.waveOf(1), roster.dialOf(0, 0)]).toEqual([
            ...[false, true, 0, 0],
          ]);
          // One that was pushed out and comes back has only the mark that it comes back with.
          for (const [rank, at] of times.slice(0, 7).entries()) {
            const all = added.filter(([time]) => time === at).map(([, mark]) => mark);
            if (added.length <= dials) expect(roster.markOf(1, rank)).toBe(Math.max(...all));
            else expect(all).toContain(roster.markOf(1, rank));
          }
        },
      ),
    );
  });

  test('beyond the seventh have no mark', () => {
    const roster = rosterOf(8);
    for (let at = 1; at <= 8; at++) roster.addDial(0, at, DIAL_MARKS.connected);
    expect(Array.from({ length: 8 }, (_none, rank) => roster.markOf(0, rank))).toEqual([2, 2, 2, 2, 2, 2, 2, 0]);
    expect(roster.isRecalled(0)).toBe(false);
  });
});

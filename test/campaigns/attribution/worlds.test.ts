/** The attribution of calls, examined in random worlds whose truth is known; `tsx test/bench/worlds.ts` tries thousands. */
import { describe, expect, test } from 'vitest';
import { howMany } from '../../support/full-matrix.ts';
import { examine, examineAll } from '../../support/worlds/examine.ts';
import { type Attribution, attribute } from '../../support/worlds/keyed.ts';
import { makeWorld } from '../../support/worlds/world.ts';

const WORLDS = howMany(30, 75);

/** Where many readings are cut off, a call was nobody's; and where identifiers alone tell the zone of a log. */
test.each([
  ['engine', 219],
  ['careless', 92],
  ['careless', 235],
  ['careless', 447],
] as const)('a world that was wrong: %s %i', (service, first) => {
  expect(examineAll(service, { first, count: 1 }).faults).toEqual([]);
});

describe.each([
  // What may be wrong where it is marked: shares of the rows, of the attempts, and of what is marked.
  { service: 'engine', rows: 0.02, attempts: 0, marked: 0.25 },
  // Whose call is whose, a service that calls in any order does not always show.
  { service: 'careless', rows: 0.12, attempts: 0.001, marked: 1 },
] as const)('random worlds: $service', ({ service, ...most }) => {
  test('nothing is wrong that is not marked, and little that is', () => {
    const { sums, faults } = examineAll(service, { count: WORLDS });
    expect(faults).toEqual([]);
    expect(Math.abs(sums.attempts - sums.trueAttempts)).toBeLessThanOrEqual(most.attempts * sums.trueAttempts);
    expect(sums.wrongRows / sums.rows).toBeLessThanOrEqual(most.rows);
    expect(sums.wrongMarked / sums.marked).toBeLessThanOrEqual(most.marked);
  });

  test.each(
    [1_000, 60_000, 300_000].flatMap((unit) =>
      (['down', 'nearest', 'up'] as const).map((rounding) => ({ unit, rounding })),
    ),
  )('a log in steps of $unit ms, rounded $rounding', (rounded) => {
    expect(examineAll(service, { count: WORLDS / 5 }, rounded).faults).toEqual([]);
  });

  test('with little patience more is ambiguous, and nothing is wrong', () => {
    for (let seed = 1; seed <= WORLDS / 3; seed++) {
      const { faults } = examine(makeWorld(seed, service), (launched) => attribute(launched, 1));
      expect(faults, `seed ${seed}`).toEqual([]);
    }
  });

  test('the examiner finds fault with one who is sure of everything', () => {
    const sure = (attribution: Attribution): Attribution => {
      const ownerOf = (mark: string) => {
        const owner = attribution.ownerOf(mark);
        return owner && { ...owner, isAmbiguous: false };
      };
      return { ...attribution, ownerOf };
    };
    const faults = [1, 2, 3, 4].flatMap(
      (seed) => examine(makeWorld(seed, service), (launched) => sure(attribute(launched))).faults,
    );
    expect(faults.join('\n')).toMatch(/is not marked: it is/);
    expect(faults.join('\n')).toMatch(/tells \d+ ambiguous of 0/);
  });
});

/** The attribution of calls, examined in random worlds whose truth is known; `tsx test/bench/worlds.ts` tries thousands. */
import { describe, expect, test } from 'vitest';
import { howMany } from '../../support/full-matrix.ts';
import { examine } from '../../support/worlds/examine.ts';
import { firstCome } from '../../support/worlds/first-come.ts';
import { attribute } from '../../support/worlds/keyed.ts';
import { Totals } from '../../support/worlds/table.ts';
import { makeWorld } from '../../support/worlds/world.ts';

const SERVICES = ['engine', 'careless'] as const;

const WORLDS = howMany(30, 75);
/** How many times as many attempts as there were the rule of before counts, at the least. */
const COUNTED_BEFORE = 1.9;
/** The share of the attempts that may be counted too much or too little where a service calls in any order. */
const MOST_MISCOUNTED = 0.001;
/** Of the entries that are marked as ambiguous on the local engine. */
const MOST_WRONG = 0.25;

test.each(SERVICES)('the attribution in random worlds: %s', (service) => {
  const totals = new Totals();
  const faults: string[] = [];
  for (let seed = 1; seed <= WORLDS; seed++) {
    const world = makeWorld(seed, service);
    const found = examine(world, attribute);
    totals.add(world, found);
    faults.push(...found.faults.map((fault) => `seed ${seed}: ${fault}`));
  }
  expect(faults).toEqual([]);
  const { attempts, trueAttempts, attemptsBefore, marked, wrongMarked, wrongRows, wrongRowsBefore } = totals.of('all');
  expect(attemptsBefore).toBeGreaterThan(COUNTED_BEFORE * trueAttempts);
  expect(Math.abs(attempts - trueAttempts)).toBeLessThanOrEqual(MOST_MISCOUNTED * trueAttempts);
  expect(wrongRows).toBeLessThan(wrongRowsBefore);
  // Whose call is whose, a service that calls in any order does not always show.
  if (service === 'careless') return;
  expect(attempts).toBe(trueAttempts);
  expect(wrongMarked / marked).toBeLessThanOrEqual(MOST_WRONG);
  expect(wrongRows * 4).toBeLessThan(wrongRowsBefore);
});

const MINUTE = 60_000;

describe.each([1_000, MINUTE, 5 * MINUTE])('a log in steps of %i ms', (unit) => {
  for (const rounding of ['down', 'nearest', 'up'] as const) {
    test.each(SERVICES)(`rounded ${rounding}: nothing is wrong that is not marked: %s`, (service) => {
      const faults: string[] = [];
      for (let seed = 1; seed <= WORLDS / 5; seed++) {
        const found = examine(makeWorld(seed, service, { rounding, unit }), attribute);
        faults.push(...found.faults.map((fault) => `seed ${seed}: ${fault}`));
      }
      expect(faults).toEqual([]);
    });
  }
});

test.each(SERVICES)('with little patience more is ambiguous, and nothing is wrong: %s', (service) => {
  for (let seed = 1; seed <= WORLDS / 3; seed++) {
    const { faults } = examine(makeWorld(seed, service), (launched) => attribute(launched, 1));
    expect(faults, `seed ${seed}`).toEqual([]);
  }
});

test.each(SERVICES)('the examiner finds fault with a matcher that gives to the first: %s', (service) => {
  const found = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => examine(makeWorld(seed, service), firstCome));
  const faults = found.flatMap((findings) => findings.faults).join('\n');
  expect(faults).toMatch(/could be of one only: it is/);
  expect(faults).toMatch(/was called after it was reached/);
  expect(faults).toMatch(/was called too soon/);
  expect(faults).toMatch(/row \d+ is \w+, not \w+/);
  const sum = (name: 'trueAttempts' | 'rows') => found.reduce((total, findings) => total + findings[name], 0);
  const before = found.reduce((total, findings) => total + findings.before.attempts, 0);
  expect(before).toBeGreaterThan(sum('trueAttempts'));
});

test('a seed is one world', () => {
  for (const service of SERVICES) {
    const [once, again] = [makeWorld(5, service), makeWorld(5, service)];
    expect(again.entries).toEqual(once.entries);
    expect([...again.truth]).toEqual([...once.truth]);
  }
});

/** Who is called next, checked by brute force: every rule for everybody in a wave, nobody passed over, no moment missed. */
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/contract.ts';
import { applyEvent } from '../../src/plans/rules/apply.ts';
import { capacityOf, withWave } from '../../src/plans/rules/capacity.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { runsOf } from '../../src/plans/rules/events.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { howMany } from '../support/full-matrix.ts';
import { DAY, HOUR, hoursOfOpenings, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';
import fc from '../support/properties.ts';
import { faultsOf } from './planner-oracle.ts';

const NUMBERS = ['+14155550100', '+442079460100', '+493012345678'];

// Random plans -------------------------------------------------------------------------------------------------------

const minutes = (max: number) => fc.integer({ min: 0, max });
const sometimes = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** Minutes around now: often within a wave. */
const nearly = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -600, max: 200 }));

const rules: fc.Arbitrary<Partial<PlanRules>> = fc.record({
  callsPerHour: fc.constantFrom(7, 60, 60, 120, 700),
  wave: fc.constantFrom(1, 10, 30, 45).map((length) => length * MINUTE),
  maxAttempts: fc.constantFrom(1, 2, 3),
  minGap: fc.constantFrom(0, 5, 15, 120).map((gap) => gap * MINUTE),
  maxPerNumber: sometimes(
    fc.record({ count: fc.integer({ min: 1, max: 3 }), within: fc.constantFrom(HOUR, 6 * HOUR, DAY) }),
  ),
  start: sometimes(minutes(900).map((at) => T0 + at * MINUTE)),
  end: sometimes(minutes(2000).map((at) => T0 + (400 + at) * MINUTE)),
  budget: sometimes(fc.integer({ min: 0, max: 80 })),
  pricePerMinute: fc.constant(1),
  longest: fc.constantFrom(30, 120),
  canary: sometimes(fc.integer({ min: 1, max: 4 })),
  fromCap: sometimes(fc.record({ count: fc.integer({ min: 1, max: 9 }), within: fc.constantFrom(HOUR, DAY) })),
  stopOn: sometimes(fc.constant({ result: 'failed', share: 0.5, over: 4 } as const)),
});

/** Long openings and short pauses, as pairs of minutes. */
const openings = fc
  .array(fc.record({ pause: minutes(200), length: fc.integer({ min: 1, max: 800 }) }), { minLength: 1, maxLength: 5 })
  .map((spans) => {
    let at = 0;
    return spans.map(({ pause, length }): [number, number] => {
      const from = at + pause;
      at = from + length;
      return [from, at];
    });
  });

const contact = fc.record({
  phone: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1000, max: 9999 }) }, { weight: 1, arbitrary: fc.nat(5) }),
  place: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
  state: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('new', 'again') },
    { weight: 1, arbitrary: fc.constantFrom('reached', 'exhausted', 'unseen', 'excluded', 'left') },
  ),
  due: nearly,
  attempts: fc.constantFrom(0, 0, 0, 1, 2),
  dials: fc.array(nearly, { maxLength: 3 }),
  freeAt: fc.oneof({ weight: 5, arbitrary: fc.constant(-60) }, { weight: 1, arbitrary: nearly }),
});

const past = fc.array(
  fc.record({
    contacts: fc.integer({ min: 1, max: 6 }),
    from: fc.nat(2),
    after: minutes(60),
    settled: fc.constantFrom(0, 1, 1, 1),
    result: fc.constantFrom<Result>('reached', 'busy', 'no_answer', 'failed'),
  }),
  { maxLength: 3 },
);

const world = fc.record({
  rules,
  places: fc.array(openings, { minLength: 4, maxLength: 4 }),
  contacts: fc.oneof(
    fc.array(contact, { minLength: 1, maxLength: 5 }),
    fc.array(contact, { minLength: 25, maxLength: 40 }),
  ),
  past,
  from: fc.integer({ min: 1, max: 3 }),
  hasPassedCanary: fc.boolean(),
  now: fc.integer({ min: 200, max: 1500 }),
  /** Milliseconds. */
  seconds: fc.oneof(fc.constant(0), fc.nat(59_999)),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function planOf({ rules, places, contacts, past, from, hasPassedCanary, now }: World): LoadedPlan {
  const hours = hoursOfOpenings(places);
  const loaded = planInMemory({ contacts, rules, from: NUMBERS.slice(0, from), hours });
  const { roster, position } = loaded;
  for (const [row, { state, due, attempts, dials }] of contacts.entries()) {
    for (const dial of dials) {
      // A dial is one of the phone, whoever it was for.
      for (const same of roster.rowsOfPhone(roster.phoneOf(row))) roster.addDial(same, T0 + (now + dial) * MINUTE);
    }
    if (state === 'again') roster.setDue(row, T0 + (now + due) * MINUTE);
    if (state !== 'new') roster.setAttempts(row, attempts);
    roster.setState(row, state as Parameters<typeof roster.setState>[1]);
  }
  for (const { contacts: count, from: number, after, settled, result } of past) {
    const rows = contacts.flatMap((_one, row) => (roster.stateOf(row) === 'new' ? [row] : [])).slice(0, count);
    if (rows.length === 0) break;
    const wave = position.waves + 1;
    const start = Math.max(T0 + (now - 120) * MINUTE, position.nextStart) + after * MINUTE;
    const interval = HOUR / loaded.plan.rules.callsPerHour;
    const from = loaded.plan.from[number % loaded.plan.from.length] as string;
    applyEvent({ event: 'handed', at: start, wave, from, start, interval, rows: runsOf(rows) }, loaded, 0);
    for (const row of rows.slice(0, settled === 1 ? rows.length : count >> 1)) {
      const call = { result, status: result, outcome: 'x', seconds: result === 'reached' ? 70 : 0 };
      applyEvent({ event: 'called', at: start, row, wave, ...call }, loaded, 0);
    }
  }
  position.hasPassedCanary = hasPassedCanary;
  return loaded;
}

function outlookOf({ contacts, now, seconds }: World, at = T0 + now * MINUTE + seconds) {
  return { now: at, pendingUntil: (row: number) => T0 + (now + (contacts[row]?.freeAt as number)) * MINUTE };
}

test('so many of the last attempts as a share says are enough for a stop, and one less is not', () => {
  for (let percent = 1; percent <= 100; percent++) {
    const stopOn = { result: 'failed', share: percent / 100, over: 100 } as const;
    const loaded = planInMemory({ contacts: [{ phone: 14155550000 }], rules: { stopOn } });
    const after = (failed: number) => {
      loaded.position.latest = Array.from({ length: 100 }, (_none, at) => (at < failed ? 'failed' : 'reached'));
      return decide(loaded, { now: T0 }).kind;
    };
    expect([percent, after(percent - 1), after(percent)]).toEqual([percent, 'wave', 'halt']);
  }
});

test('what is kept of the waves says as much of a caller as all of them would', () => {
  // With the margin, calls count for 20 or 70 minutes.
  const after = fc.constantFrom(0, 5, 20, 25, 70);
  const waves = fc.array(fc.record({ after, contacts: fc.integer({ min: 1, max: 20 }), from: fc.nat(1) }), {
    minLength: 3,
    maxLength: 12,
  });
  const within = fc.constantFrom(10 * MINUTE, HOUR);
  const property = fc.property(waves, within, fc.constantFrom(60, 700), fc.nat(3), (all, time, callsPerHour, later) => {
    const fromCap = { count: 1 + later * later, within: time };
    const loaded = planInMemory({ contacts: phones(1), rules: { fromCap, callsPerHour }, from: NUMBERS });
    const given: LoadedPlan['position']['given'][number][] = [];
    let at = T0;
    for (const { after, contacts, from } of all) {
      at += after * MINUTE;
      given.push({ at, contacts, from: NUMBERS[from] as string });
      loaded.position.given = withWave(loaded, given.at(-1) as (typeof given)[number]);
    }
    const now = at + later * 15_000;
    for (const from of NUMBERS.slice(0, 2)) {
      const ofAll = { ...loaded, position: { ...loaded.position, given } };
      expect(capacityOf(from, now, 40, loaded)).toBe(capacityOf(from, now, 40, ofAll));
    }
  });
  fc.assert(property, { numRuns: howMany(1000, 4000) });
});

describe('random plans', () => {
  test('a wave keeps every rule for everybody in it, and passes nobody over', () => {
    const kinds: Record<string, number> = {};
    const sizes: number[] = [];
    fc.assert(
      fc.property(world, (given) => {
        const loaded = planOf(given);
        const outlook = outlookOf(given);
        const decision = decide(loaded, outlook);
        const kind = decision.kind === 'wait' ? `wait ${decision.why}` : decision.kind;
        kinds[kind] = (kinds[kind] ?? 0) + 1;
        if (decision.kind === 'wave') sizes.push(decision.rows.length);
        expect(faultsOf(loaded, outlook, decision)).toEqual([]);
      }),
      { numRuns: howMany(3000, 8000) },
    );
    // The plans are varied enough to meet every reason.
    const reasons = [
      'window',
      'retry',
      'gap',
      'cap',
      'others',
      'start',
      'from_cap',
      'end',
      'wave_running',
      'gathering',
      'news',
    ];
    const met = ['wave', 'halt', ...[...reasons, 'canary', 'budget_pending'].map((why) => `wait ${why}`)];
    expect(Object.keys(kinds)).toEqual(expect.arrayContaining(met));
    expect(sizes.filter((size) => size > 4).length).toBeGreaterThan(200);
  });

  test('before the next look there is no moment at which a wave is possible', () => {
    fc.assert(
      fc.property(world, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }), (given, shares) => {
        const loaded = planOf(given);
        const { now } = outlookOf(given);
        const decision = decide(loaded, outlookOf(given));
        if (decision.kind !== 'wait') return;
        const span = Math.min(decision.at - now, 3 * DAY);
        const moments = [now, decision.at - 1, ...shares.map((share) => now + Math.floor(share * (span - 1)))];
        for (let at = now; at < now + span; at += Math.max(MINUTE, span / 200)) moments.push(Math.floor(at));
        const early = moments
          .filter((at) => at >= now && at < decision.at)
          .filter((at) => {
            const between = outlookOf(given, at);
            if (decide(loaded, between).kind === 'wave') return true;
            return decision.why !== 'gathering' && faultsOf(loaded, between, { kind: 'over' }).length > 0;
          });
        expect(early).toEqual([]);
      }),
      { numRuns: howMany(500, 1500) },
    );
  });
});

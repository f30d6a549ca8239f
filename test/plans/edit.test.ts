/**
 * Rules that are changed while a plan is under way: random plans obey the rules that hold at each wave, by a judge that keeps its
 * own list of calls and knows nothing of the planner; what was sent before obeys the new ones too, or the change was refused.
 */
import { expect, test } from 'vitest';
import type { Result } from '../../src/contract.ts';
import { applyEvent, newPosition } from '../../src/plans/rules/apply.ts';
import { callingWindowsOf } from '../../src/plans/rules/calendar.ts';
import { decide } from '../../src/plans/rules/decide.ts';
import { afterEdit, edited, objections } from '../../src/plans/rules/edit.ts';
import { type PlanEvent, rowsOf, runsOf } from '../../src/plans/rules/events.ts';
import type { LoadedPlan, Place } from '../../src/plans/rules/plan.ts';
import { Roster } from '../../src/plans/rules/roster.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { casesBeside } from '../support/cases.ts';
import { localTime } from '../support/plan-worlds/local-time.ts';
import { called, DAY, HOUR, handed, MINUTE, phones, planInMemory, T0 } from '../support/plans.ts';
import fc from '../support/properties.ts';

const PLACES: Place[] = [
  { zones: ['Europe/Berlin'], country: 'DE' },
  { zones: ['America/New_York'], country: 'US' },
  { zones: ['Africa/Ceuta', 'Atlantic/Canary', 'Europe/Madrid'], country: 'ES' },
];
const NUMBERS = ['+14155550100', '+442079460100'];
const MARGIN = 10 * MINUTE;
const PRICE = 100_000;

// Random rules -------------------------------------------------------------------------------------------------------

const daily = (from: number, until: number) =>
  Array.from({ length: 7 }, () => [{ from: from * 60, until: until * 60 }]);
const delay = fc.constantFrom(undefined, 10 * MINUTE, HOUR, 5 * HOUR);
const rules = fc.record({
  window: fc.constantFrom(daily(0, 24), daily(9, 20), daily(10, 18), [...daily(8, 12).slice(0, 5), [], []]),
  zone: fc.constantFrom('contact', 'contact', 'Europe/Madrid'),
  skipDates: fc.constantFrom([], [], [{ date: '2026-11-24' }], [{ date: '2026-11-24', country: 'ES' }]),
  end: fc.constantFrom(undefined, undefined, T0 + 8.6 * HOUR, T0 + 9.3 * HOUR, T0 + 2 * DAY, T0 + 5 * DAY),
  callsPerHour: fc.constantFrom(20, 60, 120),
  wave: fc.constantFrom(15 * MINUTE, 30 * MINUTE, HOUR),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  retry: fc
    .record({ busy: delay, no_answer: delay, failed: delay })
    .map(
      (all) => Object.fromEntries(Object.entries(all).filter(([, after]) => after !== undefined)) as PlanRules['retry'],
    ),
  minGap: fc.constantFrom(5 * MINUTE, 15 * MINUTE, 2 * HOUR),
  maxPerNumber: fc.constantFrom(undefined, { count: 2, within: DAY }, { count: 1, within: 6 * HOUR }),
  fromCap: fc.constantFrom(undefined, undefined, { count: 6, within: 4 * HOUR }, { count: 9, within: 2 * HOUR }),
  budget: fc.constantFrom(undefined, undefined, 4_000_000, 20_000_000),
});
type Rules = typeof rules extends fc.Arbitrary<infer T> ? T : never;

const NAMES = [
  ...(['window', 'zone', 'skipDates', 'end', 'callsPerHour', 'wave', 'maxAttempts', 'retry', 'minGap'] as const),
  ...(['maxPerNumber', 'fromCap', 'budget'] as const),
];
/** Some minutes after a wave was sent, or long after, one or two rules become others. */
const edit = fc
  .record({
    rules,
    names: fc.subarray(NAMES, { minLength: 1, maxLength: 2 }),
    wave: fc.nat(4),
    into: fc.constantFrom(0, 2, 5, 12, 25, 60, 400),
  })
  .map(({ rules: all, names, ...when }) => ({
    ...when,
    rules: Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<Rules>,
  }));

const world = fc.record({
  first: rules,
  edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
  places: fc.array(fc.nat(2), { minLength: 4, maxLength: 16 }),
  results: fc.array(fc.constantFrom<Result>('reached', 'busy', 'busy', 'no_answer', 'failed', 'voicemail'), {
    minLength: 5,
    maxLength: 40,
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

// Playing ------------------------------------------------------------------------------------------------------------

interface Dial {
  row: number;
  at: number;
  from: string;
  result: Result | undefined;
}

/** Seconds of a call that was answered. */
const TALK = 61;

class Player {
  readonly loaded: LoadedPlan;
  readonly dials: Dial[] = [];
  readonly events: PlanEvent[] = [];
  now = T0 + 8 * HOUR;
  refused = 0;
  changed = 0;
  #results = 0;

  constructor(private readonly world: World) {
    const contacts = world.places.map((place, row) => ({ phone: 14155550000 + row, place }));
    const loaded = planInMemory({
      contacts,
      rules: { ...world.first, pricePerMinute: PRICE, longest: 120, stopOn: undefined },
      from: NUMBERS,
    });
    const { rules: first } = loaded.plan;
    const roster = new Roster(contacts.length, 4);
    for (const [row, { phone, place }] of contacts.entries()) roster.put(row, phone, place);
    this.loaded = {
      ...loaded,
      roster,
      plan: { ...loaded.plan, places: PLACES },
      windows: callingWindowsOf(first, PLACES),
    };
  }

  apply(...events: PlanEvent[]) {
    for (const event of events) {
      applyEvent(event, this.loaded, this.events.length);
      this.events.push(event);
    }
  }

  get rules() {
    return this.loaded.plan.rules;
  }

  /** What the log shows by now. */
  hear() {
    for (const wave of [...this.loaded.position.open]) {
      if (this.now < wave.start + wave.contacts * wave.interval) continue;
      for (const dial of this.dials.filter(({ result, at }) => result === undefined && at >= wave.start)) {
        const result = this.world.results[this.#results++ % this.world.results.length] as Result;
        dial.result = result;
        const seconds = result === 'reached' ? TALK : 0;
        this.apply({
          event: 'called',
          at: dial.at,
          row: dial.row,
          wave: wave.wave,
          result,
          status: result,
          outcome: 'x',
          seconds,
        });
      }
    }
  }

  change(next: Partial<Rules>) {
    const { loaded, now } = this;
    const wanted: PlanRules = { ...this.rules, ...next };
    const rowsOut = (): number[] => this.dials.filter(({ result }) => result === undefined).map(({ row }) => row);
    if (wanted.end !== undefined && wanted.end <= now) return;
    const last = new Map(
      this.dials.flatMap(({ row, at, result }) => (result === undefined ? [] : [[row, { at, result }] as const])),
    );
    const seconds = this.dials.map(({ result }) => (result === 'reached' ? TALK : 0));
    const event = edited(loaded, wanted, { last, seconds }, now);
    // To look at it first changes nothing.
    const before = JSON.stringify([loaded.position, [...loaded.roster.columns.states]]);
    const after = afterEdit(loaded, event);
    expect(JSON.stringify([loaded.position, [...loaded.roster.columns.states]])).toBe(before);
    if (objections(loaded, after, rowsOut, now).length > 0) {
      this.refused++;
      return;
    }
    this.apply(JSON.parse(JSON.stringify(event)));
    this.changed++;
    for (const dial of this.dials.filter(({ result, at }) => result === undefined && at >= now)) this.judge(dial, true);
  }

  /** Whether the rules that hold allow a dial, given those before it. `isOut`: it was chosen by rules of before. */
  judge(dial: Dial, isOut = false) {
    const { window, zone, skipDates, start, end, maxAttempts, retry, minGap, maxPerNumber, fromCap } = this.rules;
    const place = PLACES[this.world.places[dial.row] as number] as Place;
    const text = `row ${dial.row} at ${new Date(dial.at).toISOString()}${isOut ? ', sent before' : ''}`;
    for (const name of zone === 'contact' ? place.zones : [zone]) {
      // No call is planned in the last minutes of open hours.
      for (const at of [dial.at, dial.at + MARGIN - 1]) {
        const { weekday, minute, date } = localTime(at, name);
        const isOpen = (window[weekday] ?? []).some(({ from, until }) => minute >= from && minute < until);
        expect(isOpen, `${text}: hours in ${name}`).toBe(true);
        const isSkipped = skipDates.some(
          (day) => day.date === date && (day.country ?? place.country) === place.country,
        );
        expect(isSkipped, `${text}: skipped`).toBe(false);
      }
    }
    expect(dial.at >= (start ?? 0) && dial.at < (end ?? Number.POSITIVE_INFINITY), `${text}: period`).toBe(true);
    const own = this.dials
      .filter((one) => one.row === dial.row && one.at < dial.at)
      .sort((one, other) => one.at - other.at);
    expect(own.length < maxAttempts, `${text}: attempts`).toBe(true);
    const last = own.at(-1);
    expect(
      own.some(({ result }) => result === 'reached'),
      `${text}: reached before`,
    ).toBe(false);
    if (last !== undefined) {
      const after = retry[last.result as keyof typeof retry];
      expect(after !== undefined && dial.at >= last.at + after, `${text}: retry of ${last.result}`).toBe(true);
      expect(dial.at - last.at >= minGap, `${text}: gap`).toBe(true);
    }
    if (maxPerNumber !== undefined) {
      const recent = own.filter(({ at }) => at > dial.at - maxPerNumber.within).length;
      expect(recent < maxPerNumber.count, `${text}: per number`).toBe(true);
    }
    if (fromCap !== undefined) {
      const recent = this.dials.filter(
        ({ from, at }) => from === dial.from && at < dial.at && at > dial.at - fromCap.within,
      );
      expect(recent.length < fromCap.count, `${text}: from cap`).toBe(true);
    }
  }

  /** The next wave, or the next moment; false when nothing comes any more. */
  step(): boolean {
    this.hear();
    const decision = decide(this.loaded, { now: this.now });
    if (decision.kind === 'halt') this.apply(decision.event);
    if (decision.kind === 'halt' || decision.kind === 'over') return false;
    if (decision.kind === 'wait') {
      this.now = Math.min(decision.at, this.now + DAY);
      return this.now < T0 + 9 * DAY;
    }
    const { rows, start, interval, from } = decision;
    const { callsPerHour, wave, budget } = this.rules;
    expect(interval).toBeGreaterThanOrEqual(HOUR / callsPerHour - 1e-6);
    expect(rows.length === 1 || rows.length * interval <= wave).toBe(true);
    expect(this.dials.every(({ at }) => at <= start - HOUR / callsPerHour + 1)).toBe(true);
    if (budget !== undefined) {
      const spent = this.dials.filter(({ result }) => result === 'reached').length * 2 * PRICE;
      expect(spent + rows.length * 2 * PRICE).toBeLessThanOrEqual(budget);
    }
    for (const [position, row] of rows.entries()) {
      const dial = { row, at: start + position * interval, from, result: undefined };
      this.judge(dial);
      this.dials.push(dial);
    }
    this.apply({
      event: 'handed',
      at: start,
      wave: this.loaded.position.waves + 1,
      from,
      start,
      interval,
      rows: runsOf(rows),
    });
    return true;
  }
}

test('a plan obeys its rules of now at each wave, and what was sent before does too', () => {
  const seen = { changed: 0, refused: 0, calls: 0, freed: 0 };
  const property = fc.property(world, (given) => {
    const player = new Player(given);
    const original = player.loaded.plan;
    const wanted = [...given.edits].sort((one, other) => one.wave - other.wave);
    for (let step = 0, isGoing = true; step < 400 && (isGoing || wanted.length > 0); step++) {
      while (wanted[0] !== undefined && (wanted[0].wave <= player.loaded.position.waves || !isGoing)) {
        const { rules: next, into } = wanted.shift() as World['edits'][number];
        player.now += into * MINUTE;
        player.hear();
        if (player.loaded.position.state === 'open' && (player.rules.end ?? Infinity) > player.now) player.change(next);
      }
      isGoing = player.step();
    }
    const { loaded, dials, rules: last, events } = player;
    // Whoever is given up has no call left by the last rules, as their calls say.
    if (loaded.position.state === 'done') {
      for (let row = 0; row < loaded.roster.size; row++) {
        const own = dials.filter((one) => one.row === row).sort((one, other) => one.at - other.at);
        const result = own.at(-1)?.result;
        const isOver =
          result === 'reached' || own.length >= last.maxAttempts || last.retry[result as 'busy'] === undefined;
        expect(isOver, `row ${row} has calls left`).toBe(true);
        expect(own.length).toBeGreaterThan(0);
      }
    }
    // The journal alone tells how it came: from the first rules on.
    const again: LoadedPlan = {
      ...loaded,
      plan: original,
      position: newPosition(),
      windows: callingWindowsOf(original.rules, PLACES),
    };
    const roster = new Roster(loaded.roster.size, loaded.roster.dials);
    for (let row = 0; row < roster.size; row++) roster.put(row, loaded.roster.phoneOf(row), loaded.roster.placeOf(row));
    again.roster = roster;
    for (const [number, event] of events.entries()) {
      if (event.event === 'edited') {
        expect(event.was).toEqual(JSON.parse(JSON.stringify(again.plan.rules)));
        seen.freed += [...rowsOf(event.over ?? [])].length + (event.frees ?? []).length / 2;
      }
      applyEvent(event, again, number);
    }
    expect(again.roster.columns).toEqual(loaded.roster.columns);
    expect(again.position).toEqual(loaded.position);
    expect(JSON.parse(JSON.stringify(again.plan))).toEqual(JSON.parse(JSON.stringify(loaded.plan)));
    seen.changed += player.changed;
    seen.refused += player.refused;
    seen.calls += dials.length;
  });
  fc.assert(property, { numRuns: 300 });
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

// What must not be changed ------------------------------------------------------------------------------------------------

type InMinutes = Partial<PlanRules> & { from?: number; until?: number; start?: number };
type Case = [what: string, was: InMinutes, rules: InMinutes, refused: string, after?: number];
const CASES = casesBeside(import.meta.filename)<Case>('while a wave is out');

const inMilliseconds = (share: PlanRules['fromCap']) => share && { ...share, within: share.within * MINUTE };

function rulesOf({ from = 0, until = 1440, ...given }: InMinutes): Partial<PlanRules> {
  const { minGap = 15, wave = 30, start, end, retry = {}, maxPerNumber, fromCap } = given;
  return {
    ...given,
    window: Array.from({ length: 7 }, () => [{ from, until }]),
    ...{ minGap: minGap * MINUTE, wave: wave * MINUTE },
    ...{ maxPerNumber: inMilliseconds(maxPerNumber), fromCap: inMilliseconds(fromCap) },
    retry: Object.fromEntries(Object.entries(retry).map(([result, after]) => [result, (after as number) * MINUTE])),
    ...(start !== undefined && { start: T0 + start * MINUTE }),
    ...(end !== undefined && { end: T0 + end * MINUTE }),
  };
}

test.each(CASES)('while a wave is out, or when it is over: %s', (_what, was, next, refused, after = 0) => {
  const start = T0 + 9 * HOUR;
  const contacts = phones(4);
  const loaded = planInMemory({ contacts, rules: rulesOf(was) });
  loaded.windows = callingWindowsOf(loaded.plan.rules, loaded.plan.places);
  loaded.roster.setAttempts(1, 1);
  applyEvent(handed(1, [0, 3], start), loaded, 0);
  const rules = { ...loaded.plan.rules, ...rulesOf({ ...was, ...next }) };
  const event = edited(loaded, rules, { last: new Map(), seconds: [] }, start);
  const now = start + after * MINUTE;
  expect(objections(loaded, afterEdit(loaded, event), () => [0, 1, 2], now).join()).toMatch(
    refused === '' ? /^$/ : refused,
  );
});

test('another delay calls nobody before what a late call of an earlier wave asked for', () => {
  const retry = { busy: 30 * MINUTE, no_answer: 4 * HOUR };
  const loaded = planInMemory({ contacts: phones(1), rules: { retry } });
  const again = { event: 'resumed', at: T0 + HOUR, recalls: true } as const;
  const waves = [handed(1, [0, 1], T0), { event: 'unseen', at: T0 + HOUR, rows: [0, 1] } as const, again];
  const calls = [called(0, T0 + 2 * HOUR, { wave: 2 }), called(0, T0, { result: 'no_answer' })];
  for (const event of [...waves, handed(2, [0, 1], T0 + 2 * HOUR), ...calls]) applyEvent(event, loaded, 0);
  const last = new Map([[0, { at: T0 + 2 * HOUR, result: 'busy' as const }]]);
  const rosterWith = (delays: PlanRules['retry']) => {
    const rules = { ...loaded.plan.rules, retry: delays };
    return afterEdit(loaded, edited(loaded, rules, { last, seconds: [] }, T0 + 3 * HOUR)).roster;
  };
  const dueWith = (busy: number) => rosterWith({ ...retry, busy }).dueOf(0) - T0;
  expect([dueWith(30 * MINUTE), dueWith(10 * MINUTE), dueWith(3 * HOUR)]).toEqual([4 * HOUR, 4 * HOUR, 5 * HOUR]);
  expect(rosterWith({ no_answer: HOUR }).stateOf(0)).toBe('exhausted');
});

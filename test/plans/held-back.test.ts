/** Who is said to wait or to be left over, and what would help: looked for minute by minute, by nothing of the planner. */
import { expect, test } from 'vitest';
import { callingWindowsOf } from '../../src/plans/rules/calendar.ts';
import { heldBack, leftOver } from '../../src/plans/rules/held-back.ts';
import type { LoadedPlan, Place } from '../../src/plans/rules/plan.ts';
import type { PlanRules } from '../../src/plans/rules/rules.ts';
import { localTime } from '../support/plan-worlds/local-time.ts';
import { DAY, HOUR, MINUTE, planInMemory, T0 } from '../support/plans.ts';
import fc from '../support/properties.ts';

const SPAIN = ['Africa/Ceuta', 'Atlantic/Canary', 'Europe/Madrid'];
const PLACES: Place[] = [
  { zones: SPAIN, country: 'ES' },
  { zones: ['Europe/Madrid'], country: 'ES' },
  { zones: ['America/Chicago', 'America/New_York'], country: 'US' },
  { zones: ['Europe/Berlin', 'Europe/Busingen'], country: 'DE' },
];
const WINDOWS = ['9-20', '9-13 15-20', '10-18', '0-24'].map((text) => {
  const hours = text.split(' ').map((part) => part.split('-').map((hour) => Number(hour) * 60) as [number, number]);
  return Array.from({ length: 7 }, () => hours.map(([from, until]) => ({ from, until })));
});

function planOf(placeOf: readonly number[], rules: Partial<PlanRules>): LoadedPlan {
  const contacts = placeOf.map((place, row) => ({ phone: 14155550000 + row, place }));
  const loaded = planInMemory({ contacts, rules });
  const { rules: all } = loaded.plan;
  return { ...loaded, plan: { ...loaded.plan, places: PLACES }, windows: callingWindowsOf(all, PLACES) };
}

const isOpen = (window: PlanRules['window'], zone: string, at: number) => {
  const { weekday, minute } = localTime(at, zone);
  return (window[weekday] ?? []).some(({ from, until }) => minute >= from && minute < until);
};

/** When all zones are open long enough for a call, and which of them were not before that: undefined if nobody waits for them. */
function byTheMinute(window: PlanRules['window'], zones: readonly string[], now: number) {
  const isCallable = (at: number) =>
    zones.every((zone) => isOpen(window, zone, at) && isOpen(window, zone, at + 10 * MINUTE));
  let until = now;
  while (!isCallable(until)) until += MINUTE;
  const froms = zones.map((zone) => {
    let from = until;
    while (from > now && isOpen(window, zone, from - MINUTE)) from -= MINUTE;
    return { zone, from };
  });
  const first = Math.min(...froms.map(({ from }) => from));
  if (first === until) return undefined;
  return { until, zones: froms.filter(({ from }) => from > first).map(({ zone }) => zone) };
}

test('who waits because of a zone is counted, and the zone that is offered is one in which all may be and need not wait', () => {
  const worlds = fc.record({
    window: fc.constantFrom(...WINDOWS),
    placeOf: fc.array(fc.nat(PLACES.length - 1), { minLength: 1, maxLength: 8 }),
    minute: fc.nat(3 * 1440),
  });
  let held = 0;
  let offered = 0;
  const property = fc.property(worlds, ({ window, placeOf, minute }) => {
    const now = T0 + minute * MINUTE;
    const groups = new Map<string, number>();
    for (const place of placeOf) {
      const key = JSON.stringify(byTheMinute(window, (PLACES[place] as Place).zones, now) ?? null);
      groups.set(key, (groups.get(key) ?? 0) + 1);
    }
    groups.delete('null');
    const found = heldBack(planOf(placeOf, { window }), now);
    expect(found === undefined).toBe(groups.size === 0);
    if (found === undefined) return;
    held++;
    const { contacts, instead, until, zones } = found;
    expect(groups.get(JSON.stringify({ until, zones }))).toBe(contacts);
    expect(contacts).toBe(Math.max(...groups.values()));
    if (instead === undefined) return;
    offered++;
    for (const place of placeOf) expect((PLACES[place] as Place).zones).toContain(instead);
    expect(isOpen(window, instead, until - MINUTE)).toBe(true);
    expect(heldBack(planOf(placeOf, { window, zone: instead }), now)).toBeUndefined();
  });
  fc.assert(property, { numRuns: 120 });
  expect(Math.min(held, offered)).toBeGreaterThan(5);
});

test('mobiles of Spain wait for the hours of the Canaries, unless all are in Madrid', () => {
  const window = WINDOWS[0] as PlanRules['window'];
  // 9:30 in Madrid.
  const now = T0 + 8.5 * HOUR;
  const zones = ['Atlantic/Canary'];
  expect(heldBack(planOf([0, 0, 1], { window }), now)).toEqual({
    ...{ contacts: 2, until: T0 + 9 * HOUR, zones, instead: 'Europe/Madrid' },
  });
  expect(heldBack(planOf([0, 0, 2], { window }), now)).toMatchObject({ contacts: 2, instead: undefined });
});

test('a pace or an end that is offered is enough for all', () => {
  const window = WINDOWS[0] as PlanRules['window'];
  const placeOf = Array.from({ length: 40 }, (_none, row) => row % PLACES.length);
  const rules = { window, callsPerHour: 6, end: T0 + 10 * HOUR };
  const found = leftOver(planOf(placeOf, rules), T0 + 8 * HOUR);
  expect(found?.contacts).toBeGreaterThan(20);
  const { end = 0 } = found ?? {};
  expect(leftOver(planOf(placeOf, { ...rules, end }), T0 + 8 * HOUR)).toBeUndefined();
  expect(end).toBeLessThan(T0 + 3 * DAY);
  const slow = { window, callsPerHour: 6, end: T0 + 24 * HOUR };
  const { callsPerHour = 0 } = leftOver(planOf(placeOf, slow), T0 + 8 * HOUR) ?? { callsPerHour: 6 };
  expect(leftOver(planOf(placeOf, { ...slow, callsPerHour }), T0 + 8 * HOUR)).toBeUndefined();
});

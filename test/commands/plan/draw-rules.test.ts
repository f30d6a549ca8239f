/**
 * The rules of a plan as they are shown: read back from the lines of a narrow terminal, they are the rules by which the planner
 * goes. What reads them here knows nothing of how they are written.
 */
import { expect, test } from 'vitest';
import { factLinesIn } from '../../../src/cli/terminal/output.ts';
import { rulesInWords } from '../../../src/commands/plan/shared/draw-rules.ts';
import { callingWindowsOf } from '../../../src/plans/rules/calendar.ts';
import type { Place } from '../../../src/plans/rules/plan.ts';
import { DEFAULTS, type PlanRules } from '../../../src/plans/rules/rules.ts';
import { widthOf } from '../../../src/text/width.ts';
import { worlds } from '../../support/plan-worlds/generate.ts';
import { localTime } from '../../support/plan-worlds/local-time.ts';
import type { Rules } from '../../support/plan-worlds/world.ts';
import { DAY, HOUR, MINUTE, planInMemory, T0 } from '../../support/plans.ts';
import fc from '../../support/properties.ts';

const COLUMNS = 60;
const PLACES: Place[] = [
  { zones: ['Europe/Berlin'], country: 'DE' },
  { zones: ['America/New_York'], country: 'US' },
  { zones: ['Europe/Berlin', 'Europe/Busingen'], country: 'DE' },
  { zones: ['Africa/Ceuta', 'Atlantic/Canary', 'Europe/Madrid'], country: 'ES' },
  { zones: ['Asia/Kolkata'], country: 'IN' },
];

function planRules(rules: Rules): Partial<PlanRules> {
  const { openings, zone = 'contact', skip, startsIn, endsIn, budget, stopOn, perNumber, fromCap } = rules;
  const share = (one: typeof fromCap) => one && { count: one.count, within: one.within * MINUTE };
  const retry = Object.entries(rules.retry).filter(([, after]) => after !== null);
  return {
    window: [0, 1, 2, 3, 4, 5, 6].map((day) =>
      openings
        .filter(({ days: [first, last] }) => day >= first && day <= last)
        .map(({ opens, closes }) => ({ from: opens, until: closes })),
    ),
    zone,
    skipDates: skip.map(({ day, country }) => ({ date: new Date(T0 + day * DAY).toISOString().slice(0, 10), country })),
    ...{ callsPerHour: rules.callsPerHour, wave: rules.wave * MINUTE, maxAttempts: rules.maxAttempts },
    retry: Object.fromEntries(retry.map(([result, after]) => [result, (after as number) * MINUTE])),
    ...{ maxPerNumber: share(perNumber), fromCap: share(fromCap), minGap: rules.minGap * MINUTE },
    ...{ start: startsIn && T0 + startsIn * MINUTE, end: endsIn && T0 + endsIn * MINUTE },
    budget: budget && budget.cents * 10_000,
    pricePerMinute: budget && budget.centsPerMinute * 10_000,
    longest: budget ? budget.longest * 60 : DEFAULTS.longest,
    stopOn: stopOn && { result: 'failed', share: stopOn.percent / 100, over: stopOn.over },
    canary: rules.canary,
    optOut: [...DEFAULTS.optOut, ...rules.optOut],
  };
}

// Reading ------------------------------------------------------------------------------------------------------------

/** What stands beside each name, in one line. */
function readBlock(lines: readonly string[]): Record<string, string> {
  const said: [name: string, text: string][] = [];
  for (const line of lines) {
    const name = line.slice(0, 12).trim();
    if (name !== '') said.push([name, line.slice(13)]);
    else (said.at(-1) as [string, string])[1] += ` ${line.slice(13)}`;
  }
  return Object.fromEntries(said);
}

const UNITS: Record<string, number> = { s: 1000, min: MINUTE, h: HOUR, d: DAY };
const timeOf = (text: string) =>
  [...text.replace('an hour', '1 h').matchAll(/(\d+) (s|min|h|d)\b/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit as string] as number),
    0,
  );
const found = (text: string | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.slice(1) ?? [];
const wholeOf = (text = '') => Number(text.replaceAll(',', ''));

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** For each day of the week the minutes in which calls may happen. */
function readHours(text: string): [from: number, until: number][][] {
  const week: [number, number][][] = DAYS.map(() => []);
  const [hours = ''] = found(text, /^(.*?) (?:where they are|in )/);
  for (const part of hours.split(', ')) {
    const [first = 'Mon', last] = found(part, /^([A-Z][a-z]+)(?:–([A-Z][a-z]+))? /);
    const end = last ?? (/^[A-Z]/.test(part) ? first : 'Sun');
    const minutes = (clock: string) => Number(clock.split(':')[0]) * 60 + Number(clock.split(':')[1]);
    const windows = [...part.matchAll(/(\d+:\d\d)–(\d+:\d\d)/g)].map(
      ([, from = '', until = '']) => [minutes(from), minutes(until)] as [number, number],
    );
    for (let day = DAYS.indexOf(first); day <= DAYS.indexOf(end); day++) week[day]?.push(...windows);
  }
  return week;
}

test('what is shown of the rules is what the planner goes by, in 60 columns', () => {
  const places = fc.array(fc.nat({ max: PLACES.length - 1 }), { minLength: 1, maxLength: 12 });
  const property = fc.property(
    worlds({ crowdIn: 60 }),
    places,
    fc.array(fc.nat({ max: 7 * 1440 }), { maxLength: 60 }),
    (world, placeOf, minutes) => {
      const given = world.plans[0]?.rules as Rules;
      const loaded = planInMemory({
        contacts: placeOf.map((place, row) => ({ phone: 14155550000 + row, place })),
        rules: planRules(given),
      });
      const { rules } = loaded.plan;
      const plan = { ...loaded.plan, places: PLACES };
      const lines = factLinesIn(rulesInWords({ ...loaded, plan }, T0, undefined), COLUMNS);
      expect(lines.filter((line) => widthOf(line) > COLUMNS)).toEqual([]);
      const said = readBlock(lines);

      // Hours, at any minute of a week, wherever a contact may be.
      const week = readHours(said.Hours ?? '');
      const windows = callingWindowsOf({ ...rules, skipDates: [] }, PLACES);
      const [fixed] = found(said.Hours, /\(([^)]*)\), wherever they are/);
      for (const minute of minutes) {
        const at = T0 + minute * MINUTE;
        const isOpenIn = (zone: string) => {
          const { weekday, minute: clock } = localTime(at, zone);
          return (week[weekday] ?? []).some(([from, until]) => clock >= from && clock < until);
        };
        for (const place of placeOf) {
          const window = windows.windowAt(place, at);
          const isOpen = window !== undefined && window.from <= at;
          expect(isOpen).toBe((fixed === undefined ? (PLACES[place] as Place).zones : [fixed]).every(isOpenIn));
        }
      }
      // Where they are: every contact is named once.
      const clocks = [...(said.Hours ?? '').matchAll(/(Berlin|New York|Kolkata) (\d+)/g)].map(([, , count]) =>
        Number(count),
      );
      const [unsure = '0'] = found(said.Hours, /(\d+) contacts? may be in any of 3 time zones/);
      const isOwn = given.zone === undefined;
      expect(fixed).toBe(isOwn ? undefined : given.zone);
      expect(clocks.reduce((sum, count) => sum + count, Number(unsure))).toBe(isOwn ? placeOf.length : 0);
      expect(Number(unsure)).toBe(isOwn ? placeOf.filter((place) => place === 3).length : 0);

      // All others, or that they are as usual.
      const dates = new Set(rules.skipDates.map(({ date }) => date));
      expect((said['No calls on'] ?? '').split(', ').filter((one) => /^\d/.test(one))).toHaveLength(dates.size);
      for (const date of dates) {
        const [, countries] =
          new RegExp(`\\b${Number(date.slice(8))} Nov(?: \\(([A-Z, ]+)\\))?`).exec(said['No calls on'] ?? '') ?? [];
        const meant = rules.skipDates.flatMap((one) => (one.date === date ? [one.country ?? ''] : []));
        expect(countries).toBe(meant.includes('') ? undefined : [...new Set(meant)].join(', '));
      }
      const [most = '1'] = found(said.Attempts, /up to (\d+) for each/);
      expect(Number(most)).toBe(given.maxAttempts);
      for (const [result, after] of Object.entries(given.retry)) {
        if (given.maxAttempts === 1) continue;
        const [delay] = found(said.Attempts, new RegExp(`${result.replace('_', ' ')} after ([^,]*)`));
        expect(delay === undefined ? null : timeOf(delay) / MINUTE).toBe(after);
      }
      const [pace = '', length] = found(said.Pace, /^([\d,]+) calls an hour(?:, in waves of up to (.*))?$/);
      expect([wholeOf(pace), length === undefined ? DEFAULTS.wave : timeOf(length)]).toEqual([
        rules.callsPerHour,
        rules.wave,
      ]);
      const perTime = (pattern: RegExp) => {
        const [count, within = ''] = found(said.Caps, pattern);
        return count === undefined ? undefined : { count: wholeOf(count), within: timeOf(within) };
      };
      expect(perTime(/(\d+) calls? to a number in (an hour|(?:\d+ (?:h|min|d) ?)+)/)).toEqual(rules.maxPerNumber);
      expect(perTime(/(\d+) calls? from each number in (an hour|(?:\d+ (?:h|min|d) ?)+)/)).toEqual(rules.fromCap);
      const [gap] = found(said.Caps, /at least ((?:\d+ (?:h|min|s) )+)between two calls/);
      expect(gap === undefined ? DEFAULTS.minGap : timeOf(gap)).toBe(rules.minGap);
      const [money, price, longest = ''] = found(
        said.Budget,
        /^([\d.]+), at ([\d.]+) a minute and calls of up to (.*)$/,
      );
      expect(money && Math.round(1e6 * Number(money))).toEqual(rules.budget);
      expect(price && Math.round(1e6 * Number(price))).toEqual(rules.pricePerMinute);
      if (money !== undefined) expect(timeOf(longest) / 1000).toBe(rules.longest);
      const [share, over] = found(said['Stops at'], /^(\d+) % failed of the last (\d+) calls$/);
      if (rules.stopOn === undefined) expect(said['Stops at']).toBe('no share of bad results');
      else expect([Number(share) / 100, Number(over)]).toEqual([rules.stopOn.share, rules.stopOn.over]);
      const [canary] = found(said['First look'], /^after (\d+) contacts?: then it waits for you$/);
      expect(canary === undefined ? undefined : Number(canary)).toBe(rules.canary);
      const instant = (text: string | undefined) => text && Date.parse(text.replace(/(?<=[a-z]) /, ' 2026 '));
      expect([instant(said.Start), instant(said.End)]).toEqual([rules.start, rules.end]);
      for (const label of given.optOut) expect(said['Not called']).toContain(`after "${label}"`);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

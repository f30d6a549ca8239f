/**
 * The hours of places, against an oracle that shares nothing with them: what Intl shows for each minute, and what clocks show that
 * were changed since its data was made. An opening never has a closed minute, and is as long as it can be unless the clocks go back
 * inside of it.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callingWindowsOf, hasCommonWindow } from '../../src/plans/rules/calendar.ts';
import type { CallingWindows } from '../../src/plans/rules/calling-window.ts';
import type { Place } from '../../src/plans/rules/plan.ts';
import type { WeeklyWindows } from '../../src/plans/rules/rules.ts';
import { parseWindow } from '../../src/plans/rules/window.ts';
import { casesBeside } from '../support/cases.ts';
import { howMany, isTurnOf } from '../support/full-matrix.ts';
import { NEW_CLOCKS, zonesLike } from '../support/new-clocks.ts';
import { type LocalTime, localTime, offsetOf } from '../support/plan-worlds/local-time.ts';

const cases = casesBeside(import.meta.filename);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The oracle ----------------------------------------------------------------------------------------------------------

const offsetAt = (zone: string, at: number) => offsetOf(at, zone) * MINUTE;

function isOpen(window: WeeklyWindows, skipped: readonly string[], { date, weekday, minute }: LocalTime): boolean {
  return !skipped.includes(date) && (window[weekday] ?? []).some(({ from, until }) => from <= minute && minute < until);
}

/** By each clock that may be right there. */
function isOpenIn(zone: string, at: number, window: WeeklyWindows, skipped: readonly string[] = []): boolean {
  return zonesLike(zone, at).every((name) => isOpen(window, skipped, localTime(at, name)));
}

interface Change {
  zone: string;
  /** The first minute with the new offset. */
  at: number;
  /** How far the clocks go ahead, in milliseconds; negative if they go back. */
  shift: number;
}

/** The changes of a zone's clocks between two instants. */
function changesOf(zone: string, from: number, until: number): Change[] {
  const changes: Change[] = [];
  for (let at = from; at < until; at += 7 * DAY) {
    const [before, after] = [offsetAt(zone, at), offsetAt(zone, at + 7 * DAY)];
    if (before === after) continue;
    let [low, high] = [at / MINUTE, (at + 7 * DAY) / MINUTE];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (offsetAt(zone, middle * MINUTE) === before) low = middle;
      else high = middle;
    }
    changes.push({ zone, at: high * MINUTE, shift: after - before });
  }
  return changes;
}

// The properties ------------------------------------------------------------------------------------------------------

const placeIn = (...zones: string[]): Place => ({ zones, country: null });
const hoursIn = (window: string, ...zones: string[]) =>
  callingWindowsOf({ window: parseWindow(window), zone: 'contact', skipDates: [] }, [placeIn(...zones)]);

/** Whether the hours are open at each minute, asked as rarely as openings allow. */
function* openMinutes(hours: CallingWindows, from: number, until: number): Generator<[at: number, isOpen: boolean]> {
  for (let at = from; at < until; ) {
    const opening = hours.windowAt(0, at);
    const opens = Math.min(opening?.from ?? until, until);
    const closes = Math.min(opening?.until ?? until, until);
    for (; at < opens; at += MINUTE) yield [at, false];
    for (; at < closes; at += MINUTE) yield [at, true];
  }
}

/** CallingWindows on both sides of the usual times of changes, on midnight, and on the quarter hours of small zones. */
const WINDOWS = [
  '09:00-20:00',
  '00:00-24:00',
  '01:30-02:30,03:15-23:30',
  '00:00-00:30,02:00-03:00,23:30-24:00',
  'mon-fri=00:30-24:00,sat-sun=02:45-23:00',
];

interface Asked {
  from: number;
  until: number;
  /** Milliseconds between two minutes that are looked at. */
  every?: number;
  skipped?: readonly string[];
}

/** Where minutes are shown twice, a window begins with the second and ends with the first. Elsewhere it is as long as possible. */
function check(hours: CallingWindows, zones: readonly string[], window: WeeklyWindows, asked: Asked): void {
  const { from, until, every = MINUTE, skipped = [] } = asked;
  const all = zones.flatMap((zone) => zonesLike(zone, from));
  const folds = all
    .flatMap((zone) => changesOf(zone, from - 8 * DAY, until + 8 * DAY))
    .filter(({ shift }) => shift < 0);
  const isShownTwice = (minute: number) => folds.some(({ at, shift }) => minute >= at + shift && minute < at - shift);
  for (const [at, isOpened] of openMinutes(hours, from, until)) {
    const mayOpen = at % every !== 0 ? isOpened : zones.every((zone) => isOpenIn(zone, at, window, skipped));
    if (isOpened === mayOpen || (mayOpen && isShownTwice(at))) continue;
    const what = isOpened ? 'open at a closed minute' : 'closed at an open minute';
    throw new Error(`${what}: ${JSON.stringify(window)} in ${zones} at ${new Date(at).toISOString()}`);
  }
}

function checkAround({ zone, at }: Change, text: string): void {
  check(hoursIn(text, zone), [zone], parseWindow(text), { from: at - 27 * HOUR, until: at + 27 * HOUR });
}

const ZONES = Intl.supportedValuesOf('timeZone');
const FROM = Date.UTC(1995, 0, 1);
const UNTIL = Date.UTC(2030, 0, 1);

test('no closed minute around changes of clocks, in any zone', { timeout: 60_000 }, () => {
  const [seen, ahead, back] = [{ zones: 0 }, new Set<string>(), new Set<string>()];
  for (const [index, zone] of ZONES.entries()) {
    if (!isTurnOf(index, 2)) continue;
    // Other years for each zone, so that all years come up.
    const start = FROM + (index % 30) * 365 * DAY;
    const found = changesOf(zone, start, Math.min(UNTIL, start + 6 * 365 * DAY));
    const one = found.find(({ shift }) => shift > 0);
    const other = found.find(({ shift }) => shift < 0);
    for (const change of [one, other]) {
      if (change === undefined) continue;
      (change.shift > 0 ? ahead : back).add(zone);
      checkAround(change, WINDOWS[(index + (change.shift > 0 ? 1 : 0)) % WINDOWS.length] as string);
    }
    seen.zones++;
  }
  expect(seen.zones).toBeGreaterThan(howMany(200, 400));
  expect(ahead.size).toBeGreaterThan(howMany(40, 100));
  expect(back.size).toBeGreaterThan(howMany(40, 100));
});

describe('changes that are unlike the others', () => {
  test.each(cases<[string, string, string, string]>('unlike the others'))('%s: %s', (_how, zone, from, until) => {
    const changes = changesOf(zone, Date.parse(from), Date.parse(until));
    expect(changes.length).toBeGreaterThan(0);
    for (const change of changes) for (const window of WINDOWS) checkAround(change, window);
  });
});

test('random hours, dates and sets of zones: open is what every zone shows as open', { timeout: 60_000 }, () => {
  const clock = fc.integer({ min: 0, max: 96 }).map((quarters) => quarters * 15);
  const hours = fc
    .uniqueArray(clock, { minLength: 2, maxLength: 4 })
    .map((list) => list.sort((one, other) => one - other))
    .map(([a = 0, b = 0, c = 0, d = 0]) => [{ from: a, until: b }, ...(d > c && c > b ? [{ from: c, until: d }] : [])]);
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: hours }, fc.constant([])), { minLength: 7, maxLength: 7 }),
      fc.uniqueArray(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: FROM / DAY, max: UNTIL / DAY }),
      fc.array(fc.integer({ min: -2, max: 3 }), { maxLength: 2 }),
      (window, zones, day, skips) => {
        const dates = skips.map((skip) => new Date((day + skip) * DAY).toISOString().slice(0, 10));
        const skipDates = dates.map((date) => ({ date, country: undefined }));
        const found = callingWindowsOf({ window, zone: 'contact', skipDates }, [placeIn(...zones)]);
        const days = { from: day * DAY, until: (day + 2) * DAY };
        check(found, zones, window, { ...days, every: 5 * MINUTE, skipped: dates });
      },
    ),
    { numRuns: howMany(40, 150) },
  );
});

describe('clocks that were changed since the zone data was made', () => {
  const weeks = ['2026-09-14', '2026-10-29', '2026-12-20', '2027-03-10', '2027-11-04', '2028-07-01'];

  test.each(NEW_CLOCKS)('%s, which shows the time of %s: open is what both show as open', (zone) => {
    const [window, open] = [parseWindow('09:00-20:00,21:00-24:00'), { both: 0, one: 0 }];
    for (const from of weeks.map((week) => Date.parse(week))) {
      for (const [at, isOpened] of openMinutes(hoursIn('09:00-20:00,21:00-24:00', zone), from, from + 7 * DAY)) {
        if (at % (15 * MINUTE) !== 0) continue;
        expect(isOpened).toBe(isOpenIn(zone, at, window));
        open[isOpened ? 'both' : 'one'] += Number(isOpen(window, [], localTime(at, zone)));
      }
    }
    expect(open.both).toBeGreaterThan(0);
    if (zone !== 'Europe/Chisinau') expect(open.one).toBeGreaterThan(0);
  });

  test('a place between an old and a new clock has no hour in common', () => {
    const rules = { window: parseWindow('09:00-09:50'), zone: 'contact', skipDates: [] };
    expect(hasCommonWindow(rules, placeIn('America/Winnipeg'), Date.parse('2026-11-02'))).toBe(true);
    const winter = { ...rules, skipDates: [] };
    const opening = callingWindowsOf(winter, [placeIn('America/Winnipeg')]).windowAt(0, Date.parse('2026-11-02'));
    // In summer both show the same.
    expect(new Date(opening?.from ?? 0).toISOString()).toBe('2027-03-14T14:00:00.000Z');
  });
});

test('any order of questions gets the same answers', () => {
  const rules = { window: parseWindow('mon-sat=09:00-12:00,mon-sat=13:00-20:00'), zone: 'contact', skipDates: [] };
  const place = placeIn('America/New_York', 'Europe/Berlin');
  const instant = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 6) });
  fc.assert(
    fc.property(fc.array(instant, { minLength: 2, maxLength: 30 }), (instants) => {
      const hours = callingWindowsOf(rules, [place]);
      for (const at of instants) {
        const [opening, alone] = [hours.windowAt(0, at), callingWindowsOf(rules, [place]).windowAt(0, at)];
        expect(opening?.until).toBe(alone?.until);
        expect(Math.max(at, opening?.from ?? 0)).toBe(Math.max(at, alone?.from ?? 0));
        expect(opening?.until).toBeGreaterThan(at);
      }
    }),
    { numRuns: howMany(12, 50) },
  );
});

// Examples ------------------------------------------------------------------------------------------------------------

const iso = (opening: { from: number; until: number } | undefined) =>
  opening && [opening.from, opening.until].map((at) => new Date(at).toISOString().replace(':00.000Z', 'Z'));

describe('examples', () => {
  test('hours to midnight go on after it', () => {
    const hours = hoursIn('20:00-24:00,00:00-02:00', 'Asia/Kathmandu');
    expect(iso(hours.windowAt(0, Date.parse('2026-05-01T12:00Z')))).toEqual(['2026-05-01T14:15Z', '2026-05-01T20:15Z']);
  });

  test('a window that never closes goes on, a few days at a time, whatever was asked before', () => {
    const at = Date.parse('2026-05-01T12:00Z');
    const hours = hoursIn('00:00-24:00', 'UTC');
    const opening = hours.windowAt(0, at);
    expect(iso(opening)).toEqual(['2026-04-30T00:00Z', '2026-05-05T00:00Z']);
    const later = hours.windowAt(0, at + 40 * DAY);
    expect(iso(later)).toEqual(['2026-06-09T00:00Z', '2026-06-14T00:00Z']);
    expect(hours.windowAt(0, at)).toEqual(opening);
    expect(hoursIn('00:00-24:00', 'UTC').windowAt(0, at + 40 * DAY)).toEqual(later);
  });

  test('a zone for all', () => {
    const window = parseWindow('09:00-20:00');
    const hours = callingWindowsOf({ window, zone: 'Asia/Tokyo', skipDates: [] }, [
      placeIn('America/New_York'),
      placeIn(),
    ]);
    for (const place of [0, 1])
      expect(iso(hours.windowAt(place, Date.parse('2026-11-23T00:00Z')))).toEqual([
        '2026-11-23T00:00Z',
        '2026-11-23T11:00Z',
      ]);
  });

  test.each(cases<[string[], string, string, boolean]>('skipped'))(
    'of skipped dates those of a country hold for all who may be there: %j %s, zone %s, %s',
    (zones, country, zone, isSkipped) => {
      const place = { zones, country: country === '' ? null : country };
      const skipDates = [
        { date: '2026-12-25', country: undefined },
        { date: '2026-12-26', country: 'DE' },
      ];
      const hours = callingWindowsOf({ window: parseWindow('09:00-20:00'), zone, skipDates }, [place]);
      const opening = hours.windowAt(0, Date.parse('2026-12-24T22:00Z'));
      expect(iso(opening)?.[0]?.slice(0, 10)).toBe(isSkipped ? '2026-12-27' : '2026-12-26');
    },
  );
});

describe('a common hour', () => {
  const now = Date.parse('2026-11-23T00:00Z');
  test.each(cases<[boolean, string, string[]]>('in common'))('%s: %s in %j', (expected, window, zones) => {
    const rules = { window: parseWindow(window), zone: 'contact', skipDates: [] };
    expect(hasCommonWindow(rules, placeIn(...zones), now)).toBe(expected);
  });

  test('a zone for all makes one for everybody', () => {
    const rules = { window: parseWindow('09:00-20:00'), zone: 'Europe/Berlin', skipDates: [] };
    expect(hasCommonWindow(rules, placeIn(), now)).toBe(true);
  });
});

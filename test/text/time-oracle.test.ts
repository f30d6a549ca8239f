/** Times in words against date(1) of GNU, which has its own calendar and its own database of time zones. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VagentError } from '../../src/errors.ts';
import { parseTime } from '../../src/text/time.ts';
import { dateOf, daysAfter, WEEKDAYS } from '../../src/text/written-time.ts';
import fc from '../support/properties.ts';

const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'America/St_Johns', 'Pacific/Auckland'],
  ...['Australia/Lord_Howe', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Pago_Pago', 'Pacific/Kiritimati', 'UTC'],
];
const DAY = 86_400_000;

/** Instants at which days are hard: the clocks change, a year ends, a leap day comes. */
const HARD = [
  ...['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2018-02-18', '2018-11-04'],
  ...['2025-12-31', '2026-01-01', '2024-02-28', '2024-02-29', '2026-02-28', '2000-02-29'],
].map((day) => Date.parse(day));

/** Days on which a zone's clocks change, in the night. */
const CHANGES = Object.entries({
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'America/New_York': ['2026-03-08', '2026-11-01'],
  'America/Sao_Paulo': ['2018-11-04', '2018-02-18'],
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  'Pacific/Auckland': ['2026-04-05', '2026-09-27'],
}).flatMap(([zone, days]) => days.map((day) => [zone, day] as const));

const hasOracle =
  existsSync('/usr/share/zoneinfo/Pacific/Kiritimati') &&
  execFileSync('date', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .includes('GNU');

/** Ways to write a day and the minutes since midnight. */
const STYLES: ((day: string, minutes: number) => string)[] = [
  (day, minutes) => `${day} ${clock(minutes)}`,
  (day, minutes) => `${day.toUpperCase()}  at ${clock(minutes)}`,
  (day, minutes) => `${clock(minutes)}:00 ${day}`,
  (day, minutes) => `${day} ${clock(minutes).replace(/^0/, '')}`,
  (day, minutes) => `${WEEKDAYS.includes(day) ? day.slice(0, 3) : day} ${clock(minutes)}`,
  (day, minutes) => `${day} ${onHalfClock(minutes)}`,
  (day, minutes) => `${day} ${onHalfClock(minutes).replace(' ', '')}`,
];

interface Case {
  style: (typeof STYLES)[number];
  zone: string;
  now: number;
  day: string;
  minutes: number;
}

const anyCase = fc.record<Case>({
  style: fc.constantFrom(...STYLES),
  zone: fc.constantFrom(...ZONES),
  now: fc.oneof(
    fc.tuple(fc.constantFrom(...HARD), fc.integer({ min: -DAY, max: DAY })).map(([at, off]) => at + off),
    fc.integer({ min: Date.parse('2008-01-01'), max: Date.parse('2026-12-31') }),
  ),
  day: fc.constantFrom('today', 'tomorrow', 'yesterday', ...WEEKDAYS),
  minutes: fc.oneof(fc.constantFrom(0, 60, 90, 120, 150, 180), fc.nat(1439)),
});

const clock = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((number) => String(number).padStart(2, '0')).join(':');

/** In the night of a change, seen from the day before or after. */
const aChange = fc
  .tuple(fc.constantFrom(...CHANGES), fc.constantFrom('tomorrow', 'yesterday'), fc.nat(240), fc.constantFrom(...STYLES))
  .map(([[zone, date], day, minutes, style]): Case => {
    const noon = Date.parse(`${date}T12:00Z`) + (day === 'tomorrow' ? -DAY : DAY);
    return { zone, day, minutes, style, now: noon };
  });

const aCase = fc.oneof(anyCase, aChange);

/** `9:30 pm`; what is 12 there could be noon or midnight, so it is written as it is. */
function onHalfClock(minutes: number): string {
  const hour = Math.floor(minutes / 60) % 12;
  if (hour === 0) return clock(minutes);
  const past = clock(minutes).slice(2).replace(/^:00$/, '');
  return `${hour}${past} ${minutes < 720 ? 'am' : 'pm'}`;
}

interface Asked {
  zone: string;
  /** What date(1) is to read. */
  line: string;
}

/** What date(1) says of each line in its zone, by one process for a zone; undefined where it calls the date invalid. */
function datesOf(asked: readonly Asked[], format: string): (string | undefined)[] {
  const said = new Map<string, Map<string, string>>();
  for (const zone of new Set(asked.map((one) => one.zone))) {
    const lines = [...new Set(asked.filter((one) => one.zone === zone).map(({ line }) => line))];
    const env = { TZ: zone, LC_ALL: 'C', PATH: process.env.PATH };
    const input = `${lines.join('\n')}\n`;
    const { stdout, stderr } = spawnSync('date', ['-f', '-', `+${format}`], { env, input, encoding: 'utf8' });
    const invalid = new Set(Array.from(stderr.matchAll(/invalid date '(.*)'/g), ([, line]) => line));
    const valid = lines.filter((line) => !invalid.has(line));
    const dates = stdout.trimEnd().split('\n');
    expect(valid.length === 0 ? [''] : dates).toHaveLength(Math.max(1, valid.length));
    said.set(zone, new Map(valid.map((line, at) => [line, dates[at] as string])));
  }
  return asked.map(({ zone, line }) => said.get(zone)?.get(line));
}

function datesInUtc(lines: readonly string[], format: string): (string | undefined)[] {
  return datesOf(
    lines.map((line) => ({ zone: 'UTC', line })),
    format,
  );
}

test.skipIf(!hasOracle)('they mean the instants that date(1) computes', async () => {
  const cases = fc.sample(aCase, { numRuns: 160 });
  const nows = datesOf(
    cases.map(({ zone, now }) => ({ zone, line: `@${Math.floor(now / 1000)}` })),
    '%F %A',
  );
  const todays = nows.map((here) => (here ?? '').toLowerCase().split(' ') as [string, string]);
  // The days by the calendar of date(1), in UTC so that no clock changes in between.
  const dates = datesInUtc(
    cases.map(({ day }, at) => {
      const [today, weekday] = todays[at] as [string, string];
      const days = { today: 0, tomorrow: 1, yesterday: -1 }[day];
      return `${today} ${days ?? (WEEKDAYS.indexOf(day) - WEEKDAYS.indexOf(weekday) + 7) % 7} day`;
    }),
    '%F',
  );
  const instants = datesOf(
    cases.map(({ zone, minutes }, at) => ({ zone, line: `${dates[at]} ${clock(minutes)}` })),
    '%s',
  );
  // An hour and half an hour before and after each, by the clock there.
  const around = datesOf(
    cases.flatMap(({ zone }, at) =>
      [-3600, -1800, 1800, 3600].map((off) => ({ zone, line: `@${Number(instants[at] ?? 0) + off}` })),
    ),
    '%F %H:%M',
  );
  let compared = 0;
  let refused = 0;
  for (const [at, { style, zone, now, day, minutes }] of cases.entries()) {
    const [today, weekday] = todays[at] as [string, string];
    const seconds = instants[at];
    const text = style(day, minutes);
    const options = { flag: '--start', now, direction: 'ahead', zone } as const;
    const instant = await parseTime(text, options).catch((error: unknown) => error);
    if (day === weekday) {
      expect(instant).toMatchObject({ message: expect.stringContaining(`${text} could be ${today}T`) });
      continue;
    }
    if (instant instanceof VagentError) {
      refused += 1;
      expect(instant.message).toContain('does not exist, or exists twice');
      // date(1) calls a time that is skipped invalid, and takes one of a pair; the other is not more than an hour away.
      const twins = around.slice(at * 4, at * 4 + 4);
      expect(seconds === undefined || twins.includes(`${dates[at]} ${clock(minutes)}`)).toBe(true);
    } else {
      compared += 1;
      expect({ zone, now, text, instant }).toEqual({ zone, now, text, instant: Number(seconds) * 1000 });
    }
  }
  expect(compared).toBeGreaterThan(70);
  expect(refused).toBeGreaterThan(0);
});

test.skipIf(!hasOracle)('days back are those of date(1)', () => {
  const hard = HARD.map((at) => new Date(at).toISOString().slice(0, 10));
  const cases = fc.sample(fc.tuple(fc.constantFrom(...hard), fc.integer({ min: -800, max: 800 })), { numRuns: 100 });
  const expected = datesInUtc(
    cases.map(([today, days]) => `${today} ${days} day`),
    '%F',
  );
  expect(cases.map(([today, days]) => daysAfter(today, days))).toEqual(expected);
  const numbers = datesInUtc(hard, '%u');
  for (const [at, weekday] of WEEKDAYS.entries()) {
    const agos = numbers.map((number) => (Number(number) - 1 - at + 7) % 7);
    const lasts = datesInUtc(
      hard.map((today, nth) => `${today} -${agos[nth] || 7} day`),
      '%F',
    );
    expect(hard.map((today) => dateOf(weekday, today, 'back'))).toEqual(
      hard.map((today, nth) => (agos[nth] === 0 ? [today, lasts[nth]] : lasts[nth])),
    );
  }
});

/** A plan of a world as files and flags of the command line, and as the history remembers it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanOfHistory, Row } from './history.ts';
import { everybody, ODD_ZONES, phoneOf, placeOf } from './people.ts';
import { NUMBERS } from './service.ts';
import { DAY, MINUTE, membersOf, type Opening, type Rules, type World } from './world.ts';

/** All zones in which the numbers of a place may be: what `contacts check --zones` said. */
export type ZonesOfPlace = (place: number) => readonly string[];

export interface PreparedPlan extends Omit<PlanOfHistory, 'createdAt' | 'contacts'> {
  /** Of `plan create`. */
  args: string[];
  /** A file with the rows that it does not take, if there are any. */
  rejects: string;
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

export function preparePlan(
  world: World,
  at: number,
  folder: string,
  now: number,
  zonesOf: ZonesOfPlace,
): PreparedPlan {
  const plan = world.plans[at];
  if (plan === undefined) throw new Error(`There is no plan ${at}.`);
  const { rules, doubles } = plan;
  const all = everybody(world);
  const members = membersOf({ people: all }, plan);
  const inFile = [...members, ...members.slice(0, doubles)];
  const rows = inFile.map((index, row): Row => {
    const person = all[index] as (typeof all)[number];
    const { country } = placeOf(person.place);
    const zones = person.zone === null ? zonesOf(person.place) : [ODD_ZONES[person.zone] as string];
    return {
      key: `p${at}r${row}`,
      phone: phoneOf(person),
      country,
      zones: rules.zone === undefined ? zones : [rules.zone],
    };
  });
  const name = `World ${at}`;
  const rejects = join(folder, `rejects-${at}.csv`);
  const contacts = join(folder, `contacts-${at}.csv`);
  const lines = inFile.map((index, row) => {
    const { zone } = all[index] as (typeof all)[number];
    return `${(rows[row] as Row).phone},${(rows[row] as Row).key},${zone === null ? '' : ODD_ZONES[zone]}`;
  });
  writeFileSync(contacts, ['phone_number,custom_identifiers,zone', ...lines, ''].join('\n'));
  const skip = rules.skip.map(({ day, ...country }) => ({
    date: new Date(world.start + day * DAY).toISOString().slice(0, 10),
    ...country,
  }));
  const skipped = join(folder, `skip-${at}.txt`);
  writeFileSync(
    skipped,
    skip.map(({ date, country }) => `${date}${country === undefined ? '' : ` ${country}`}\n`).join(''),
  );
  const start = rules.startsIn === undefined ? undefined : now + rules.startsIn * MINUTE;
  const end = rules.endsIn === undefined ? undefined : now + rules.endsIn * MINUTE;
  const args = [
    ...['plan', 'create', '--name', name, '--agent', '1', '--contacts', contacts, '--duplicates', 'keep'],
    ...['--skip-invalid', '--rejects', rejects, '--exclude', exclusions(folder), '--again', '--force', '--json'],
    ...(start === undefined ? [] : ['--start', new Date(start).toISOString()]),
    ...(end === undefined ? [] : ['--end', new Date(end).toISOString()]),
    ...(skip.length === 0 ? [] : ['--skip-dates', skipped]),
    ...(rules.zone === undefined ? ['--zone-column', 'zone'] : ['--zone', rules.zone]),
    ...['--stop-on', rules.stopOn === undefined ? 'never' : `failed=${rules.stopOn.percent}%/${rules.stopOn.over}`],
    ...(rules.canary === undefined ? [] : ['--canary', String(rules.canary)]),
    ...NUMBERS.slice(0, rules.fromNumbers).flatMap((number) => ['--from', number]),
    ...flagsOf(rules),
  ];
  return { name, rules, start, end, skip, rows, args, rejects, edits: [] };
}

/** The rows that `plan create` took: it knows nothing of the others, and hears of nobody in them. */
export function takenRows({ rows, rejects }: Pick<PreparedPlan, 'rows' | 'rejects'>): Row[] {
  if (!existsSync(rejects)) return rows;
  const [, ...lines] = readFileSync(rejects, 'utf8').split('\n');
  // By the lines of the file: the first of them are the names of its columns.
  const rejected = new Set(lines.map((line) => Number.parseInt(line, 10) - 2));
  return rows.filter((_row, place) => !rejected.has(place));
}

/** The file of numbers that are not to be called; it is read anew before each wave. */
export function exclusions(folder: string): string {
  return join(folder, 'excluded.csv');
}

/** Of rules that can also be changed. */
export function flagsOf(rules: Partial<Rules>): string[] {
  const { retry, perNumber, budget, fromCap, optOut = [] } = rules;
  const delays = Object.entries(retry ?? {}).map(
    ([result, delay]) => `${result}=${delay === null ? 'never' : `${delay}m`}`,
  );
  const given = {
    window: rules.openings?.map(windowText).join(','),
    'calls-per-hour': rules.callsPerHour,
    wave: rules.wave && `${rules.wave}m`,
    'max-attempts': rules.maxAttempts,
    retry: retry && delays.join(','),
    'min-gap': rules.minGap && `${rules.minGap}m`,
    'max-per-number': perNumber && `${perNumber.count}/${perNumber.within}m`,
    budget: budget && money(budget.cents),
    'price-per-minute': budget && money(budget.centsPerMinute),
    longest: budget && `${budget.longest}m`,
    'from-cap': fromCap && `${fromCap.count}/${fromCap.within}m`,
    'opt-out': optOut.length === 0 ? undefined : optOut.join(','),
  };
  return Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, String(value)]));
}

function windowText({ days: [first, last], opens, closes }: Opening): string {
  const hours = `${timeOfDay(opens)}-${timeOfDay(closes)}`;
  if (first === 0 && last === 6) return hours;
  return `${WEEKDAYS[first]}${first === last ? '' : `-${WEEKDAYS[last]}`}=${hours}`;
}

function timeOfDay(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

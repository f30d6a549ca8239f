/** Counts call log entries one at a time: memory grows with the number of days, labels and agents, not of calls. */
import type { CallCounts, CallLogEntry } from '../contract.ts';
import { plainText } from '../text/csv.ts';
import { bands, type DurationBand, percentile } from './durations.ts';
import { instantOf, secondsOf } from './select.ts';

/** What the clocks of a time zone show. */
export interface WallTime {
  /** YYYY-MM-DD. */
  date: string;
  /** From 0, Monday, to 6, Sunday. */
  weekday: number;
  /** From 0 to 23. */
  hour: number;
}

/** The time zone in which days and hours are counted. */
export interface Zone {
  name: string;
  /** `epochMs`: milliseconds since the epoch. */
  wallTime(epochMs: number): WallTime;
}

export interface Count {
  calls: number;
  completed: number;
}

/** The output of `logs stats --json`. Values that cannot be computed are null. */
export interface Statistics {
  calls: number;
  by_status: Record<string, number>;
  by_outcome: Record<string, number>;
  /** Completed calls as a share of all, from 0 to 1. */
  answer_rate: number | null;
  /** Of completed calls. */
  talk_seconds: number;
  /** Seconds of completed calls. Percentiles are by nearest rank: the shortest duration that so many percent do not exceed. */
  duration: Record<'mean' | 'p50' | 'p90' | 'p99' | 'max', number | null>;
  /** The days that have calls, the earliest first. */
  by_day: ({ date: string } & Count)[];
  by_hour: number[];
  /** Seven days from Monday, each with 24 hours. */
  by_weekday_hour: number[][];
  /** An id that is not a number is given as text. */
  by_agent: ({ agent_id: number | string | null } & Count)[];
  duration_bands: DurationBand[];
  /** UTC. */
  first_call: string | null;
  last_call: string | null;
  /** The time zone of days and hours. */
  timezone: string;
  /** Calls whose time cannot be read: counted everywhere except in days and hours. */
  without_time: number;
  /** Completed calls without a readable duration: counted everywhere except in durations. */
  without_duration: number;
}

const COMPLETED = 'completed';
/** The label for calls without one. */
const NONE = '(none)';

/** Milliseconds. In every time zone a quarter of an hour lies within one hour, unless the clocks change in it. */
const QUARTER_HOUR = 900_000;

/** Fifteen minutes that lie within one hour of one day. */
interface QuarterHour {
  day: Count;
  weekday: number;
  hour: number;
}

export class StatisticsCounter {
  readonly #zone: Zone;
  readonly #total = newCount();
  readonly #statuses = new Map<string, number>();
  readonly #outcomes = new Map<string, number>();
  readonly #agents = new Map<number | string | null, Count>();
  readonly #days = new Map<string, Count>();
  readonly #hours = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  /** Completed calls by their seconds. */
  readonly #durations = new Map<number, number>();
  /** By quarter-hour number: to ask the time zone for each of a million calls would take seconds. */
  readonly #quarters = new Map<number, QuarterHour | undefined>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #withoutTime = 0;
  #withoutDuration = 0;

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  add(call: CallLogEntry): void {
    const { call_status, call_outcome, agent_id } = call;
    const isCompleted = call_status === COMPLETED;
    bump(this.#total, isCompleted);
    increase(this.#statuses, plainText(call_status) || NONE);
    increase(this.#outcomes, plainText(call_outcome) || NONE);
    bump(
      entryOf(this.#agents, typeof agent_id === 'number' ? agent_id : plainText(agent_id) || null, newCount),
      isCompleted,
    );
    if (isCompleted) {
      const seconds = secondsOf(call);
      if (seconds === undefined) this.#withoutDuration++;
      else increase(this.#durations, seconds);
    }
    const instant = instantOf(call);
    if (instant === undefined) this.#withoutTime++;
    else this.#addTime(instant, isCompleted);
  }

  /**
   * Adds many at once. False, and nothing is added, if the clocks of the zone change within a quarter of an hour: then the calls are to be
   * added one by one.
   */
  addCounts({ quarters, kinds }: CallCounts): boolean {
    const placed = quarters.map((quarter) => ({ ...quarter, place: this.#quarter(quarter.start / QUARTER_HOUR) }));
    if (placed.some(({ place }) => place === undefined)) return false;
    for (const { place, isCompleted, calls, first, last } of placed) {
      const { day, weekday, hour } = place as QuarterHour;
      bump(this.#total, isCompleted, calls);
      bump(day, isCompleted, calls);
      const hours = this.#hours[weekday] as number[];
      hours[hour] = (hours[hour] ?? 0) + calls;
      this.#first = Math.min(this.#first, first);
      this.#last = Math.max(this.#last, last);
    }
    for (const { agentId, status, outcome, seconds, calls } of kinds) {
      bump(entryOf(this.#agents, agentId, newCount), status === COMPLETED, calls);
      increase(this.#statuses, status || NONE, calls);
      increase(this.#outcomes, outcome || NONE, calls);
      if (seconds !== null) increase(this.#durations, seconds, calls);
    }
    return true;
  }

  #addTime(instant: number, isCompleted: boolean): void {
    this.#first = Math.min(this.#first, instant);
    this.#last = Math.max(this.#last, instant);
    const number = Math.floor(instant / QUARTER_HOUR);
    const { day, weekday, hour } = entryOf(this.#quarters, number, () => this.#quarter(number)) ?? this.#place(instant);
    bump(day, isCompleted);
    const hours = this.#hours[weekday] as number[];
    hours[hour] = (hours[hour] ?? 0) + 1;
  }

  /** Undefined if the clocks change within the quarter of an hour. */
  #quarter(number: number): QuarterHour | undefined {
    const start = number * QUARTER_HOUR;
    const first = this.#zone.wallTime(start);
    const last = this.#zone.wallTime(start + QUARTER_HOUR - 1);
    return first.hour === last.hour && first.date === last.date ? this.#place(start) : undefined;
  }

  #place(instant: number): QuarterHour {
    const { date, weekday, hour } = this.#zone.wallTime(instant);
    return { day: entryOf(this.#days, date, newCount), weekday, hour };
  }

  result(): Statistics {
    const { calls, completed } = this.#total;
    const durations = [...this.#durations].sort(([left], [right]) => left - right);
    const talkSeconds = durations.reduce((sum, [seconds, count]) => sum + seconds * count, 0);
    return {
      calls,
      by_status: Object.fromEntries(byFrequency(this.#statuses)),
      by_outcome: Object.fromEntries(byFrequency(this.#outcomes)),
      answer_rate: calls === 0 ? null : completed / calls,
      talk_seconds: talkSeconds,
      duration: {
        mean: durations.length === 0 ? null : talkSeconds / (completed - this.#withoutDuration),
        p50: percentile(durations, 50),
        p90: percentile(durations, 90),
        p99: percentile(durations, 99),
        max: percentile(durations, 100),
      },
      by_day: [...this.#days]
        .map(([date, count]) => ({ date, ...count }))
        .sort((left, right) => Date.parse(left.date) - Date.parse(right.date)),
      by_hour: Array.from({ length: 24 }, (_none, hour) => sum(this.#hours.map((hours) => hours[hour] ?? 0))),
      by_weekday_hour: this.#hours.map((hours) => [...hours]),
      by_agent: [...this.#agents]
        .map(([agent_id, count]) => ({ agent_id, ...count }))
        .sort((left, right) => right.calls - left.calls || byId(left.agent_id, right.agent_id)),
      duration_bands: bands(durations),
      first_call: isoTime(this.#first),
      last_call: isoTime(this.#last),
      timezone: this.#zone.name,
      without_time: this.#withoutTime,
      without_duration: this.#withoutDuration,
    };
  }
}

/** Null first, then numbers, then texts. */
function byId(left: number | string | null, right: number | string | null): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  if (typeof left === 'string') return 1;
  return typeof right === 'string' ? -1 : (left ?? Number.NEGATIVE_INFINITY) - (right ?? Number.NEGATIVE_INFINITY);
}

/** Some days in a row. */
export interface Period extends Count {
  first: string;
  last: string;
}

const DAY = 86_400_000;

/** All days from the first to the last with calls, grouped so that there are at most `limit` periods. */
export function periods(days: Statistics['by_day'], limit: number): Period[] {
  const numbers = days.map(({ date }) => Date.parse(date) / DAY);
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return [];
  const length = Math.ceil((last - first + 1) / limit);
  const made = Array.from({ length: Math.ceil((last - first + 1) / length) }, (_none, at) => {
    const start = first + at * length;
    return { first: dateOf(start), last: dateOf(Math.min(last, start + length - 1)), ...newCount() };
  });
  for (const [at, { calls, completed }] of days.entries()) {
    const period = made[Math.floor(((numbers[at] as number) - first) / length)] as Period;
    period.calls += calls;
    period.completed += completed;
  }
  return made;
}

export function daysIn({ first, last }: Period): number {
  return (Date.parse(last) - Date.parse(first)) / DAY + 1;
}

function dateOf(dayNumber: number): string {
  return new Date(dayNumber * DAY).toISOString().split('T')[0] as string;
}

function newCount(): Count {
  return { calls: 0, completed: 0 };
}

function bump(count: Count, isCompleted: boolean, calls = 1): void {
  count.calls += calls;
  if (isCompleted) count.completed += calls;
}

function increase<K>(counts: Map<K, number>, key: K, calls = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + calls);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as V;
  const made = make();
  map.set(key, made);
  return made;
}

/** The most frequent label first; labels with equal counts are in alphabetical order. */
export function byFrequency(counts: Iterable<[string, number]>): [string, number][] {
  return [...counts].sort(([left, some], [right, others]) => others - some || (left < right ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isoTime(instant: number): string | null {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : null;
}

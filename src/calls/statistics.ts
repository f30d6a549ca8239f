/** Counts of call log entries, taken as they come: what is kept grows with days, labels and agents, not with calls. */
import type { CallLogEntry } from '../contract.ts';
import { plainText } from '../csv.ts';
import { instantOf, secondsOf } from './select.ts';

/** What the clocks of a place show. */
export interface WallTime {
  /** YYYY-MM-DD. */
  date: string;
  /** From 0, Monday, to 6, Sunday. */
  weekday: number;
  /** From 0 to 23. */
  hour: number;
}

/** Where days and hours are told. */
export interface Zone {
  name: string;
  /** `epochMs`: milliseconds since the epoch. */
  wallTime(epochMs: number): WallTime;
}

export interface Count {
  calls: number;
  completed: number;
}

/** How many completed calls lasted at least `from` and less than `until` seconds; `until` is null in the last, open one. */
export interface DurationBand {
  from: number;
  until: number | null;
  calls: number;
}

/** `logs stats --json`. What there is nothing to compute from is null. */
export interface Statistics {
  calls: number;
  by_status: Record<string, number>;
  by_outcome: Record<string, number>;
  /** Completed calls as a share of all, from 0 to 1. */
  answer_rate: number | null;
  /** Of completed calls. */
  talk_seconds: number;
  /** Seconds of completed calls. Percentiles by nearest rank: the shortest duration that so many percent do not exceed. */
  duration: Record<'mean' | 'p50' | 'p90' | 'p99' | 'max', number | null>;
  /** Days that have calls, the first one first. */
  by_day: ({ date: string } & Count)[];
  by_hour: number[];
  /** Monday first, 24 hours each. */
  by_weekday_hour: number[][];
  /** An id that is no number is its text. */
  by_agent: ({ agent_id: number | string | null } & Count)[];
  duration_bands: DurationBand[];
  /** UTC. */
  first_call: string | null;
  last_call: string | null;
  /** The zone of days and hours. */
  timezone: string;
  /** Calls whose time cannot be read: they are in everything but the days and hours. */
  without_time: number;
  /** Completed calls without a readable duration: they are in everything but the durations. */
  without_duration: number;
}

const COMPLETED = 'completed';
/** The label of calls that have none. */
const NONE = '(none)';

/** Milliseconds. Clocks show one hour for so long, but where they are changed in between. */
const SLOT = 900_000;

/** A stretch of time that lies in one hour of one day. */
interface Slot {
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
  /** Where instants lie, by the number of their slot: asking the zone for each of a million calls would take seconds. */
  readonly #slots = new Map<number, Slot | undefined>();
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

  #addTime(instant: number, isCompleted: boolean): void {
    this.#first = Math.min(this.#first, instant);
    this.#last = Math.max(this.#last, instant);
    const number = Math.floor(instant / SLOT);
    const { day, weekday, hour } = entryOf(this.#slots, number, () => this.#slot(number)) ?? this.#place(instant);
    bump(day, isCompleted);
    const hours = this.#hours[weekday] as number[];
    hours[hour] = (hours[hour] ?? 0) + 1;
  }

  /** Undefined where the clocks are changed within the slot. */
  #slot(number: number): Slot | undefined {
    const start = number * SLOT;
    const first = this.#zone.wallTime(start);
    const last = this.#zone.wallTime(start + SLOT - 1);
    return first.hour === last.hour && first.date === last.date ? this.#place(start) : undefined;
  }

  #place(instant: number): Slot {
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

/** None, then the numbers, then the texts. */
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

/** All days from the first to the last one that has calls, so many of them together that there are at most `limit` periods. */
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

/** Seconds and how many have them, the shortest first; null where there are none. */
type Durations = readonly (readonly [seconds: number, calls: number])[];

function percentile(durations: Durations, percent: number): number | null {
  const total = sum(durations.map(([, calls]) => calls));
  // Whole numbers up to the division: 0.9 × 70 is a little more than 63.
  const rank = Math.ceil((percent * total) / 100);
  let passed = 0;
  for (const [seconds, calls] of durations) {
    passed += calls;
    if (passed >= rank) return seconds;
  }
  return null;
}

const BAND_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const BANDS = 12;

/** Bands of one round width, with which at most 12 hold all but the longest 1 %; what lasted longer is in the last one. */
function bands(durations: Durations): DurationBand[] {
  const long = percentile(durations, 99);
  if (long === null) return [];
  const width = BAND_SECONDS.find((seconds) => long < seconds * BANDS) ?? Math.ceil((long + 1) / BANDS);
  const closed = Math.floor(long / width) + 1;
  const made = Array.from({ length: closed }, (_none, at): DurationBand => {
    return { from: at * width, until: (at + 1) * width, calls: 0 };
  });
  const longer: DurationBand = { from: closed * width, until: null, calls: 0 };
  for (const [seconds, calls] of durations) (made[Math.floor(seconds / width)] ?? longer).calls += calls;
  return longer.calls === 0 ? made : [...made, longer];
}

function newCount(): Count {
  return { calls: 0, completed: 0 };
}

function bump(count: Count, isCompleted: boolean): void {
  count.calls++;
  if (isCompleted) count.completed++;
}

function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as V;
  const made = make();
  map.set(key, made);
  return made;
}

/** The most frequent label first; of equal counts, the one that comes first in the alphabet. */
export function byFrequency(counts: Iterable<[string, number]>): [string, number][] {
  return [...counts].sort(([left, some], [right, others]) => others - some || (left < right ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isoTime(instant: number): string | null {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : null;
}

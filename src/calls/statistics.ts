/** Counts call log entries one at a time: memory grows with the number of days, labels and agents, not of calls. */
import { type CallCounts, type CallLogEntry, isVoicemail, type Service } from '../contract.ts';
import { plainText } from '../text/csv.ts';
import { isoDate, isoTimeOrNull } from '../text/iso.ts';
import type { Notes } from '../text/notes.ts';
import { type Occurrences, percentile } from '../text/numbers.ts';
import { masked } from '../text/redact.ts';
import { DAY, HOUR, MINUTE } from '../text/units.ts';
import { type CallFilters, pages, readLog } from './paging/pages.ts';
import { instantOf, NONE, secondsOf } from './select.ts';

interface Count {
  calls: number;
  completed: number;
}

/** How many completed calls lasted at least `from` and less than `until` seconds; `until` is null in the last band. */
interface DurationBand {
  from: number;
  until: number | null;
  calls: number;
}

/** The output of `logs stats --json`. Values that cannot be computed are null. */
export interface Statistics {
  calls: number;
  by_status: Record<string, number>;
  by_outcome: Record<string, number>;
  /** Calls that a person took as a share of all, from 0 to 1: completed, and no voicemail. */
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
  by_agent: ({ agent_id: AgentId } & Count)[];
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

/** The label for calls without one. */

/** In every time zone a quarter of an hour lies within one hour, unless the clocks change in it. */
const QUARTER_HOUR = HOUR / 4;

/** Where a call is counted, by the clocks of this machine: Monday is weekday 0. */
interface Place {
  date: string;
  weekday: number;
  hour: number;
}

type AgentId = number | string | null;
/** What many calls may have in common. `seconds`: of a completed call, null where they cannot be read. */
type Kind = Omit<CallCounts['kinds'][number], 'agentId'> & { agentId: AgentId };

class StatisticsCounter {
  readonly #statuses = new Map<string, Count>();
  readonly #outcomes = new Map<string, Count>();
  readonly #agents = new Map<AgentId, Count>();
  readonly #days = new Map<string, Count>();
  readonly #hours = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  /** Completed calls by their seconds. */
  readonly #durations = new Map<number, Count>();
  /** By quarter-hour number: to ask the time zone for each of a million calls would take seconds. */
  readonly #quarters = new Map<number, Place | undefined>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #withoutTime = 0;
  #withoutDuration = 0;
  #voicemails = 0;

  add(call: CallLogEntry): void {
    const { agent_id } = call;
    const [status, outcome] = [plainText(call.call_status), plainText(call.call_outcome)];
    const isCompleted = status === 'completed';
    const seconds = isCompleted ? (secondsOf(call) ?? null) : null;
    const agentId = typeof agent_id === 'number' ? agent_id : plainText(agent_id) || null;
    this.#addKind({ agentId, status, outcome, seconds, calls: 1 });
    const at = instantOf(call);
    if (at === undefined) this.#withoutTime++;
    else this.#addAt(this.#placeOf(at), { isCompleted, calls: 1, first: at, last: at });
  }

  /**
   * Adds many at once. False, and nothing is added, if the clocks of the zone change within a quarter of an hour: then the calls
   * are to be added one by one.
   */
  addCounts({ quarters, kinds }: CallCounts): boolean {
    const places = quarters.map(({ start }) => placeOfQuarter(start));
    if (places.includes(undefined)) return false;
    for (const [at, quarter] of quarters.entries()) this.#addAt(places[at] as Place, quarter);
    for (const kind of kinds) this.#addKind(kind);
    return true;
  }

  #addKind({ agentId, status, outcome, seconds, calls }: Kind): void {
    const isCompleted = status === 'completed';
    bump(this.#agents, agentId, calls, isCompleted);
    bump(this.#statuses, status || NONE, calls, isCompleted);
    bump(this.#outcomes, outcome || NONE, calls, isCompleted);
    if (isCompleted && isVoicemail(outcome)) this.#voicemails += calls;
    if (seconds !== null) bump(this.#durations, seconds, calls, true);
    else if (isCompleted) this.#withoutDuration += calls;
  }

  #addAt({ date, weekday, hour }: Place, counts: Omit<CallCounts['quarters'][number], 'start'>): void {
    const { isCompleted, calls, first, last } = counts;
    bump(this.#days, date, calls, isCompleted);
    const hours = this.#hours[weekday] as number[];
    hours[hour] = (hours[hour] ?? 0) + calls;
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
  }

  #placeOf(instant: number): Place {
    const quarter = Math.floor(instant / QUARTER_HOUR);
    if (!this.#quarters.has(quarter)) this.#quarters.set(quarter, placeOfQuarter(quarter * QUARTER_HOUR));
    return this.#quarters.get(quarter) ?? placeAt(wallTime(instant));
  }

  /** Keys are masked before anything is cut or escaped: nobody would recognise the rest of one. */
  result(redact: (text: string) => string): Statistics {
    const agents = [...this.#agents].map(([agent_id, count]) => ({ agent_id, ...count }));
    const calls = sum(agents.map(({ calls }) => calls));
    const completed = sum(agents.map(({ completed }) => completed));
    const durations = [...this.#durations]
      .map(([seconds, { calls }]) => [seconds, calls] as const)
      .sort(([left], [right]) => left - right);
    const talkSeconds = sum(durations.map(([seconds, calls]) => seconds * calls));
    return {
      calls,
      by_status: byLabel(this.#statuses, redact),
      by_outcome: byLabel(this.#outcomes, redact),
      answer_rate: calls === 0 ? null : (completed - this.#voicemails) / calls,
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
      by_weekday_hour: this.#hours,
      by_agent: masked(
        agents.sort((left, right) => right.calls - left.calls || byId(left.agent_id, right.agent_id)),
        redact,
      ),
      duration_bands: bands(durations),
      first_call: isoTimeOrNull(this.#first),
      last_call: isoTimeOrNull(this.#last),
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      without_time: this.#withoutTime,
      without_duration: this.#withoutDuration,
    };
  }
}

function bump<K>(counts: Map<K, Count>, key: K, calls: number, isCompleted: boolean): void {
  const count = counts.get(key) ?? { calls: 0, completed: 0 };
  count.calls += calls;
  if (isCompleted) count.completed += calls;
  counts.set(key, count);
}

/** Undefined if the clocks change within the quarter of an hour. */
function placeOfQuarter(start: number): Place | undefined {
  const [first, last] = [placeAt(wallTime(start)), placeAt(wallTime(start + QUARTER_HOUR - 1))];
  return first.hour === last.hour && first.date === last.date ? first : undefined;
}

function placeAt(wall: Date): Place {
  const [date = ''] = wall.toISOString().split('T');
  return { date, weekday: (wall.getUTCDay() + 6) % 7, hour: wall.getUTCHours() };
}

/** What the clocks of this machine show, or those of the zone that TZ names, as if it were UTC. */
function wallTime(instant: number): Date {
  return new Date(instant - new Date(instant).getTimezoneOffset() * MINUTE);
}

function byLabel(counts: Map<string, Count>, redact: (text: string) => string): Record<string, number> {
  const labels = new Map<string, Count>();
  for (const [label, { calls }] of counts) bump(labels, redact(label), calls, false);
  return Object.fromEntries(byFrequency([...labels].map(([label, { calls }]) => [label, calls])));
}

/** Null first, then numbers, then texts. */
function byId(left: AgentId, right: AgentId): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  if (typeof left === 'string') return 1;
  return typeof right === 'string' ? -1 : (left ?? Number.NEGATIVE_INFINITY) - (right ?? Number.NEGATIVE_INFINITY);
}

const BAND_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const BANDS = 12;

/**
 * `durations` in seconds. Bands of one round width: at most 12, which hold all but the longest 1 %; the last band holds
 * everything longer.
 */
function bands(durations: Occurrences): DurationBand[] {
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

/** Some days in a row. */
interface Period extends Count {
  first: string;
  last: string;
}

/** All days from the first to the last with calls, grouped so that there are at most `limit` periods. */
export function periods(days: Statistics['by_day'], limit: number): Period[] {
  const numbers = days.map(({ date }) => Date.parse(date) / DAY);
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return [];
  const length = Math.ceil((last - first + 1) / limit);
  const made = Array.from({ length: Math.ceil((last - first + 1) / length) }, (_none, at) => {
    const start = first + at * length;
    const end = Math.min(last, start + length - 1);
    return { first: isoDate(start * DAY), last: isoDate(end * DAY), calls: 0, completed: 0 };
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

/** A label with its calls, and their share of all; of an agent, the share of those that were completed. */
export interface Share {
  label: string;
  calls: number;
  /** From 0 to 1. */
  share: number;
}

export function labelShares(counts: Record<string, number>): Share[] {
  const total = sum(Object.values(counts));
  return byFrequency(Object.entries(counts)).map(([label, calls]) => ({ label, calls, share: calls / total }));
}

export function bandShares(bands: readonly DurationBand[]): Share[] {
  const total = sum(bands.map(({ calls }) => calls));
  return bands.map(({ from, until, calls }) => {
    return { label: until === null ? `from ${from} s` : `${from} to ${until - 1} s`, calls, share: calls / total };
  });
}

export function agentShares(agents: Statistics['by_agent']): (Share & Count)[] {
  return agents.map(({ agent_id, calls, completed }) => {
    return { label: agent_id === null ? NONE : String(agent_id), calls, completed, share: completed / calls };
  });
}

/** The most frequent label first; labels with equal counts are in alphabetical order. */
function byFrequency(counts: Iterable<[string, number]>): [string, number][] {
  return [...counts].sort(([left, some], [right, others]) => others - some || (left < right ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

interface Counting {
  service: Service;
  asked: CallFilters;
  /** Undefined if every call is wanted. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** Whoever counts the calls that are asked for without reading them. */
  counts: ((asked: CallFilters) => Promise<CallCounts | undefined>) | undefined;
  concurrency: number;
}

export async function countCalls(
  { service, asked, select, counts, concurrency }: Counting,
  notes: Notes,
): Promise<Statistics> {
  const counter = new StatisticsCounter();
  // It refuses what reading would refuse.
  if (counts !== undefined) await service.getCallLogs({ ...asked, limit: 1 });
  const counted = await counts?.(asked);
  if (counted === undefined || !counter.addCounts(counted)) {
    for await (const { calls } of readLog(pages(service, asked, { concurrency }), 'Counting calls', notes)) {
      for (const call of calls) if (select === undefined || select(call)) counter.add(call);
    }
  }
  return counter.result(notes.redact);
}

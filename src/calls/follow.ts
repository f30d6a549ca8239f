/**
 * Which calls came into a log since it was last looked at, whatever its order, and late entries among them.
 *
 * A look asks for one call and for the count of those since some days ago. Only where that has changed is the log read: its
 * two ends first, where new calls mostly stand, and all of it where they do not. A count is believed only of a service that
 * counted right before. As days pass the window moves on: no more is remembered than the calls of a few days.
 */
import { type CallLogEntry, MAX_LIMIT, type ResponseOf, type Service, totalOf } from '../contract.ts';
import { isPassing, VagentError } from '../errors.ts';
import { firstDaySince, LATENESS } from './days.ts';
import { type CallFilters, pages } from './pages.ts';
import { instantOf } from './select.ts';

export interface FollowOptions {
  service: Service;
  /** Calls outside of these are never shown. */
  filters: CallFilters;
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** Milliseconds since the epoch: it begins with the calls since then; where it is undefined, with none that were there. */
  since: number | undefined;
  /** The time of whoever places the calls, in milliseconds since the epoch. */
  now(): Promise<number>;
  concurrency: number;
}

export interface Look {
  /** The oldest first. */
  calls: CallLogEntry[];
  /** The error that ended the look early: the calls are those it found before, and the next look finds the others. */
  failure: unknown;
}

/** Calls that may have come between two requests: so many more are asked for at an end of the log. */
const SLACK = 10;

export class Follower {
  readonly #options: FollowOptions;
  #begun: number | undefined;
  /** The first day that is asked for; undefined until all calls since then were seen. */
  #day: string | undefined;
  /** The call_ids since that day. */
  #seen = new Set<string>();
  /** What the service counts since that day; undefined where it counts wrong. */
  #count: number | undefined;
  #isWanted: (call: CallLogEntry) => boolean;
  #found: CallLogEntry[] = [];
  /** No call will come any more: the last day that is wanted has passed, with the time for late entries. */
  isOver = false;

  constructor(options: FollowOptions) {
    const { since, select = () => true } = options;
    this.#options = options;
    this.#isWanted = since === undefined ? () => false : select;
  }

  async look(): Promise<Look> {
    this.#found = [];
    let failure: unknown;
    try {
      await this.#lookOnce(await this.#options.now());
    } catch (error) {
      failure = error;
    }
    return { calls: this.#found.sort(byTime), failure };
  }

  async #lookOnce(now: number): Promise<void> {
    const { since = now, select = () => true } = this.#options;
    if (this.#day === undefined) {
      const day = this.#dayFor(Math.min(since, now - LATENESS));
      if (this.#endsBefore(day)) return;
      await this.#begin(day, now);
      this.#isWanted = select;
    } else {
      await this.#catchUp(this.#day);
    }
    const day = this.#dayFor(now - LATENESS);
    // Clocks may be set back: what was left behind is forgotten, and would be new again.
    if (!this.#endsBefore(day) && day > (this.#day ?? day)) await this.#readAll(day);
  }

  /** Where the first reading fails, calls come before the next one: those made since then are told from the old ones. */
  async #begin(day: string, now: number): Promise<void> {
    this.#begun ??= now;
    const { since, select = () => true } = this.#options;
    const begun = this.#begun;
    try {
      await this.#readAll(day);
    } catch (error) {
      if (since === undefined) this.#isWanted = (call) => select(call) && (instantOf(call) ?? begun) > begun;
      throw error;
    }
  }

  async #catchUp(day: string): Promise<void> {
    const known = this.#seen.size;
    const before = this.#count;
    const total = totalOf(await this.#page(day, 0, 1));
    if (before !== undefined && total !== undefined) {
      if (total === before && this.#seen.size === known) return;
      const limit = Math.min(MAX_LIMIT, total - before + 2 * SLACK);
      for (const offset of total > before ? [0, Math.max(0, total - limit + SLACK)] : []) {
        const count = totalOf(await this.#page(day, offset, limit));
        if (count === undefined || count - before !== this.#seen.size - known) continue;
        this.#count = count;
        return;
      }
    }
    await this.#readAll(day);
  }

  async #page(start_date: string, offset: number, limit: number): Promise<ResponseOf<'getCallLogs'>> {
    const { service, filters } = this.#options;
    const response = await service.getCallLogs({ ...filters, start_date, offset, limit });
    for (const call of response.calls) this.#take(call);
    return response;
  }

  /** Throws, with what was found by then taken, where the service does not show all that it counts. */
  async #readAll(day: string): Promise<void> {
    const { service, filters, concurrency } = this.#options;
    const seen = new Set<string>();
    let total: number | undefined;
    for await (const { calls, response } of pages(service, { ...filters, start_date: day }, { seen, concurrency })) {
      for (const call of calls) this.#take(call);
      total = totalOf(response);
    }
    this.#day = day;
    this.#seen = seen;
    this.#count = total === seen.size ? total : undefined;
  }

  #take(call: CallLogEntry): void {
    if (this.#seen.has(call.call_id)) return;
    this.#seen.add(call.call_id);
    if (this.#isWanted(call)) this.#found.push(call);
  }

  #dayFor(instant: number): string {
    const day = firstDaySince(instant);
    const { start_date = day } = this.#options.filters;
    return start_date > day ? start_date : day;
  }

  #endsBefore(day: string): boolean {
    const { end_date } = this.#options.filters;
    this.isOver = end_date !== undefined && day > end_date;
    return this.isOver;
  }
}

/** Calls whose time cannot be read come last. */
function byTime(one: CallLogEntry, other: CallLogEntry): number {
  const [at, otherAt] = [instantOf(one), instantOf(other)];
  if (at !== otherAt) return (at ?? Number.MAX_VALUE) - (otherAt ?? Number.MAX_VALUE);
  return one.call_id < other.call_id ? -1 : 1;
}

/** Milliseconds between two looks, and the longest where the service is ill. */
const PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

/** Milliseconds to wait after a number of looks that failed one after the other: doubled with each. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE, PAUSE * 2 ** Math.max(0, failures - 1));
}

/** Whether it is worth looking again: the service is out of reach or ill, or the store is being written. */
export function mayPass(failure: unknown): failure is VagentError {
  return isPassing(failure) || (failure instanceof VagentError && failure.code === 'store_locked');
}

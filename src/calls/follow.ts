/**
 * Finds the calls that came into a log since the last look, in whatever order the log is, late entries among them, and the
 * calls that the service has completed since they were first shown.
 *
 * A look asks for one call and for the number of calls since some days ago. The log is read only if that number has changed:
 * first its two ends, where new calls mostly are, then all of it if they are not there. A number is trusted only if the service
 * counted correctly the time before. While some calls are not settled, a look asks for them instead of for one call. The window
 * moves on with the days, so no more than the calls of a few days are kept in memory.
 */
import { type CallLogEntry, MAX_LIMIT, type ResponseOf, type Service, totalOf } from '../contract.ts';
import { FileError, isTransient, type VagentError } from '../errors.ts';
import { plainText } from '../text/csv.ts';
import { firstDaySince, LATENESS } from '../text/iso.ts';
import { MINUTE } from '../text/units.ts';
import { callIdOf, Keys, KnownCalls, markOf } from './paging/identity.ts';
import { type CallFilters, pages } from './paging/pages.ts';
import { CLOCK_LAG, instantOf } from './select.ts';
import { isSettled } from './wait.ts';

export interface FollowOptions {
  service: Service;
  filters: CallFilters;
  select: ((call: CallLogEntry) => boolean) | undefined;
  /**
   * Milliseconds since the epoch: it begins with the calls since then. If undefined, it begins after the calls that exist now.
   */
  since: number | undefined;
  /** Gets each call when it is found, in the order of the log: those of a long one need much memory. */
  take(call: CallLogEntry): void;
  /** The clock of the service that places the calls, in milliseconds since the epoch. */
  now(): Promise<number>;
  concurrency: number;
}

/** Calls that may arrive between two requests: this many more are requested at an end of the log, and around known calls. */
const SLACK = 10;

export class Follower {
  readonly #options: FollowOptions;
  readonly #select: (call: CallLogEntry) => boolean;
  #begun: number | undefined;
  /** The first day that is requested; undefined until all calls since then were seen. */
  #day: string | undefined;
  #known = new KnownCalls();
  /** Those of them that the service may still complete. */
  #unsettled = new Unsettled();
  /** The number of calls that the service counts since that day; undefined if it counts wrong. */
  #count: number | undefined;
  #isWanted: (call: CallLogEntry) => boolean;
  /** True when no more calls can come: the last day of the filters has passed, and with it the time for late entries. */
  isOver = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#select = options.select ?? (() => true);
    this.#isWanted = options.since === undefined ? () => false : this.#select;
  }

  /** Takes the calls that are new. Where it throws, those found before were taken, and the next look finds the others. */
  async look(): Promise<void> {
    const now = await this.#options.now();
    const { since = now } = this.#options;
    const day = this.#dayFor(now - LATENESS);
    if (this.#day === undefined) {
      const first = this.#dayFor(Math.min(since, now - LATENESS));
      if (this.#endsBefore(first)) return;
      await this.#begin(first, now);
    } else if (day < this.#day) {
      await this.#goBack(day, this.#day, now);
    } else {
      await this.#catchUp(this.#day);
    }
    if (!this.#endsBefore(day) && day > (this.#day ?? day)) await this.#readAll(day);
    this.#unsettled.forgetBefore(now - LATENESS);
  }

  /** If the first reading fails, more calls may arrive before the next one; the start time separates them from the old ones. */
  async #begin(day: string, now: number): Promise<void> {
    this.#begun ??= now;
    const begun = this.#begun;
    try {
      await this.#readAll(day);
    } catch (error) {
      if (this.#options.since === undefined) {
        this.#isWanted = (call) => this.#select(call) && (instantOf(call) ?? begun) > begun;
      }
      throw error;
    }
    this.#isWanted = this.#select;
  }

  async #catchUp(day: string): Promise<void> {
    const known = this.#known.count;
    const before = this.#count;
    const total = totalOf(await this.#glance(day));
    if (before === undefined || total === undefined) return this.#readAll(day);
    const isFound = (count: number | undefined) => {
      if (count === undefined || count - before !== this.#known.count - known) return false;
      this.#count = count;
      return true;
    };
    if (total === before && isFound(total)) return this.#seeUnsettled(day);
    const limit = Math.min(MAX_LIMIT, total - before + 2 * SLACK);
    for (const offset of total > before ? [0, Math.max(0, total - limit + SLACK)] : []) {
      if (isFound(totalOf(await this.#page(day, offset, limit)))) return this.#seeUnsettled(day);
    }
    await this.#readAll(day);
  }

  /** Requests one call, or the calls that are not settled, at the places where they were last seen. */
  #glance(day: string): Promise<ResponseOf<'getCallLogs'>> {
    const range = this.#unsettled.beginLook();
    if (range === undefined) return this.#page(day, 0, 1);
    return this.#page(day, range.first, Math.min(MAX_LIMIT, range.last - range.first + 1));
  }

  /** Calls that a glance did not show are looked for in the whole log, but no more often than costs as much as the glances. */
  async #seeUnsettled(day: string): Promise<void> {
    if (this.#unsettled.isDue(this.#count ?? 0)) await this.#readAll(day);
  }

  /**
   * The clock was set back, or the service was set up anew, so older days are now the present ones. If known calls are still
   * there, the older ones were there too. If none is, it is another log, and all of it is new.
   */
  async #goBack(day: string, before: string, now: number): Promise<void> {
    const known = this.#known;
    const unknown: CallLogEntry[] = [];
    let standing = 0;
    await this.#readAll(day, (call, key, place) => {
      const isChanged = this.#unsettled.take(call, place);
      if (known.find(key, call) !== 'same') {
        unknown.push(call);
        return;
      }
      standing += 1;
      if (isChanged && this.#select(call)) this.#options.take(call);
    });
    // The time zone of the service's days is unknown.
    const since = known.count === 0 ? now - CLOCK_LAG : Date.parse(before) + LATENESS / 2;
    const isOther = known.count > 0 && standing === 0;
    for (const call of unknown) {
      if ((isOther || (instantOf(call) ?? now) >= since) && this.#select(call)) this.#options.take(call);
    }
  }

  async #page(start_date: string, offset: number, limit: number): Promise<ResponseOf<'getCallLogs'>> {
    const { service, filters } = this.#options;
    const response = await service.getCallLogs({ ...filters, start_date, offset, limit });
    const keys = new Keys();
    for (const [at, call] of response.calls.entries()) this.#take(call, keys.keyOf(markOf(call)), offset + at);
    this.#unsettled.seePage(response.calls.length);
    return response;
  }

  /** Throws if the service does not show all calls that it counts; the calls found until then have been taken. */
  async #readAll(
    day: string,
    take: (call: CallLogEntry, key: string, place: number) => void = (call, key, place) => this.#take(call, key, place),
  ): Promise<void> {
    const { service, filters, concurrency } = this.#options;
    const known = new KnownCalls();
    const reading = pages(service, { ...filters, start_date: day }, { concurrency });
    let total: number | undefined;
    this.#unsettled.beginReading();
    for await (const { calls, keys, response, offset } of reading) {
      let row = -1;
      for (const [at, call] of calls.entries()) {
        const key = keys[at] as string;
        row = response.calls.indexOf(call, row + 1);
        take(call, key, offset + row);
        known.add(key, call);
      }
      this.#unsettled.seePage(response.calls.length);
      total = totalOf(response);
    }
    this.#unsettled.endReading();
    this.#day = day;
    this.#known = known;
    // Calls that arrived during the reading are left to the next look.
    this.#count = total !== undefined && total >= known.count ? known.count : undefined;
  }

  #take(call: CallLogEntry, key: string, place: number): void {
    const isKnown = this.#known.find(key, call) === 'same';
    const isChanged = this.#unsettled.take(call, place);
    if (isKnown ? isChanged && this.#select(call) : this.#isWanted(call)) this.#options.take(call);
    // If the reading fails later, the next one must not show this call again.
    this.#known.add(key, call);
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

/** The oldest first; calls whose time cannot be read come last. */
export function byTime(one: CallLogEntry, other: CallLogEntry): number {
  const [at, otherAt] = [instantOf(one), instantOf(other)];
  if (at !== otherAt) return (at ?? Number.MAX_VALUE) - (otherAt ?? Number.MAX_VALUE);
  return (callIdOf(one) ?? '') < (callIdOf(other) ?? '') ? -1 : 1;
}

/** Milliseconds between two looks, and the longest pause when the service fails. */
const PAUSE = 2000;
const LONGEST_PAUSE = MINUTE;

/** Milliseconds to wait after this many failed looks in a row: the pause doubles with each. */
export function pauseAfterFailures(failures: number): number {
  return Math.min(LONGEST_PAUSE, PAUSE * 2 ** Math.max(0, failures - 1));
}

/** Of what passes by itself. */
const PASSING = new Set(['store_locked', 'database_unavailable']);

/** Whether another look may succeed: the service or a database cannot be reached or fails, or the store is being written. */
export function mayPass(failure: unknown): failure is VagentError {
  return isTransient(failure) || (failure instanceof FileError && PASSING.has(failure.code));
}

// Calls that are not settled -------------------------------------------------------------------------------------------

/** The most pages of a log that are read at every look to find a call that has moved. */
const FEW_PAGES = 4;
/** Rows requested at most before and after the calls, because they may have moved: as a share of a page. */
const SLACK_OF_PAGE = 1 / 4;

interface State {
  status: string;
  /** When the call was made, in milliseconds since the epoch. */
  at: number | undefined;
  place: number;
  /** The number of the look that last showed it. */
  look: number;
}

/** The calls that the service may still complete, and their places in the log. */
class Unsettled {
  readonly #states = new Map<string, State>();
  #look = 0;
  #looksSinceReading = 0;
  #fullPage = 1;

  /** Takes an entry as it is now. True if an earlier one was not settled and this one has another status, or is settled. */
  take(call: CallLogEntry, place: number): boolean {
    const id = callIdOf(call);
    if (id === undefined) return false;
    if (isSettled(call)) return this.#states.delete(id);
    const before = this.#states.get(id);
    const status = plainText(call.call_status);
    this.#states.set(id, { status, at: instantOf(call), place, look: this.#look });
    return before !== undefined && before.status !== status;
  }

  seePage(rows: number): void {
    this.#fullPage = Math.max(this.#fullPage, rows);
  }

  /** Begins another look. Returns the rows of the log in which the calls may be; undefined if there are none. */
  beginLook(): { first: number; last: number } | undefined {
    this.#look += 1;
    this.#looksSinceReading += 1;
    const places = [...this.#states.values()].map(({ place }) => place).sort((one, other) => one - other);
    const slack = Math.min(SLACK, Math.floor(this.#fullPage * SLACK_OF_PAGE));
    const [first] = places;
    return first === undefined
      ? undefined
      : { first: Math.max(0, first - slack), last: (places.at(-1) ?? first) + slack };
  }

  /** Whether a log of `count` calls should be read whole, because this look did not show all of the calls. */
  isDue(count: number): boolean {
    const pages = Math.ceil(count / this.#fullPage);
    if (pages > FEW_PAGES && pages > this.#looksSinceReading) return false;
    for (const { look } of this.#states.values()) if (look !== this.#look) return true;
    return false;
  }

  beginReading(): void {
    this.#look += 1;
  }

  /** Called after the whole log was read: calls that it did not show are gone. */
  endReading(): void {
    this.#looksSinceReading = 0;
    for (const [id, { look }] of this.#states) if (look !== this.#look) this.#states.delete(id);
  }

  /** Drops calls from before an instant (milliseconds since the epoch): the service will not complete them any more. */
  forgetBefore(instant: number): void {
    for (const [id, { at }] of this.#states) if (at !== undefined && at < instant) this.#states.delete(id);
  }
}

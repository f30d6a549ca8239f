/** The calls of a followed log that the service may still complete, and their places in the log. */
import type { CallLogEntry, ResponseOf } from '../contract.ts';
import { plainText } from '../text/csv.ts';
import { callIdOf } from './paging/identity.ts';
import { instantOf } from './select.ts';
import { isSettled } from './wait.ts';

/** The most pages of a log that are read at every look to find a call that has moved. */
const FEW_PAGES = 4;
/** Rows requested before and after the calls, because they may have moved: as a share of a page, and at most. */
const SLACK_OF_PAGE = 1 / 4;
const SLACK = 10;

interface State {
  status: string;
  /** When the call was made, in milliseconds since the epoch. */
  at: number | undefined;
  /** The call's index in the log. */
  place: number;
  /** The number of the look that last showed it. */
  look: number;
}

/** Rows of the log, both ends included. */
interface Range {
  first: number;
  last: number;
}

export class Unsettled {
  readonly #states = new Map<string, State>();
  #look = 0;
  #looksSinceReading = 0;
  #fullPage = 1;

  /** Takes an entry as it is now. True if an earlier one was not settled and this one has another status, or is settled. */
  take(call: CallLogEntry): boolean {
    const id = callIdOf(call);
    if (id === undefined) return false;
    const before = this.#states.get(id);
    if (isSettled(call)) return this.#states.delete(id);
    const status = plainText(call.call_status);
    this.#states.set(id, { status, at: instantOf(call), place: before?.place ?? 0, look: this.#look });
    return before !== undefined && before.status !== status;
  }

  /** Records the places of the calls of a page. */
  see({ calls }: ResponseOf<'getCallLogs'>, offset: number): void {
    this.#fullPage = Math.max(this.#fullPage, calls.length);
    if (this.#states.size === 0) return;
    for (const [at, call] of calls.entries()) {
      const state = this.#states.get(callIdOf(call) ?? '');
      if (state === undefined) continue;
      state.place = offset + at;
      state.look = this.#look;
    }
  }

  /** Begins another look. Returns the range in which the calls may be; undefined if there are none. */
  beginLook(): Range | undefined {
    this.#look += 1;
    this.#looksSinceReading += 1;
    let range: Range | undefined;
    for (const { place } of this.#states.values()) {
      range = { first: Math.min(range?.first ?? place, place), last: Math.max(range?.last ?? place, place) };
    }
    const slack = Math.min(SLACK, Math.floor(this.#fullPage * SLACK_OF_PAGE));
    return range && { first: Math.max(0, range.first - slack), last: range.last + slack };
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

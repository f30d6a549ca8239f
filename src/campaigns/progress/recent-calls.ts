/** The latest entries of a log, in whatever order they come: those of the last hour, and enough of the earlier ones to show. */

import { callIdOf, markOf } from '../../calls/paging/identity.ts';
import { instantOf, secondsOf } from '../../calls/select.ts';
import { isSettled } from '../../calls/wait.ts';
import type { CallLogEntry } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { HOUR } from '../../text/units.ts';

export interface RecentCall {
  /** `markOf` the entry. */
  mark: string;
  callId: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  number: string;
  status: string;
  /** Seconds; undefined if unknown. */
  duration: number | undefined;
  outcome: string;
  /** Whether nothing more will be added to it. */
  isSettled: boolean;
}

export interface Recently {
  /** The latest first. */
  last: RecentCall[];
  /** How many were made in the last hour. */
  inLastHour: number;
  /** How many the service may still complete. */
  open: number;
}

/** Entries kept beside those of the last hour: among them are the last ones of each campaign that calls now. */
const KEPT = 1_000;
/** Milliseconds for which what is not settled is waited for: some services never add the rest. */
const PATIENCE = HOUR / 4;

export class RecentCalls {
  readonly #calls = new Map<string, RecentCall>();
  /** Older entries are not taken any more. */
  #since = Number.NEGATIVE_INFINITY;
  #room = 2 * KEPT;

  /** An entry with a known mark replaces the earlier one. One whose time cannot be read has no place among the latest. */
  take(call: CallLogEntry): void {
    const at = instantOf(call);
    if (at === undefined || at < this.#since) return;
    const mark = markOf(call);
    this.#calls.set(mark, {
      mark,
      callId: callIdOf(call),
      at,
      number: plainText(call.called_to),
      status: plainText(call.call_status),
      duration: secondsOf(call),
      outcome: plainText(call.call_outcome),
      isSettled: isSettled(call),
    });
    if (this.#calls.size >= this.#room) this.#forget();
  }

  /**
   * Of the entries that are wanted, those made last, at most `count`. `timeOf` says when a wanted entry was made, by what is known
   * by now, and is undefined for any other. `now` is in milliseconds since the epoch.
   */
  look(timeOf: (mark: string) => number | undefined, count: number, now: number): Recently {
    const wanted = [...this.#calls.values()].flatMap((call) => {
      const at = timeOf(call.mark);
      return at === undefined ? [] : [{ ...call, at }];
    });
    return {
      // Of the same instant, one is always the later one, so that they do not change places.
      last: wanted.sort((one, other) => other.at - one.at || (one.mark > other.mark ? -1 : 1)).slice(0, count),
      inLastHour: wanted.filter(({ at }) => at > now - HOUR && at <= now).length,
      open: wanted.filter(({ isSettled, at }) => !isSettled && at > now - PATIENCE).length,
    };
  }

  #forget(): void {
    const times = Float64Array.from(this.#calls.values(), ({ at }) => at).sort();
    const latest = times.at(-1) as number;
    this.#since = Math.min(times[times.length - KEPT] as number, latest - HOUR);
    for (const [mark, { at }] of this.#calls) if (at < this.#since) this.#calls.delete(mark);
    this.#room = 2 * Math.max(KEPT, this.#calls.size);
  }
}

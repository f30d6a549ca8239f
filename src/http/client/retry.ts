/** When a request is sent and tried again: in which order, and after how long. */
import { SECOND } from '../../text/units.ts';

/** The most attempts until a service has given its first good reply, because its address or settings may be wrong. */
const FIRST_ATTEMPTS = 3;
/** Milliseconds: the longest wait after the first attempt, which doubles after each, and the longest of all. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** The headers of a reply that say when to ask again. */
interface Asked {
  retryAfter?: string | undefined;
  date?: string | undefined;
}

export type Outcome<T> =
  | { response: T }
  | {
      error: Error;
      mayTryAgain: boolean;
      /** The service refused it because there are too many requests, or because it cannot serve any now. */
      isRefused: boolean;
      asked: Asked;
    };

interface Repeating {
  lane: Lane;
  time: Time;
  /** Milliseconds for the request with all its attempts, without the time in which it waits for other requests. */
  timeoutMs: number;
  /** From 0 to below 1. */
  random(): number;
}

/**
 * Sends a request until it has a reply: three times at most, and once the service has given a good reply to any request,
 * until the time is over. Throws the error of the last attempt.
 */
export async function repeat<T>(
  attempt: (number: number, timeoutMs: number) => Promise<Outcome<T>>,
  { lane, time, timeoutMs, random }: Repeating,
): Promise<T> {
  const place = lane.join();
  let left = timeoutMs;
  let spacing: number | undefined;
  try {
    for (let number = 1; ; number++) {
      const outcome = await lane.inTurn(place, time, async () => {
        const started = time.now();
        const outcome = await attempt(number, left);
        left -= time.now() - started;
        return outcome;
      });
      if ('response' in outcome) {
        lane.replied(spacing);
        return outcome.response;
      }
      const { error, mayTryAgain, isRefused, asked } = outcome;
      if (isRefused) lane.refused(number === 1);
      const isOver = !mayTryAgain || (number >= FIRST_ATTEMPTS && !lane.hasReplied);
      const wait = isOver ? undefined : waitBefore(number + 1, asked, left, random);
      if (wait === undefined) throw error;
      // What a service asks for once is no pace that it asks for always.
      spacing = isRefused && readRetryAfter(asked) === undefined ? wait : undefined;
      await time.sleep(wait);
      left -= wait;
    }
  } finally {
    lane.quit(place);
  }
}

/**
 * Milliseconds to wait before an attempt, which is 2 or more; undefined if `left` of them are too few. A wait that the service
 * asks for is kept. Otherwise it is drawn from the upper half of a limit that doubles, so that many clients spread out.
 */
function waitBefore(attempt: number, asked: Asked, left: number, random: () => number): number | undefined {
  const limit = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 2));
  const drawn = (limit * (1 + random())) / 2;
  const own = drawn < left ? drawn : limit / 2;
  const wait = Math.max(own, readRetryAfter(asked) ?? 0);
  return wait < left ? wait : undefined;
}

/** The value in seconds, as nearly all services send it, or a date, measured by the service's clock because clocks differ. */
function readRetryAfter({ retryAfter, date }: Asked): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*(\d+\.?|\d*\.\d+)\s*$/.test(retryAfter)) return Number(retryAfter) * SECOND;
  const wait = Date.parse(retryAfter) - Date.parse(date ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

// The order -----------------------------------------------------------------------------------------------------------

/** Time as this machine counts it. */
export interface Time {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

/**
 * How much longer the spacing becomes than one at which a request was refused, and the longest, in milliseconds, that it
 * becomes in this way: a service may refuse requests however far apart they are.
 */
const ABOVE_REFUSED = 1.5;
const LONGEST_ABOVE = 2000;

/** The place of a request in the order; it is kept until the request has ended, whatever is tried again. */
interface Place {
  go?: (() => void) | undefined;
}

/**
 * The order of the requests to one service that change nothing. They run in parallel until it refuses one because there are too
 * many (429) or because it cannot serve them now (503); from then on one at a time, the one that was begun first before all
 * others, and as far apart as the service has put up with.
 */
export class Lane {
  /** Whether the service has given a good reply. */
  hasReplied = false;
  readonly #places: Place[] = [];
  #isNarrow = false;
  #underWay = 0;
  #last: { place: Place; at: number } | undefined;
  /** Milliseconds between the starts of two requests, and the spacing at which the last request was refused. */
  #spacing = 0;
  #refusedSpacing = 0;

  join(): Place {
    const place = {};
    this.#places.push(place);
    return place;
  }

  quit(place: Place): void {
    this.#places.splice(this.#places.indexOf(place), 1);
    this.#admit();
  }

  /** Runs `work` when it is the turn of this place. */
  async inTurn<T>(place: Place, time: Time, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      place.go = resolve;
      this.#admit();
    });
    try {
      await this.#keepSpacing(place, time);
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#admit();
    }
  }

  /** A request was refused; `isFirst` if it had not been refused before. */
  refused(isFirst: boolean): void {
    this.#isNarrow = true;
    if (isFirst) this.#refusedSpacing = this.#spacing;
  }

  /** A request got a good reply, `wait` milliseconds after it was refused, or at once. */
  replied(wait: number | undefined): void {
    this.hasReplied = true;
    const least = Math.min(LONGEST_ABOVE, this.#refusedSpacing * ABOVE_REFUSED);
    // After a failure of some seconds, a shorter spacing is tried again, but none that was refused.
    const shorter = Math.min(this.#spacing, Math.max(this.#spacing / 2, least));
    this.#spacing = wait === undefined ? shorter : Math.max(wait, least);
  }

  #admit(): void {
    const isFull = this.#isNarrow && this.#underWay > 0;
    const next = this.#isNarrow ? this.#places.slice(0, isFull ? 0 : 1) : this.#places;
    for (const place of next) {
      if (place.go === undefined) continue;
      this.#underWay += 1;
      place.go();
      place.go = undefined;
    }
  }

  /** A request that is tried again has waited by itself. */
  async #keepSpacing(place: Place, time: Time): Promise<void> {
    const { at = 0, place: last = place } = this.#last ?? {};
    const wait = last === place ? 0 : at + this.#spacing - time.now();
    if (wait > 0) await time.sleep(wait);
    this.#last = { place, at: time.now() };
  }
}

/** When a request is tried again, and after how long. */
import { SECOND } from '../../text/units.ts';
import type { Lane, Time } from './lane.ts';

/** The most attempts until a service has given its first good answer, because its address or settings may be wrong. */
const FIRST_ATTEMPTS = 3;
/** Milliseconds: the longest wait after the first attempt, which doubles after each, and the longest of all. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** The headers of an answer that say when to ask again. */
export interface Asked {
  retryAfter: string | undefined;
  date: string | undefined;
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

export interface Repeating {
  lane: Lane;
  time: Time;
  /** Milliseconds for the request with all its attempts, without the time in which it waits for other requests. */
  timeoutMs: number;
  /** From 0 to below 1. */
  random(): number;
}

/**
 * Sends a request until it has an answer: three times at most, and once the service has given a good answer to any request,
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
        lane.answered(spacing);
        return outcome.response;
      }
      const { error, mayTryAgain, isRefused, asked } = outcome;
      if (isRefused) lane.refused(number === 1);
      const isOver = !mayTryAgain || (number >= FIRST_ATTEMPTS && !lane.hasAnswered);
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

/** When a request is tried again, and after how long. After a 429, requests to that service are sent one at a time. */
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 3;
/**
 * Milliseconds: the longest wait after the first attempt, which doubles after each, and the longest wait that a service may ask
 * for.
 */
const FIRST_WAIT = 500;
const LONGEST_RETRY_AFTER = 20_000;

/**
 * Milliseconds to wait before the next attempt, or undefined if there should be none. `retryAfter` and `date` are the headers
 * of those names. Without the first, the wait is drawn from 0 to a limit that doubles (full jitter), so that many clients
 * spread out.
 */
export function waitBefore(
  attempt: number,
  { retryAfter, date }: { retryAfter: string | undefined; date: string | undefined },
  random: () => number,
): number | undefined {
  if (attempt > ATTEMPTS) return undefined;
  const asked = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, date);
  if (asked === undefined) return random() * FIRST_WAIT * 2 ** (attempt - 2);
  return asked <= LONGEST_RETRY_AFTER ? asked : undefined;
}

/** The value in seconds, as nearly all services send it, or a date, measured by the service's clock because clocks differ. */
function readRetryAfter(text: string, date: string | undefined): number | undefined {
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000;
  const wait = Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** The requests to one service that change nothing: in parallel until it answers 429. */
export class Lane {
  #isNarrow = false;
  #opensAt = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when it is its turn. */
  async enter<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const opened = async () => {
      const wait = this.#opensAt - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal });
      return work();
    };
    if (!this.#isNarrow) return opened();
    const turn = this.#last.then(opened, opened);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** From now on one request at a time, and none for `wait` milliseconds. */
  narrow(wait: number): void {
    this.#isNarrow = true;
    this.#opensAt = Math.max(this.#opensAt, performance.now() + wait);
  }
}

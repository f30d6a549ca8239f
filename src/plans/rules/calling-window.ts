/** When people may be called: the plan's window in every zone in which a number may be, without the skipped dates. */
import { DAY } from '../../text/units.ts';

/** How far ahead a window is looked for. */
export const HORIZON = 366 * DAY;

/** Milliseconds since the epoch; `until` is not included. */
export interface CallingWindow {
  from: number;
  until: number;
}

export interface CallingWindows {
  /**
   * The window of a place, by its index in the plan, that contains `at`, or the next one; `from` may be before `at`. Undefined
   * if there is none in the year after. One that goes on for days is cut, some days after both `at` and its beginning.
   */
  windowAt(place: number, at: number): CallingWindow | undefined;
}

export function intersection(ones: readonly CallingWindow[], others: readonly CallingWindow[]): CallingWindow[] {
  const common: CallingWindow[] = [];
  let [at, other] = [0, 0];
  while (at < ones.length && other < others.length) {
    const [one, two] = [ones[at] as CallingWindow, others[other] as CallingWindow];
    const from = Math.max(one.from, two.from);
    const until = Math.min(one.until, two.until);
    if (from < until) common.push({ from, until });
    if (one.until < two.until) at++;
    else other++;
  }
  return common;
}

/** Those that meet as one. */
export function joined(windows: readonly CallingWindow[]): CallingWindow[] {
  const list: CallingWindow[] = [];
  for (const window of windows) {
    const last = list.at(-1);
    if (last !== undefined && window.from <= last.until) {
      list[list.length - 1] = { from: last.from, until: Math.max(last.until, window.until) };
    } else list.push(window);
  }
  return list;
}

/** A dial is planned from `from` on and before `last`, some time before the window's end. */
interface Usable {
  from: number;
  last: number;
}

const NEVER: Usable = { from: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY };

/**
 * For each place the window in which somebody may be called at `at` or, where there is none, the next one: kept, for questions by
 * the million.
 */
export class UsableWindows {
  readonly at: number;
  readonly #windows: CallingWindows;
  readonly #margin: number;
  readonly #known: Usable[] = [];

  /** `margin`: how long before the end of a window no dial is planned. */
  constructor(windows: CallingWindows, at: number, margin: number) {
    this.#windows = windows;
    this.#margin = margin;
    this.at = at;
  }

  of(place: number): Usable {
    this.#known[place] ??= this.#usableFrom(place, this.at);
    return this.#known[place];
  }

  /** When the place may first be called from `at` on; `at` must not be before the instant of these windows. */
  firstIn(place: number, at: number): number {
    const { from, last } = this.of(place);
    return Math.max(at, at < last ? from : this.#usableFrom(place, at).from);
  }

  #usableFrom(place: number, at: number): Usable {
    const until = at + HORIZON;
    let window = this.#windows.windowAt(place, at);
    while (window !== undefined && window.from <= until) {
      const last = window.until - this.#margin;
      if (last > Math.max(at, window.from)) return { from: window.from, last };
      window = this.#windows.windowAt(place, window.until);
    }
    return NEVER;
  }
}

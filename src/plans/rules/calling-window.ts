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

export interface UsableWindows {
  at: number;
  of(place: number): Usable;
  /** When the place may first be called from `at` on; `at` must not be before the instant of these windows. */
  firstIn(place: number, at: number): number;
}

/**
 * For each place the window in which somebody may be called at `at` or, where there is none, the next one: kept, for questions by
 * the million. `margin`: how long before the end of a window no dial is planned.
 */
export function usableWindows(windows: CallingWindows, at: number, margin: number): UsableWindows {
  const usableFrom = (place: number, from: number): Usable => {
    let window = windows.windowAt(place, from);
    while (window !== undefined && window.from <= from + HORIZON) {
      const last = window.until - margin;
      if (last > Math.max(from, window.from)) return { from: window.from, last };
      window = windows.windowAt(place, window.until);
    }
    return NEVER;
  };
  const known: Usable[] = [];
  const of = (place: number): Usable => (known[place] ??= usableFrom(place, at));
  const firstIn = (place: number, begin: number) => {
    const { from, last } = of(place);
    return Math.max(begin, begin < last ? from : usableFrom(place, begin).from);
  };
  return { at, of, firstIn };
}

/** When people may be called: the plan's window in every zone in which a number may be, without the skipped dates. */
import { DAY } from '../../text/units.ts';

/** How far ahead an opening is looked for. */
export const HORIZON = 366 * DAY;

/** Milliseconds since the epoch; `until` is not included. */
export interface Opening {
  from: number;
  until: number;
}

export interface Hours {
  /**
   * The opening of a place, by its index in the plan, that contains `at`, or the next one; `from` may be before `at`. Undefined
   * if there is none in the year after. One that goes on for days is cut, some days after both `at` and its beginning.
   */
  openingAt(place: number, at: number): Opening | undefined;
}

export function intersection(ones: readonly Opening[], others: readonly Opening[]): Opening[] {
  const common: Opening[] = [];
  let [at, other] = [0, 0];
  while (at < ones.length && other < others.length) {
    const [one, two] = [ones[at] as Opening, others[other] as Opening];
    const from = Math.max(one.from, two.from);
    const until = Math.min(one.until, two.until);
    if (from < until) common.push({ from, until });
    if (one.until < two.until) at++;
    else other++;
  }
  return common;
}

/** Those that meet as one. */
export function joined(openings: readonly Opening[]): Opening[] {
  const list: Opening[] = [];
  for (const opening of openings) {
    const last = list.at(-1);
    if (last !== undefined && opening.from <= last.until) {
      list[list.length - 1] = { from: last.from, until: Math.max(last.until, opening.until) };
    } else list.push(opening);
  }
  return list;
}

/** A dial is planned from `from` on and before `last`, some time before the opening's end. */
interface Usable {
  from: number;
  last: number;
}

const NEVER: Usable = { from: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY };

/**
 * For each place the opening in which somebody may be called at `at` or, where there is none, the next one: kept, for questions by
 * the million.
 */
export class Openings {
  readonly at: number;
  readonly #hours: Hours;
  readonly #margin: number;
  readonly #known: Usable[] = [];

  /** `margin`: how long before the end of an opening no dial is planned. */
  constructor(hours: Hours, at: number, margin: number) {
    this.#hours = hours;
    this.#margin = margin;
    this.at = at;
  }

  of(place: number): Usable {
    this.#known[place] ??= this.#usableFrom(place, this.at);
    return this.#known[place];
  }

  /** When the place may first be called from `at` on; `at` must not be before the instant of these openings. */
  firstIn(place: number, at: number): number {
    const { from, last } = this.of(place);
    return Math.max(at, at < last ? from : this.#usableFrom(place, at).from);
  }

  #usableFrom(place: number, at: number): Usable {
    const until = at + HORIZON;
    let opening = this.#hours.openingAt(place, at);
    while (opening !== undefined && opening.from <= until) {
      const last = opening.until - this.#margin;
      if (last > Math.max(at, opening.from)) return { from: opening.from, last };
      opening = this.#hours.openingAt(place, opening.until);
    }
    return NEVER;
  }
}

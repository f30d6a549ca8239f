/** The openings of a plan's places as numbers, for questions by the million. Milliseconds since the epoch. */
import type { Hours, Opening } from './hours.ts';
import { MARGIN } from './rules.ts';

/** Beyond this no opening is looked for. */
const HORIZON = 366 * 24 * 3_600_000;

/** A dial is planned from `from` on and before `last`, the margin before the opening's end. */
export interface Usable {
  from: number;
  last: number;
}

const NEVER: Usable = { from: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY };

/** For each place the opening in which somebody may be called at `at` or, where there is none, the next one. */
export class Openings {
  readonly at: number;
  readonly #hours: Hours;
  readonly #known: Usable[] = [];
  /** Those after the known ones. */
  readonly #next: Usable[] = [];

  constructor(hours: Hours, at: number) {
    this.#hours = hours;
    this.at = at;
  }

  of(place: number): Usable {
    const known = this.#known[place];
    if (known !== undefined) return known;
    const usable = usableFrom(this.#hours, place, this.at);
    this.#known[place] = usable;
    return usable;
  }

  /** When the place may first be called from `at` on; `at` must not be before the instant of these openings. */
  firstIn(place: number, at: number): number {
    const { from, last } = this.of(place);
    if (at < last) return Math.max(at, from);
    const next = this.#next[place] ?? usableFrom(this.#hours, place, last);
    this.#next[place] = next;
    if (at < next.last) return Math.max(at, next.from);
    return Math.max(at, usableFrom(this.#hours, place, at).from);
  }
}

function usableFrom(hours: Hours, place: number, at: number): Usable {
  let opening: Opening | undefined = hours.openingAt(place, at);
  const until = at + HORIZON;
  while (opening !== undefined && opening.from <= until) {
    const last = opening.until - MARGIN;
    if (last > Math.max(at, opening.from)) return { from: opening.from, last };
    opening = hours.openingAt(place, opening.until);
  }
  return NEVER;
}

/** The openings of a plan's places as numbers, for questions by the million. Milliseconds since the epoch. */
import { remembered } from '../../text/remembered.ts';
import { HORIZON, type Hours } from './hours.ts';

/** A dial is planned from `from` on and before `last`, some time before the opening's end. */
interface Usable {
  from: number;
  last: number;
}

const NEVER: Usable = { from: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY };

/** For each place the opening in which somebody may be called at `at` or, where there is none, the next one. */
export class Openings {
  readonly at: number;
  readonly #hours: Hours;
  readonly #margin: number;
  readonly #known: Usable[] = [];
  /** Those after the known ones. */
  readonly #next = remembered((place: number) => this.#usableFrom(place, this.of(place).last));

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
    if (at < last) return Math.max(at, from);
    const next = this.#next(place);
    if (at < next.last) return Math.max(at, next.from);
    return Math.max(at, this.#usableFrom(place, at).from);
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

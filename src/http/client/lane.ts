/**
 * The order of the requests to one service that change nothing. They run in parallel until it refuses one because there are too
 * many (429) or because it cannot serve them now (503); from then on one at a time, the one that was begun first before all
 * others, and as far apart as the service has put up with.
 */

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
export interface Place {
  go?: (() => void) | undefined;
}

export class Lane {
  /** Whether the service has given a good answer. */
  hasAnswered = false;
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

  /** A request got a good answer, `wait` milliseconds after it was refused, or at once. */
  answered(wait: number | undefined): void {
    this.hasAnswered = true;
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

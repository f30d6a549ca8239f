/** When people may be called: the plan's window in every zone in which a number may be, without the skipped dates. */

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

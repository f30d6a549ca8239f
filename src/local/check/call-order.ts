/**
 * Which calls of the log stand where they belong: call_ids rise, and timestamps never fall. Where two lines contradict each
 * other, the one that agrees with neither neighbour is refused, so that one wrong digit never costs the calls after it.
 */

export interface Place {
  /** The number in the call_id. */
  number: number;
  /** Milliseconds since the epoch. */
  instant: number;
}

export class CallOrder<C extends Place> {
  readonly #keep: (call: C) => void;
  readonly #refuse: (call: C) => void;
  #kept: Place = { number: 0, instant: Number.NEGATIVE_INFINITY };
  /** Waits for the call after it to agree. */
  #pending: C | undefined;

  /** `keep` and `refuse` hear of every call, in order, once it is decided. */
  constructor(keep: (call: C) => void, refuse: (call: C) => void) {
    this.#keep = keep;
    this.#refuse = refuse;
  }

  offer(next: C): void {
    this.#settle(next);
    this.#pending = next;
  }

  end(): void {
    this.#settle(undefined);
  }

  #settle(next: C | undefined): void {
    const call = this.#pending;
    if (call === undefined) return;
    const isBehind = !follows(call, this.#kept);
    const isAhead = next !== undefined && !follows(next, call) && follows(next, this.#kept);
    if (isBehind || isAhead) {
      this.#refuse(call);
    } else {
      this.#kept = { number: call.number, instant: call.instant };
      this.#keep(call);
    }
  }
}

function follows(later: Place, earlier: Place): boolean {
  return later.number > earlier.number && later.instant >= earlier.instant;
}

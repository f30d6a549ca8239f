/**
 * Decides which calls of the log are in order: call_ids rise, and timestamps never fall. If two lines contradict each other,
 * the one that agrees with neither neighbour is refused, so that one wrong digit never costs the calls after it.
 */

export interface Position {
  /** The number in the call_id. */
  number: number;
  /** Milliseconds since the epoch. */
  instant: number;
}

export class CallOrder<C extends Position> {
  readonly #keep: (call: C) => void;
  readonly #refuse: (call: C) => void;
  #kept: Position = { number: 0, instant: Number.NEGATIVE_INFINITY };
  /** The call that is not decided until the next one. */
  #pending: C | undefined;

  /** `keep` or `refuse` is called for each call, in order, when it is decided. */
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

function follows(later: Position, earlier: Position): boolean {
  return later.number > earlier.number && later.instant >= earlier.instant;
}

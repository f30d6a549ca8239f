/** Queues of rows that share one cell for each row, so that any number of queues takes no more room than the list. */
const NONE = -1;

export class Chains {
  readonly #next: Int32Array;
  readonly #first: number[] = [];
  readonly #last: number[] = [];

  /** A row may be in one queue at a time. */
  constructor(rows: number) {
    this.#next = new Int32Array(rows);
  }

  /** The number of a new queue. */
  create(): number {
    this.#last.push(NONE);
    return this.#first.push(NONE) - 1;
  }

  add(queue: number, row: number): void {
    if (this.#first[queue] === NONE) this.#first[queue] = row;
    else this.#next[this.#last[queue] as number] = row;
    this.#last[queue] = row;
    this.#next[row] = NONE;
  }

  first(queue: number): number | undefined {
    const row = this.#first[queue] as number;
    return row === NONE ? undefined : row;
  }

  /** Removes the first row; undefined if there is none. */
  take(queue: number): number | undefined {
    const row = this.first(queue);
    if (row !== undefined) this.#first[queue] = this.#next[row] as number;
    return row;
  }
}

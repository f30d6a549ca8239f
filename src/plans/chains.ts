/** Any number of queues of rows in one block of memory, which is as large as all of them together. */
const NONE = -1;
/** Cells at first. */
const FEW = 256;

export class Chains {
  /** Of each cell its row, and the cell after it. */
  #rows = new Int32Array(FEW);
  #next = new Int32Array(FEW);
  #cells = 0;
  /** Of each queue its first and its last cell. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];

  /** The number of a new queue. */
  create(): number {
    this.#last.push(NONE);
    return this.#first.push(NONE) - 1;
  }

  add(queue: number, row: number): void {
    if (this.#cells === this.#rows.length) this.#grow();
    const cell = this.#cells++;
    this.#rows[cell] = row;
    this.#next[cell] = NONE;
    if (this.#first[queue] === NONE) this.#first[queue] = cell;
    else this.#next[this.#last[queue] as number] = cell;
    this.#last[queue] = cell;
  }

  first(queue: number): number | undefined {
    const cell = this.#first[queue] as number;
    return cell === NONE ? undefined : this.#rows[cell];
  }

  /** Removes the first row; undefined if there is none. */
  take(queue: number): number | undefined {
    const row = this.first(queue);
    if (row !== undefined) this.#first[queue] = this.#next[this.#first[queue] as number] as number;
    return row;
  }

  #grow(): void {
    const [rows, next] = [new Int32Array(this.#cells * 2), new Int32Array(this.#cells * 2)];
    rows.set(this.#rows);
    next.set(this.#next);
    [this.#rows, this.#next] = [rows, next];
  }
}

/**
 * A sample of rows whose number is not known before the last has come: each row draws a number, and those with the lowest are
 * taken. Every set of rows of the size is equally likely, the rows keep their order, and little more than the sample is kept.
 */
export class Sample {
  readonly #size: number;
  readonly #random: (row: number) => number;
  /** The most rows that are kept before those with the highest numbers are dropped. */
  readonly #most: number;
  /** What the rows that are kept have drawn. */
  #drawn: Float64Array;
  /** The end of each row's text in `bytes`. */
  #ends: Float64Array;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #kept = 0;
  /** A row with a higher number is not among the lowest any more. */
  #highest = Number.POSITIVE_INFINITY;
  #rows = 0;

  /** `random` draws a number for a row, from 0. */
  constructor(size: number, random: (row: number) => number) {
    this.#size = size;
    this.#random = random;
    this.#most = Math.ceil(size * 1.25) + LEAST_BEYOND;
    this.#drawn = new Float64Array(LEAST_BEYOND);
    this.#ends = new Float64Array(LEAST_BEYOND);
  }

  /** How many rows came. */
  get rows(): number {
    return this.#rows;
  }

  /** `text` is called only for a row that may be taken. */
  add(text: () => string): void {
    const drawn = this.#random(this.#rows++);
    if (drawn > this.#highest) return;
    if (this.#kept === this.#drawn.length) {
      this.#drawn = twiceAsLong(this.#drawn);
      this.#ends = twiceAsLong(this.#ends);
    }
    this.#drawn[this.#kept] = drawn;
    this.#ends[this.#kept] = this.#append(text());
    this.#kept++;
    if (this.#kept === this.#most) this.#drop();
  }

  /** The texts of the rows that are taken, in the order in which they came. */
  *taken(): Generator<string> {
    this.#drop();
    for (let at = 0; at < this.#kept; at++) yield this.#bytes.toString('utf8', this.#endOf(at), this.#endOf(at + 1));
  }

  /** Returns where it ends. */
  #append(text: string): number {
    const end = this.#endOf(this.#kept);
    const bytes = Buffer.byteLength(text);
    if (end + bytes > this.#bytes.length) {
      const longer = Buffer.allocUnsafe(Math.max(Math.ceil(this.#bytes.length * 1.5), end + bytes));
      this.#bytes.copy(longer, 0, 0, end);
      this.#bytes = longer;
    }
    return end + this.#bytes.write(text, end);
  }

  #endOf(count: number): number {
    return count === 0 ? 0 : (this.#ends[count - 1] as number);
  }

  #drop(): void {
    if (this.#kept <= this.#size) return;
    const highest = this.#drawn.slice(0, this.#kept).sort()[this.#size - 1] as number;
    let same = this.#size;
    for (let at = 0; at < this.#kept; at++) if ((this.#drawn[at] as number) < highest) same--;
    let kept = 0;
    let end = 0;
    for (let at = 0, start = 0; at < this.#kept; at++) {
      const drawn = this.#drawn[at] as number;
      const until = this.#ends[at] as number;
      // Of rows that drew the same, the first are taken.
      if (drawn < highest || (drawn === highest && same-- > 0)) {
        this.#bytes.copyWithin(end, start, until);
        end += until - start;
        this.#drawn[kept] = drawn;
        this.#ends[kept++] = end;
      }
      start = until;
    }
    this.#kept = kept;
    this.#highest = highest;
  }
}

/** Rows that are kept at least beyond the sample, so that a small one is seldom sorted. */
const LEAST_BEYOND = 1000;
const FIRST_BYTES = 1 << 16;

function twiceAsLong(numbers: Float64Array): Float64Array {
  const longer = new Float64Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}

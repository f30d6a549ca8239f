/** Random draws from a seed: the same seed gives the same world on every machine. */

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, both ends included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const all = [...items];
    for (let at = all.length - 1; at > 0; at--) {
      const other = this.integer(0, at);
      [all[at], all[other]] = [all[other] as T, all[at] as T];
    }
    return all;
  }

  /** Draws of its own, which stay the same however many are taken here. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 32));
  }
}

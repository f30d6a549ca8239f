/** Numbers by their places, which are 0 until they are set: in blocks, so that nothing is copied as they become more. */

/** Numbers of a block. */
const BLOCK = 1 << 12;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

export class Column {
  readonly #make: new (
    length: number,
  ) => Numbers;
  /** A block in which nothing was set takes no memory. */
  readonly #blocks: (Numbers | undefined)[] = [];

  /** `make` says which numbers there can be. */
  constructor(make: new (length: number) => Numbers) {
    this.#make = make;
  }

  at(place: number): number {
    return this.#blocks[Math.floor(place / BLOCK)]?.[place % BLOCK] ?? 0;
  }

  set(place: number, value: number): void {
    const block = Math.floor(place / BLOCK);
    if (value === 0 && this.#blocks[block] === undefined) return;
    while (this.#blocks.length <= block) this.#blocks.push(undefined);
    this.#blocks[block] ??= new this.#make(BLOCK);
    this.#blocks[block][place % BLOCK] = value;
  }
}

/** Some of the texts of an index, such as those of one reading: a byte each, where the index holds the text anyway. */
import { Column } from './column.ts';
import type { TextIndex } from './text-index.ts';

export class SeenTexts implements Iterable<string> {
  readonly #index: TextIndex;
  readonly #isSeen = new Column(Uint8Array);
  #size = 0;

  constructor(index: TextIndex) {
    this.#index = index;
  }

  get size(): number {
    return this.#size;
  }

  has(text: string): boolean {
    const number = this.#index.indexOf(text);
    return number !== -1 && this.#isSeen.at(number) === 1;
  }

  add(text: string): void {
    const number = this.#index.add(text);
    if (this.#isSeen.at(number) === 1) return;
    this.#isSeen.set(number, 1);
    this.#size++;
  }

  /** In the order of the index. */
  *[Symbol.iterator](): Iterator<string> {
    for (let number = 0; number < this.#index.size; number++) {
      if (this.#isSeen.at(number) === 1) yield this.#index.textOf(number);
    }
  }
}

/** Different texts, numbered from 0 in the order in which they came. */
import { Column } from './column.ts';
import { hashOf, PackedTexts } from './packed-texts.ts';

/** The first number of slots; it is always a power of two. */
const FIRST_SLOTS = 1 << 6;
/** The share of the slots that may be taken. */
const FULL = 0.7;

export class TextIndex implements Iterable<string> {
  readonly #texts = new PackedTexts();
  readonly #places = new Column(Uint32Array);
  /** The number of a text, plus 1; 0 is an empty slot. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  /** The last text that was looked up, and its slot: it is often added next. */
  #lastText: string | undefined;
  #lastSlot = 0;

  get size(): number {
    return this.#size;
  }

  has(text: string): boolean {
    return this.indexOf(text) !== -1;
  }

  /** -1 if it is not there. */
  indexOf(text: string): number {
    return (this.#slots[this.#slotOf(text)] as number) - 1;
  }

  /** The number that it has, or has from now on. */
  add(text: string): number {
    const slot = this.#slotOf(text);
    const known = (this.#slots[slot] as number) - 1;
    if (known !== -1) return known;
    const index = this.#size++;
    this.#places.set(index, this.#texts.add(text));
    this.#slots[slot] = index + 1;
    if (this.#size > this.#slots.length * FULL) this.#grow();
    return index;
  }

  textOf(index: number): string {
    return this.#texts.at(this.#places.at(index));
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let index = 0; index < this.#size; index++) yield this.textOf(index);
  }

  /** The slot that holds the text, or the empty one where it belongs. */
  #slotOf(text: string): number {
    if (text === this.#lastText) return this.#lastSlot;
    const mask = this.#slots.length - 1;
    let slot = hashOf(text) & mask;
    for (let known = this.#slots[slot] as number; known !== 0; known = this.#slots[slot] as number) {
      if (this.#texts.isAt(this.#places.at(known - 1), text)) break;
      slot = (slot + 1) & mask;
    }
    this.#lastText = text;
    this.#lastSlot = slot;
    return slot;
  }

  #grow(): void {
    this.#lastText = undefined;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = this.#texts.hashAt(this.#places.at(index)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index + 1;
    }
  }
}

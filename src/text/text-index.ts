/** Numbers and texts by the million, in blocks of memory that the collector does not look through. */

/** Numbers of a block. */
const BLOCK = 1 << 12;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** Numbers by their places, which are 0 until they are set: in blocks, so that nothing is copied as they become more. */
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

/** Bytes of one buffer. A longer text has one of its own. */
const CHUNK_BYTES = 1 << 16;
/** Before each text: its bytes times four, and the place of its form in this list. */
const HEAD_BYTES = 4;
const FORMS = ['latin1', 'utf16le', 'hex'] as const;
type Form = (typeof FORMS)[number];
/** A UUID in its usual form, which many services take for their ids: only its 16 bytes are kept. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_BYTES = 16;

/**
 * Texts as bytes in large buffers: a million short ones take a third of the memory that strings do, and none of the collector's
 * time.
 */
export class PackedTexts {
  readonly #chunks: Buffer[] = [];
  /** How much of the last one is filled. */
  #filled = CHUNK_BYTES;

  /** Returns the place of the text, an integer of 32 bits. Any text is kept as it is, even halves of characters. */
  add(text: string): number {
    const form = formOf(text);
    const bytes = bytesOf(text, form);
    if (this.#filled + HEAD_BYTES + bytes > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, HEAD_BYTES + bytes)));
      this.#filled = 0;
    }
    const chunk = this.#chunks.at(-1) as Buffer;
    const start = this.#filled;
    chunk.writeUInt32LE(bytes * 4 + FORMS.indexOf(form), start);
    chunk.write(shortened(text, form), start + HEAD_BYTES, form);
    this.#filled += HEAD_BYTES + bytes;
    return (this.#chunks.length - 1) * CHUNK_BYTES + start;
  }

  /** Puts a text in the place of another, if it has room there. */
  replace(place: number, text: string): boolean {
    const { chunk, start, bytes, form } = this.#find(place);
    if (form !== formOf(text) || bytes !== bytesOf(text, form)) return false;
    chunk.write(shortened(text, form), start, form);
    return true;
  }

  at(place: number): string {
    const { chunk, start, bytes, form } = this.#find(place);
    const text = chunk.toString(form, start, start + bytes);
    return form === 'hex' ? text.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : text;
  }

  #find(place: number): { chunk: Buffer; start: number; bytes: number; form: Form } {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)] as Buffer;
    const start = place % CHUNK_BYTES;
    const head = chunk.readUInt32LE(start);
    return { chunk, start: start + HEAD_BYTES, bytes: Math.floor(head / 4), form: FORMS[head % 4] as Form };
  }
}

function formOf(text: string): Form {
  if (UUID.test(text)) return 'hex';
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return 'utf16le';
  return 'latin1';
}

function bytesOf(text: string, form: Form): number {
  return form === 'hex' ? UUID_BYTES : text.length * (form === 'latin1' ? 1 : 2);
}

function shortened(text: string, form: Form): string {
  return form === 'hex' ? text.replaceAll('-', '') : text;
}

/** The first number of slots; it is always a power of two. */
const FIRST_SLOTS = 1 << 6;
/** The share of the slots that may be taken. */
const FULL = 0.7;

/** Different texts, numbered from 0 in the order in which they came. */
export class TextIndex implements Iterable<string> {
  readonly #texts = new PackedTexts();
  readonly #places = new Column(Uint32Array);
  readonly #hashes = new Column(Uint32Array);
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
    this.#hashes.set(index, hashOf(text));
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
    const hash = hashOf(text);
    let slot = hash & mask;
    for (let known = this.#slots[slot] as number; known !== 0; known = this.#slots[slot] as number) {
      if (this.#hashes.at(known - 1) === hash && this.textOf(known - 1) === text) break;
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
      let slot = this.#hashes.at(index) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index + 1;
    }
  }
}

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/** An integer of 32 bits without a sign. Ids that differ in their last digit alone are to differ everywhere. */
function hashOf(text: string): number {
  let hash = SEED;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (whole ^ (whole >>> 16)) >>> 0;
}

/** Some of the texts of an index, such as those of one reading: a byte each, where the index holds the text anyway. */
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

/**
 * Texts as bytes in large buffers: a million short ones take a third of the memory that strings do, and none of the collector's
 * time.
 */

/** Bytes of one buffer. A longer text has one of its own. */
const CHUNK_BYTES = 1 << 16;
/** A text of fewer characters has a head of one byte: twice their number, and one more if each has two bytes. */
const LONG = 126;
const SHORT_HEAD = 1;
const LONG_HEAD = 5;
/** The head of a UUID in its usual form, which many services take for their ids: its 16 bytes follow. */
const UUID = 0xff;
const UUID_BYTES = 16;
const IS_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** By the bytes of each character. */
const ENCODINGS = { 1: 'latin1', 2: 'utf16le' } as const;
type Width = keyof typeof ENCODINGS;

export class PackedTexts {
  readonly #chunks: Buffer[] = [];
  /** How much of the last one is filled. */
  #filled = CHUNK_BYTES;

  /** Returns the place of the text, an integer of 32 bits. Any text is kept as it is, even halves of characters. */
  add(text: string): number {
    if (IS_UUID.test(text)) return this.#addUuid(text);
    const width = widthOf(text);
    const head = text.length < LONG ? SHORT_HEAD : LONG_HEAD;
    const { chunk, start, place } = this.#take(head + text.length * width);
    chunk[start] = Math.min(text.length, LONG) * 2 + width - 1;
    if (head === LONG_HEAD) chunk.writeUInt32LE(text.length, start + SHORT_HEAD);
    chunk.write(text, start + head, ENCODINGS[width]);
    return place;
  }

  #addUuid(text: string): number {
    const { chunk, start, place } = this.#take(SHORT_HEAD + UUID_BYTES);
    chunk[start] = UUID;
    chunk.write(text.replaceAll('-', ''), start + SHORT_HEAD, 'hex');
    return place;
  }

  /** Room for so many bytes. */
  #take(bytes: number): { chunk: Buffer; start: number; place: number } {
    if (this.#filled + bytes > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes)));
      this.#filled = 0;
    }
    const start = this.#filled;
    this.#filled += bytes;
    return { chunk: this.#chunks.at(-1) as Buffer, start, place: (this.#chunks.length - 1) * CHUNK_BYTES + start };
  }

  /** Undefined if the text there is not one. */
  #uuidAt(place: number): string | undefined {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)] as Buffer;
    const start = place % CHUNK_BYTES;
    if (chunk[start] !== UUID) return undefined;
    const hex = chunk.toString('hex', start + SHORT_HEAD, start + SHORT_HEAD + UUID_BYTES);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** Puts a text in the place of another, if it has room there. */
  replace(place: number, text: string): boolean {
    if (this.isAt(place, text)) return true;
    if (this.#uuidAt(place) !== undefined || IS_UUID.test(text)) return false;
    const { chunk, start, length, width } = this.#find(place);
    if (length !== text.length || width !== widthOf(text)) return false;
    chunk.write(text, start, ENCODINGS[width]);
    return true;
  }

  at(place: number): string {
    const uuid = this.#uuidAt(place);
    if (uuid !== undefined) return uuid;
    const { chunk, start, length, width } = this.#find(place);
    return chunk.toString(ENCODINGS[width], start, start + length * width);
  }

  isAt(place: number, text: string): boolean {
    const uuid = this.#uuidAt(place);
    if (uuid !== undefined) return uuid === text;
    const { chunk, start, length, width } = this.#find(place);
    if (length !== text.length) return false;
    for (let at = 0; at < length; at++) if (codeAt(chunk, start, width, at) !== text.charCodeAt(at)) return false;
    return true;
  }

  /** The same as `hashOf` the text there. */
  hashAt(place: number): number {
    const uuid = this.#uuidAt(place);
    if (uuid !== undefined) return hashOf(uuid);
    const { chunk, start, length, width } = this.#find(place);
    let hash = SEED;
    for (let at = 0; at < length; at++) hash = Math.imul(hash ^ codeAt(chunk, start, width, at), PRIME);
    return mixed(hash);
  }

  #find(place: number): { chunk: Buffer; start: number; length: number; width: Width } {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)] as Buffer;
    const start = place % CHUNK_BYTES;
    const first = chunk[start] as number;
    const width = (first & 1) === 0 ? 1 : 2;
    if (first >> 1 < LONG) return { chunk, start: start + SHORT_HEAD, length: first >> 1, width };
    return { chunk, start: start + LONG_HEAD, length: chunk.readUInt32LE(start + SHORT_HEAD), width };
  }
}

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/** An integer of 32 bits without a sign. */
export function hashOf(text: string): number {
  let hash = SEED;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return mixed(hash);
}

/** Ids that differ in their last digit alone are to differ everywhere. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (whole ^ (whole >>> 16)) >>> 0;
}

function codeAt(chunk: Buffer, start: number, width: Width, at: number): number {
  if (width === 1) return chunk[start + at] as number;
  const low = start + 2 * at;
  return (chunk[low] as number) | ((chunk[low + 1] as number) << 8);
}

function widthOf(text: string): Width {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return 2;
  return 1;
}

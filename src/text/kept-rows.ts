/**
 * The original rows of a table, kept as the lines of JSON in which they are written to a file: the columns first, then a row on
 * each. A million rows are a few large buffers, and no object for each row.
 */
import { masked, maskedLines } from './redact.ts';

/** Bytes of one buffer. A longer row has one of its own. */
const CHUNK_BYTES = 1 << 22;
/** Characters that are encoded together, which is faster than line by line. */
const ENCODED_TOGETHER = 1 << 14;
/** A character of a string takes at most three bytes of UTF-8. */
const BYTES_A_CHARACTER = 3;
const NEWLINE = 0x0a;

interface Chunk {
  bytes: Buffer;
  filled: number;
}

export class KeptRows {
  readonly columns: readonly string[];
  readonly #chunks: Chunk[] = [];
  /** Lines that are in no buffer yet. */
  #text: string;
  #count = 0;

  constructor(columns: readonly string[]) {
    this.columns = columns;
    this.#text = `${JSON.stringify({ columns })}\n`;
  }

  get count(): number {
    return this.#count;
  }

  add(cells: readonly string[]): void {
    this.#text += `${JSON.stringify(cells)}\n`;
    this.#count++;
    if (this.#text.length > ENCODED_TOGETHER) this.#encode();
  }

  /** The rows with a true answer, by their place from 0. */
  only(isWanted: (row: number) => boolean): KeptRows {
    const left = new KeptRows(this.columns);
    left.#encode();
    let row = -1;
    for (const bytes of this.#encoded()) {
      for (let start = 0; start < bytes.length; row++) {
        const end = bytes.indexOf(NEWLINE, start) + 1;
        if (row !== -1 && isWanted(row)) left.#take(bytes.subarray(start, end));
        start = end;
      }
    }
    return left;
  }

  /** The content of the file. `redact` masks the key. */
  *file(redact: (text: string) => string): Generator<Buffer, void> {
    for (const bytes of this.#encoded()) {
      const text = bytes.toString();
      const shown = maskedLines(text, redact, (line) => masked(line, redact));
      yield shown === text ? bytes : Buffer.from(shown);
    }
  }

  /** The JSON of each row, without the columns. */
  *lines(redact: (text: string) => string): Generator<string, void> {
    let isHeader = true;
    for (const bytes of this.file(redact)) {
      for (const line of bytes.toString().split('\n')) {
        if (line !== '' && !isHeader) yield line;
        isHeader &&= line === '';
      }
    }
  }

  #encoded(): Buffer[] {
    this.#encode();
    return this.#chunks.map(({ bytes, filled }) => bytes.subarray(0, filled));
  }

  #encode(): void {
    if (this.#text === '') return;
    const chunk = this.#chunkFor(this.#text.length * BYTES_A_CHARACTER);
    chunk.filled += chunk.bytes.write(this.#text, chunk.filled);
    this.#text = '';
  }

  #take(line: Buffer): void {
    const chunk = this.#chunkFor(line.length);
    chunk.filled += line.copy(chunk.bytes, chunk.filled);
    this.#count++;
  }

  #chunkFor(room: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.bytes.length - last.filled >= room) return last;
    const chunk = { bytes: Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, room)), filled: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }
}

/** Lines of files whose first bytes were committed: those are known to be whole lines. Throws system errors. */
import { readFully } from '../../storage/files/bytes.ts';
import { type FileSystem, quietly } from '../../storage/files/file-system.ts';
import { LineChunks, NEWLINE } from '../../storage/files/json-lines.ts';
import { openToRead } from '../../storage/files/open.ts';

/** Most lines are shorter. */
const LAST_LINE_BYTES = 1 << 13;

/** Where each line of a file's first `end` bytes begins, and `end`; undefined if they are not whole lines. */
export function linePlaces(fs: FileSystem, path: string, end: number): Float64Array | undefined {
  if (end === 0) return new Float64Array(1);
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const chunks = new LineChunks(fs, path, 0, end);
  let places = new Float64Array(1024);
  let count = 0;
  try {
    for (let bytes = chunks.next(); bytes !== undefined; bytes = chunks.next()) {
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
        if (++count === places.length) {
          const larger = new Float64Array(count * 2);
          larger.set(places);
          places = larger;
        }
        places[count] = chunks.start + at + 1;
      }
    }
    return places[count] === end ? places.slice(0, count + 1) : undefined;
  } finally {
    chunks.close();
  }
}

/** The line that ends at byte `end` of a file, without its line break; undefined if none does. */
export function lineBefore(fs: FileSystem, path: string, end: number): string | undefined {
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const fd = openToRead(fs, path);
  try {
    for (let wanted = Math.min(LAST_LINE_BYTES, end); ; wanted = Math.min(wanted * 2, end)) {
      const bytes = Buffer.allocUnsafe(wanted);
      if (readFully(fs, fd, bytes, end - wanted) < wanted || bytes.at(-1) !== NEWLINE) return undefined;
      const start = bytes.lastIndexOf(NEWLINE, -2) + 1;
      if (start > 0 || wanted === end) return bytes.toString('utf8', start, wanted - 1);
    }
  } finally {
    quietly(() => fs.closeSync(fd));
  }
}

/** Reads lines one by one from a file whose first `end` bytes are known to be whole lines. */
export class LineReader {
  readonly #chunks: LineChunks;
  readonly #path: string;
  /** Makes the error for a file that does not hold them, from a sentence without its full stop. */
  readonly #damaged: (what: string) => Error;
  #end: number;
  /** Whole lines that were decoded together. */
  #text = '';
  /** Where the next line starts in `#text`, and where its line break is; -1 if that is not known yet. */
  #at = 0;
  #newline = -1;

  constructor(fs: FileSystem, path: string, position: number, end: number, damaged: (what: string) => Error) {
    this.#chunks = new LineChunks(fs, path, position, end);
    this.#path = path;
    this.#end = end;
    this.#damaged = damaged;
  }

  /** Byte offset in the file of the first line that was not taken. */
  position(): number {
    return this.#chunks.start + Buffer.byteLength(this.#text.slice(0, this.#at));
  }

  /** Tells the reader that the file has grown. */
  extend(end: number): void {
    this.#end = end;
    this.#chunks.extend(end);
  }

  /** The next line without its line break, or undefined at the end. Returns the same line until `take` is called. */
  next(): string | undefined {
    if (this.#newline === -1) {
      if (this.#at === this.#text.length && !this.#readChunk()) return undefined;
      this.#newline = this.#text.indexOf('\n', this.#at);
    }
    return this.#text.slice(this.#at, this.#newline);
  }

  take(): void {
    this.#at = this.#newline + 1;
    this.#newline = -1;
  }

  close(): void {
    this.#chunks.close();
  }

  #readChunk(): boolean {
    const bytes = this.#chunks.next();
    const { rest, size } = this.#chunks;
    if (size !== undefined) throw this.#damaged(`${this.#path} has ${size} bytes, but ${this.#end} were committed`);
    if (rest.length > 0) throw this.#damaged(`${this.#path} ends within a line`);
    this.#at = 0;
    this.#text = bytes?.toString() ?? '';
    return bytes !== undefined;
  }
}

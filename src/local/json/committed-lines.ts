/** Lines of files whose first bytes were committed: those are known to be whole lines. Throws system errors. */
import { type FileSystem, openToRead, quietly, readFully } from '../../storage/files/file-system.ts';
import { eachLineEnd, type Line, NEWLINE, readLines } from '../../storage/files/json-lines.ts';

/** Most lines are shorter. */
const LAST_LINE_BYTES = 1 << 13;

/** Where each line of a file's first `end` bytes begins, and `end`; undefined if they are not whole lines. */
export function linePlaces(fs: FileSystem, path: string, end: number): Float64Array | undefined {
  if (end === 0) return new Float64Array(1);
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const places = [0];
  eachLineEnd(fs, path, end, (at) => places.push(at));
  return places.at(-1) === end ? new Float64Array(places) : undefined;
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
  readonly #fs: FileSystem;
  readonly #path: string;
  /** Makes the error for a file that does not hold them, from a sentence without its full stop. */
  readonly #damaged: (what: string) => Error;
  #end: number;
  #lines: Generator<Line, void>;
  #next: Line | undefined;
  /** Byte offset in the file of the first line that was not taken. */
  position: number;

  constructor(fs: FileSystem, path: string, position: number, end: number, damaged: (what: string) => Error) {
    this.#fs = fs;
    this.#path = path;
    this.position = position;
    this.#end = end;
    this.#damaged = damaged;
    this.#lines = this.#rest();
  }

  /** Of a file that has grown, when all of it was taken. */
  extend(end: number): void {
    this.#end = end;
    this.#lines = this.#rest();
  }

  #rest(): Generator<Line, void> {
    return readLines(this.#fs, this.#path, { start: this.position, number: 1 }, this.#end);
  }

  /** The next line without its line break, or undefined at the end. Returns the same line until `take` is called. */
  next(): string | undefined {
    this.#next ??= this.#lines.next().value ?? undefined;
    if (this.#next?.isWhole) return this.#next.text;
    if (this.position === this.#end) return undefined;
    const { size } = this.#fs.statSync(this.#path);
    if (size < this.#end) throw this.#damaged(`${this.#path} has ${size} bytes, but ${this.#end} were committed`);
    throw this.#damaged(`${this.#path} ends within a line`);
  }

  take(): void {
    this.position += this.#next?.length ?? 0;
    this.#next = undefined;
  }

  close(): void {
    this.#lines.return();
  }
}

/**
 * Files of JSON values, one on each line. They are read in chunks from any byte on. A last line without a line break is marked:
 * it is still being written, or its writer was stopped. Throws system errors.
 */
import { isUtf8 } from 'node:buffer';
import { readFully } from './bytes.ts';
import { type FileSystem, quietly } from './file-system.ts';
import { openToRead } from './open.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 18;
/** Most lines are shorter. */
const LAST_LINE_BYTES = 1 << 13;

export interface Line {
  /** Counts up from 1. */
  number: number;
  /** Byte offset in the file. */
  start: number;
  /** Bytes, including its line break. */
  length: number;
  /** Without its line break; bytes that are not UTF-8 are replaced. */
  text: string;
  isUtf8: boolean;
  /** False for a last line without a line break. */
  isWhole: boolean;
}

/** Where reading begins: the first byte of a line, and the number of that line. */
export interface LineStart {
  start: number;
  number: number;
}

const BEGINNING: LineStart = { start: 0, number: 1 };

/** The lines of a file up to byte `end`, or to its end if that comes first. */
export function* readLines(
  fs: FileSystem,
  path: string,
  { start, number }: LineStart = BEGINNING,
  end = Number.POSITIVE_INFINITY,
): Generator<Line, void> {
  const chunks = new LineChunks(fs, path, start, end);
  let next = number;
  try {
    for (let bytes = chunks.next(); bytes !== undefined; bytes = chunks.next()) {
      const lines = linesIn(bytes, { start: chunks.start, number: next });
      next += lines.length;
      for (const line of lines) yield line;
    }
    const { rest } = chunks;
    if (rest.length > 0) yield { ...lineOf(rest, chunks.start, next), length: rest.length, isWhole: false };
  } finally {
    chunks.close();
  }
}

/** The lines of bytes that end with a line break. */
export function linesIn(bytes: Buffer, { start, number }: LineStart = BEGINNING): Line[] {
  const lines: Line[] = [];
  let place = start;
  if (!isUtf8(bytes)) {
    for (let from = 0; from < bytes.length; from = bytes.indexOf(NEWLINE, from) + 1) {
      const line = lineOf(bytes.subarray(from, bytes.indexOf(NEWLINE, from)), place, number + lines.length);
      lines.push(line);
      place += line.length;
    }
    return lines;
  }
  // Decoding everything at once is many times faster than line by line.
  const all = bytes.toString();
  const isAscii = all.length === bytes.length;
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf('\n', at);
    const text = all.slice(at, end);
    const length = 1 + (isAscii ? text.length : Buffer.byteLength(text));
    lines.push({ number: number + lines.length, start: place, length, text, isUtf8: true, isWhole: true });
    place += length;
    at = end + 1;
  }
  return lines;
}

function lineOf(bytes: Buffer, start: number, number: number): Line {
  return { number, start, length: bytes.length + 1, text: bytes.toString(), isUtf8: isUtf8(bytes), isWhole: true };
}

/** The whole lines of a file: as many at a time as fit into a chunk, and at least one. */
export class LineChunks {
  readonly #fs: FileSystem;
  readonly #fd: number;
  #end: number;
  /** All chunks are read into one buffer. */
  #buffer: Buffer = Buffer.alloc(0);
  /** Where the bytes that were last returned begin, and where they end. */
  start: number;
  #position: number;
  /** The bytes after the last line break, once `next` has returned undefined. */
  rest: Buffer = Buffer.alloc(0);
  /** The file's size, if it turned out to be less than `end`. */
  size: number | undefined;

  constructor(fs: FileSystem, path: string, start: number, end = Number.POSITIVE_INFINITY) {
    this.#fs = fs;
    this.#fd = openToRead(fs, path);
    this.#end = end;
    this.start = start;
    this.#position = start;
  }

  /** Tells the reader that the file has grown. */
  extend(end: number): void {
    this.#end = end;
  }

  /** The next lines, valid until the next call; undefined if there is no further whole line. */
  next(): Buffer | undefined {
    this.start = this.#position;
    const left = this.#end - this.start;
    for (let wanted = Math.min(CHUNK_BYTES, left); ; wanted = Math.min(wanted * 2, left)) {
      if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted);
      const chunk = this.#buffer.subarray(0, wanted);
      const read = readFully(this.#fs, this.#fd, chunk, this.start);
      if (read < wanted) this.size = this.start + read;
      const length = chunk.subarray(0, read).lastIndexOf(NEWLINE) + 1;
      if (length > 0) {
        this.#position += length;
        return chunk.subarray(0, length);
      }
      if (read < wanted || wanted === left) {
        this.rest = chunk.subarray(0, read);
        return undefined;
      }
    }
  }

  close(): void {
    quietly(() => this.#fs.closeSync(this.#fd));
  }
}

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

/**
 * Files of JSON values, one on each line. They are read in chunks from any byte on. A last line without a line break is marked:
 * it is still being written, or its writer was stopped. Throws system errors.
 */
import { isUtf8 } from 'node:buffer';
import { type FileSystem, openToRead, quietly, readFully } from './file-system.ts';

export const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 18;

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

/** Where each whole line of a file's first `end` bytes ends. */
export function* lineEnds(fs: FileSystem, path: string, end?: number): Generator<number, void> {
  const chunks = new LineChunks(fs, path, 0, end);
  try {
    for (let bytes = chunks.next(); bytes !== undefined; bytes = chunks.next()) {
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) yield chunks.start + at + 1;
    }
  } finally {
    chunks.close();
  }
}

/** The value of a line; undefined if it is not JSON. */
export function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lineOf(bytes: Buffer, start: number, number: number): Line {
  return { number, start, length: bytes.length + 1, text: bytes.toString(), isUtf8: isUtf8(bytes), isWhole: true };
}

/** The whole lines of a file: as many at a time as fit into a chunk, and at least one. */
class LineChunks {
  readonly #fs: FileSystem;
  readonly #fd: number;
  readonly #end: number;
  /** All chunks are read into one buffer. */
  #buffer: Buffer = Buffer.alloc(0);
  /** Where the bytes that were last returned begin, and where they end. */
  start: number;
  #position: number;
  /** The bytes after the last line break, once `next` has returned undefined. */
  rest: Buffer = Buffer.alloc(0);

  constructor(fs: FileSystem, path: string, start: number, end = Number.POSITIVE_INFINITY) {
    this.#fs = fs;
    this.#fd = openToRead(fs, path);
    this.#end = end;
    this.start = start;
    this.#position = start;
  }

  /** The next lines, valid until the next call; undefined if there is no further whole line. */
  next(): Buffer | undefined {
    this.start = this.#position;
    const left = this.#end - this.start;
    for (let wanted = Math.min(CHUNK_BYTES, left); ; wanted = Math.min(wanted * 2, left)) {
      if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted);
      const chunk = this.#buffer.subarray(0, wanted);
      const read = readFully(this.#fs, this.#fd, chunk, this.start);
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

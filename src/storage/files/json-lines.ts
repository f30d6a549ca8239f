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
  end?: number,
): Generator<Line, void> {
  let next = number;
  for (const { bytes, start: place, isWhole } of chunksOf(fs, path, start, end)) {
    const lines = linesIn(bytes, { start: place, number: next }, isWhole);
    next += lines.length;
    yield* lines;
  }
}

/** The lines of bytes that end with a line break; if they are not `isWhole`, that of bytes without one. */
export function linesIn(bytes: Buffer, { start, number }: LineStart = BEGINNING, isWhole = true): Line[] {
  const isSound = isUtf8(bytes);
  if (!isWhole) return [{ number, start, length: bytes.length, text: bytes.toString(), isUtf8: isSound, isWhole }];
  const lines: Line[] = [];
  let place = start;
  const add = (text: string, size: number, isUtf8: boolean) => {
    lines.push({ number: number + lines.length, start: place, length: size + 1, text, isUtf8, isWhole });
    place += size + 1;
  };
  if (!isSound) {
    for (let at = 0, end = 0; at < bytes.length; at = end + 1) {
      end = bytes.indexOf(NEWLINE, at);
      const line = bytes.subarray(at, end);
      add(line.toString(), line.length, isUtf8(line));
    }
    return lines;
  }
  // Decoding everything at once is many times faster than line by line.
  const all = bytes.toString();
  const isAscii = all.length === bytes.length;
  for (let at = 0, end = 0; at < all.length; at = end + 1) {
    end = all.indexOf('\n', at);
    const text = all.slice(at, end);
    add(text, isAscii ? text.length : Buffer.byteLength(text), true);
  }
  return lines;
}

/** Tells where each whole line of a file's first `end` bytes ends; there may be a million. */
export function eachLineEnd(fs: FileSystem, path: string, end: number | undefined, tell: (at: number) => void): void {
  for (const { bytes, start, isWhole } of chunksOf(fs, path, 0, end)) {
    if (!isWhole) return;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) tell(start + at + 1);
  }
}

interface Chunk {
  bytes: Buffer;
  /** Byte offset in the file. */
  start: number;
  /** False of the bytes after the last line break. */
  isWhole: boolean;
}

/** The lines of a file: as many at a time as fit into a chunk, and at least one. The next ones are read into the same buffer. */
function* chunksOf(fs: FileSystem, path: string, from: number, end = Number.POSITIVE_INFINITY): Generator<Chunk, void> {
  const fd = openToRead(fs, path);
  let buffer = Buffer.alloc(0);
  try {
    for (let start = from, most = CHUNK_BYTES; ; ) {
      const wanted = Math.min(most, end - start);
      if (buffer.length < wanted) buffer = Buffer.allocUnsafe(wanted);
      const read = readFully(fs, fd, buffer.subarray(0, wanted), start);
      const length = buffer.subarray(0, read).lastIndexOf(NEWLINE) + 1;
      if (length > 0) {
        yield { bytes: buffer.subarray(0, length), start, isWhole: true };
        start += length;
        most = CHUNK_BYTES;
      } else if (read < wanted || wanted < most) {
        if (read > 0) yield { bytes: buffer.subarray(0, read), start, isWhole: false };
        return;
      } else most *= 2;
    }
  } finally {
    quietly(() => fs.closeSync(fd));
  }
}

/** Lines of UTF-8, or of any encoding in which no character contains a line break. A line ends with LF, CR or both. */

const LF = 10;
const CR = 13;
export const LINE_ENDS = ['\r\n', '\n', '\r'] as const;

/** The index after the last line end in the bytes; 0 if there is none. */
export function endOfLines(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}

/** The number of lines that end in the bytes. `last` is the byte before them, because CR and LF are one line end. */
export function linesEndedIn(bytes: Buffer, last: number): number {
  let lines = last === CR && bytes[0] === LF ? -1 : 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++;
  for (let at = bytes.indexOf(CR); at !== -1; at = bytes.indexOf(CR, at + 1)) if (bytes[at + 1] !== LF) lines++;
  return lines;
}

/** A longer line is passed on in parts: it cannot be a line of a table. */
const LONGEST_LINE = 16 << 20;

/** Bytes as they come → bytes that end with a line. */
export class WholeLines {
  #open: Buffer[] = [];
  #openBytes = 0;

  /** Adds bytes and returns the whole lines so far; empty if no line has ended. */
  add(bytes: Buffer): Buffer {
    const lineEnd = endOfLines(bytes);
    const open = lineEnd === 0 ? this.#openBytes + bytes.length : bytes.length - lineEnd;
    const end = open > LONGEST_LINE ? bytes.length : lineEnd;
    const whole = end === 0 ? bytes.subarray(0, 0) : this.#with(bytes.subarray(0, end));
    if (end < bytes.length) this.#open.push(bytes.subarray(end));
    this.#openBytes += bytes.length - end;
    return whole;
  }

  /** The bytes after the last line end. */
  rest(): Buffer {
    return this.#with(Buffer.alloc(0));
  }

  #with(last: Buffer): Buffer {
    const all = this.#open.length === 0 ? last : Buffer.concat([...this.#open, last]);
    this.#open = [];
    this.#openBytes = 0;
    return all;
  }
}

/** Pieces of text without their first lines; a line ends with LF, CR or both. */
export async function* withoutLines(pieces: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  let isAfterReturn = false;
  for await (const piece of pieces) {
    let at = 0;
    while (at < piece.length && (left > 0 || isAfterReturn)) {
      const byte = piece[at];
      const isSecondHalf = isAfterReturn && byte === LF;
      isAfterReturn = byte === CR && left > 0;
      if (left === 0 && !isSecondHalf) break;
      if (!isSecondHalf && (byte === LF || byte === CR)) left--;
      at++;
    }
    if (at < piece.length) yield piece.subarray(at);
  }
}

/** The beginning of a stream: at least `bytes` bytes, or all of it. */
export async function gather(chunks: AsyncIterator<Buffer>, bytes: number): Promise<Buffer> {
  const gathered: Buffer[] = [];
  for (let size = 0; size < bytes; ) {
    const next = await chunks.next();
    if (next.done) break;
    gathered.push(next.value);
    size += next.value.length;
  }
  return gathered.length === 1 ? (gathered[0] as Buffer) : Buffer.concat(gathered);
}

/** A stream whose beginning was read already, whole again. */
export async function* continued<T>(beginning: T, pieces: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield beginning;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}

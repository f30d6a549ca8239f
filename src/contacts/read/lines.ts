/** Lines of UTF-8, or of any encoding in which no character contains a line break. A line ends with LF, CR or both. */

const LF = 10;
const CR = 13;

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
const LONGEST_LINE = 4 << 20;

/** How many bytes, from the first on, are whole lines. */
export function wholeLines(bytes: Buffer): number {
  const end = endOfLines(bytes);
  return bytes.length - end > LONGEST_LINE ? bytes.length : end;
}

/** The same bytes, cut where `whole` says, which is given what has come and not gone. What is left at the end comes last. */
export async function* recut(pieces: AsyncIterable<Buffer>, whole: (bytes: Buffer) => number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = whole(bytes);
    rest = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

/** Pieces of text without their first lines. */
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

/** A stream whose beginning was read already, whole again. It ends a writer into a pipe when the reader has given up. */
export async function* continued<T>(beginning: T, pieces: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield beginning;
    yield* { [Symbol.asyncIterator]: () => pieces };
  } finally {
    await pieces.return?.();
  }
}

/** Reading lines that may be damaged, a chunk at a time: what is wrong with a line is told, never thrown. */
import { isUtf8 } from 'node:buffer';
import type * as z from 'zod/mini';
import type { FileSystem } from '../../files.ts';

export interface SuspectLine {
  /** From 1. */
  number: number;
  /** Bytes of the file before it. */
  start: number;
  /** Bytes, its newline included. */
  length: number;
  /** Without its newline; empty where the line is at fault. */
  text: string;
  /** What is wrong, as the rest of a sentence about the line. */
  fault: string | undefined;
}

/** The fault of a last line without its newline. */
export const CUT_OFF = 'is cut off';

const CHUNK_BYTES = 1 << 18;
const NEWLINE = 0x0a;

/** The lines of a file's first `end` bytes, or of what there is of them. Throws system errors. */
export function* suspectLines(fs: FileSystem, path: string, end: number): Generator<SuspectLine, void> {
  const fd = fs.openSync(path, 'r');
  try {
    let unread: Buffer = Buffer.alloc(0);
    let number = 0;
    let start = 0;
    for (;;) {
      let at = 0;
      for (let newline = unread.indexOf(NEWLINE); newline !== -1; newline = unread.indexOf(NEWLINE, at)) {
        yield wholeLine(unread.subarray(at, newline), ++number, start + at);
        at = newline + 1;
      }
      start += at;
      unread = unread.subarray(at);
      const more = readChunk(fs, fd, start + unread.length, end, unread.length);
      if (more.length === 0) break;
      unread = Buffer.concat([unread, more]);
    }
    if (unread.length > 0) yield { number: number + 1, start, length: unread.length, text: '', fault: CUT_OFF };
  } finally {
    fs.closeSync(fd);
  }
}

function wholeLine(bytes: Buffer, number: number, start: number): SuspectLine {
  const isSound = isUtf8(bytes);
  return {
    number,
    start,
    length: bytes.length + 1,
    text: isSound ? bytes.toString() : '',
    fault: isSound ? undefined : 'is not UTF-8',
  };
}

/** At least as much as is waiting for its newline: a line that never ends is read in few steps. */
function readChunk(fs: FileSystem, fd: number, from: number, end: number, waiting: number): Buffer {
  const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(Math.max(CHUNK_BYTES, waiting), end - from)));
  return chunk.subarray(0, chunk.length === 0 ? 0 : fs.readSync(fd, chunk, 0, chunk.length, from));
}

/** What a line holds, or what is wrong with it; `kind` says what it should be. */
export function readValue<T>(
  line: SuspectLine,
  schema: z.ZodMiniType<T>,
  kind: string,
): { value: T; fault: undefined } | { value: undefined; fault: string } {
  if (line.fault !== undefined) return { value: undefined, fault: line.fault };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return { value: undefined, fault: 'is not JSON' };
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, fault: undefined };
  const field = result.error.issues[0]?.path.join('.') ?? '';
  return { value: undefined, fault: field === '' ? `is no ${kind}` : `is no ${kind}: its ${field} is wrong` };
}

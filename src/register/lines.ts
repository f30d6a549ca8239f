/**
 * The lines of the register: JSON, one a line, only ever appended. A request to a real service is one line before it is sent
 * and one when it has ended; where the second is missing nobody knows what came of it.
 */
import { FileError } from '../errors.ts';
import type { FileSystem } from '../files.ts';

/** The operations that are registered, by the last part of their paths: those that ring people's phones. */
export type Operation = 'trigger-call' | 'create-campaign';

export interface SentLine {
  /** Counts up from 1. */
  entry: number;
  event: 'sent';
  /** ISO 8601, UTC. */
  at: string;
  /** `user@host`. */
  by: string;
  /** The base URL, without a slash at its end. */
  service: string;
  organization_id: number;
  operation: Operation;
  /** As it was sent, without the credentials; the contacts of a campaign are told by `contacts`. */
  request: Record<string, unknown>;
  contacts?: ContactsSent;
}

export interface ContactsSent {
  count: number;
  /** Over the numbers, in whatever order they came: who is called. */
  numbers_sha256: string;
  /** As it was named, and over its bytes; absent where the contacts came from no file of contacts. */
  file?: string;
  file_sha256?: string;
}

/**
 * `accepted` and `refused` are what the service said. `not_sent`: the request surely did not leave. `unknown`: it may have
 * been carried out.
 */
export type Ending = 'accepted' | 'refused' | 'not_sent' | 'unknown';

export interface EndedLine {
  entry: number;
  event: 'ended';
  /** ISO 8601, UTC. */
  at: string;
  outcome: Ending;
  /** The response, or what was said of the failure. */
  answer: Record<string, unknown>;
}

export type Line = SentLine | EndedLine;

/** What is about to be sent. */
export type Intent = Omit<SentLine, 'entry' | 'event' | 'at'>;
/** How it went. */
export type Ended = Pick<EndedLine, 'outcome' | 'answer'>;

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** One line of the file, read or damaged. */
export interface Found {
  /** From 1. */
  number: number;
  line: Line | undefined;
}

export interface Extent {
  /** Bytes of whole lines, from the beginning of the file. */
  bytes: number;
  lines: number;
}

/**
 * Calls `take` for each whole line after `from`. Returns up to where they reach, and as `tail` what lies behind the last line
 * break: a line that is being written, or was when its writer was ended.
 */
export function readLines(
  fs: FileSystem,
  path: string,
  from: Extent,
  take: (found: Found) => void,
): Extent & { tail: Buffer } {
  // From a device or a pipe would be read without end.
  if (!fs.statSync(path).isFile()) throw new FileError(`${path} is no ordinary file.`, { hint: 'Move it away.' });
  const fd = fs.openSync(path, 'r');
  try {
    let { bytes, lines } = from;
    let position = bytes;
    let pending = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const read = fs.readSync(fd, chunk, 0, chunk.length, position);
      if (read === 0) return { bytes, lines, tail: pending };
      position += read;
      const held = Buffer.concat([pending, chunk.subarray(0, read)]);
      const end = held.lastIndexOf(NEWLINE) + 1;
      pending = held.subarray(end);
      if (end === 0) continue;
      bytes += end;
      for (const text of held.toString('utf8', 0, end - 1).split('\n')) {
        lines += 1;
        take({ number: lines, line: parseLine(text) });
      }
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** The line that a text is, or undefined where it is none: damage. */
export function parseLine(text: string): Line | undefined {
  let value: Partial<Line> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !isEntry(value.entry)) return undefined;
  if (typeof value.at !== 'string' || Number.isNaN(Date.parse(value.at))) return undefined;
  if (value.event === 'sent') return isSent(value) ? (value as SentLine) : undefined;
  return value.event === 'ended' && typeof value.outcome === 'string' ? (value as EndedLine) : undefined;
}

/** Another can follow it. */
function isEntry(entry: unknown): boolean {
  return Number.isSafeInteger(entry) && Number(entry) > 0 && Number(entry) < Number.MAX_SAFE_INTEGER;
}

/** How every line begins. */
const BEGINNING = '{"entry":';

/**
 * Whether what lies behind the last line break is the beginning of one line, as its writer left it, or what a file system puts
 * in the place of what was not written. Anything else is no trace of a crash.
 */
export function isTorn(tail: Buffer): boolean {
  const text = tail.toString('latin1').replace(/\0+$/, '');
  return BEGINNING.startsWith(text) || (text.startsWith(BEGINNING) && !/[\r\0]|.\{"entry":/.test(text));
}

function isSent({ service, operation, request, contacts }: Partial<SentLine>): boolean {
  if (typeof service !== 'string' || typeof request !== 'object' || request === null) return false;
  if (operation === 'trigger-call') return typeof request.called_to === 'string';
  return operation === 'create-campaign' && typeof contacts?.numbers_sha256 === 'string';
}

/** The error of a damaged line. */
export function damagedLine(path: string, number: number): FileError {
  return new FileError(`${path}: line ${number} is damaged: it is no entry of the register.`, {
    code: 'register_damaged',
    hint: 'It may stand for a call of unknown outcome. Mend the line or take it out; --force sends without looking.',
  });
}

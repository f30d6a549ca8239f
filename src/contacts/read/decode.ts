/** The bytes of a table in any supported encoding → the same text as UTF-8. A byte that is not text is an error. */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { InputError } from '../../errors.ts';
import type { Encoding } from '../rules.ts';
import { continued, endOfLines, gather, linesEndedIn, recut, wholeLines } from './lines.ts';

const MARKS: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/** Bytes that are read before the encoding is decided. */
const FIRST_BYTES = 1 << 16;

export interface Decoded {
  encoding: Encoding;
  /** Whether the file has a byte order mark. */
  isMarked: boolean;
  /** UTF-8, cut between characters, without a byte order mark. */
  pieces: AsyncGenerator<Buffer>;
}

/** `source` is the file's name, for messages. The pieces throw InputError `bad_encoding` with line and column. */
export async function decode(
  bytes: AsyncIterable<Buffer>,
  source: string,
  asked: Encoding | undefined,
): Promise<Decoded> {
  const chunks = bytes[Symbol.asyncIterator]();
  const first = await gather(chunks, FIRST_BYTES);
  const [marked, mark] =
    MARKS.find(([, bytesOfMark]) => bytesOfMark.equals(first.subarray(0, bytesOfMark.length))) ?? [];
  const encoding = marked ?? asked ?? 'utf-8';
  if (encoding === 'utf-8') requireText(first, source, asked !== undefined);
  const isAsked = marked === undefined && asked !== undefined;
  async function* pieces(): AsyncGenerator<Buffer> {
    const { whole, read } = formOf(encoding);
    const position = new Position();
    // The byte order mark says what it is, and so does text that could hardly be UTF-8 by chance: only other bytes help.
    let characters = marked === undefined ? 0 : SURELY_UTF8;
    for await (const piece of recut(continued(first.subarray(mark?.length ?? 0), chunks), whole)) {
      const { utf8, badAt } = read(piece);
      const good = utf8.subarray(0, badAt);
      position.advance(good);
      if (encoding === 'utf-8' && characters < SURELY_UTF8) characters += longCharacters(good);
      if (badAt !== undefined)
        throw badEncoding(source, encoding, position, { isAsked, isDamaged: characters >= SURELY_UTF8 });
      yield utf8;
    }
  }
  return { encoding, isMarked: marked !== undefined, pieces: pieces() };
}

/** Characters of several bytes. A text of another encoding has one in a hundred files by chance, and never so many. */
const SURELY_UTF8 = 8;

/** They are counted up to what is sure. `utf8` is UTF-8. */
function longCharacters(utf8: Buffer): number {
  let count = 0;
  if (isAscii(utf8)) return count;
  for (const byte of utf8) if (byte >= 0xc0 && ++count === SURELY_UTF8) break;
  return count;
}

/** Programs name web pages .xls, because spreadsheets open them. */
const NO_TABLES: readonly [RegExp, string][] = [
  [/^%PDF/, 'a PDF'],
  [/^(\xef\xbb\xbf)?\s*<(!doctype|html|table|\?xml)/i, 'a web page or XML'],
];

/** Throws InputError if the file is of another kind, or UTF-16 without a byte order mark. */
function requireText(first: Buffer, source: string, isAsked: boolean): void {
  const kind = NO_TABLES.find(([start]) => start.test(first.toString('latin1', 0, 200)))?.[1];
  if (kind !== undefined) {
    const hint = 'Open it in a spreadsheet and save it as .xlsx, or as CSV UTF-8.';
    throw new InputError(`${source} is ${kind}, not a CSV.`, { code: 'bad_encoding', hint });
  }
  const utf16 = isAsked ? undefined : unmarkedUtf16(first);
  if (utf16 === undefined) return;
  throw new InputError(`${source} seems to be UTF-16, and has no byte order mark.`, {
    code: 'bad_encoding',
    reason: { kind: 'unmarked_utf16', encoding: utf16 },
  });
}

/** In UTF-16 every second byte of plain text is 0: the second of each pair in little endian, the first in big endian. */
function unmarkedUtf16(first: Buffer): Encoding | undefined {
  const zeros = [0, 0];
  for (const [at, byte] of first.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [atEven = 0, atOdd = 0] = zeros;
  const most = first.length / 4;
  if (atOdd > most && atEven === 0) return 'utf-16le';
  return atEven > most && atOdd === 0 ? 'utf-16be' : undefined;
}

const MEND = 'correct that line, or save the original as CSV UTF-8 again.';

function badEncoding(
  source: string,
  encoding: Encoding,
  { line, column }: Position,
  { isAsked, isDamaged }: { isAsked: boolean; isDamaged: boolean },
): InputError {
  const guess = encoding === 'windows-1252' ? 'utf-8' : 'windows-1252';
  const name = encoding.replace('utf', 'UTF');
  const what = `column ${column} is not a character of ${name}`;
  return new InputError(`${source} is not ${name}: line ${line}, ${what}.`, {
    code: 'bad_encoding',
    ...(isDamaged
      ? {
          hint: `It begins as such a file, and was damaged there: ${MEND}`,
        }
      : { reason: { kind: 'other_encoding', isChosen: isAsked, guess } }),
    issues: [{ field: `line ${line}`, message: what }],
  });
}

/** Line and column of the next character, counted from 1; a line ends with LF, CR or both. */
class Position {
  line = 1;
  column = 1;
  #last = 0;

  advance(utf8: Buffer): void {
    if (utf8.length === 0) return;
    // For speed, characters are counted only in the last line of each piece.
    this.line += linesEndedIn(utf8, this.#last);
    this.#last = utf8[utf8.length - 1] as number;
    const lineBegins = endOfLines(utf8);
    if (lineBegins > 0) this.column = 1;
    for (let at = lineBegins; at < utf8.length; at++) if (!isContinuation(utf8[at] as number)) this.column++;
  }
}

/** A piece of text. Everything before `badAt`, the index of the first byte that is not text, is valid. */
interface Piece {
  utf8: Buffer;
  badAt: number | undefined;
}

interface Form {
  /** How many bytes, from the first on, can be read by themselves. */
  whole(bytes: Buffer): number;
  read(bytes: Buffer): Piece;
}

function formOf(encoding: Encoding): Form {
  if (encoding === 'utf-8') {
    return {
      whole: (bytes) => bytes.length - unfinished(bytes),
      read: (utf8) => ({ utf8, badAt: isUtf8(utf8) ? undefined : firstBad(utf8) }),
    };
  }
  if (encoding.startsWith('utf-16')) return utf16(encoding === 'utf-16be');
  return {
    // No character contains a line break, and the library loses characters that are cut in two.
    whole: wholeLines,
    // Invalid bytes become the replacement character, which these encodings do not have.
    read(bytes) {
      const text = iconv.decode(bytes, encoding, { stripBOM: false });
      return pieceOf(text, text.indexOf('\ufffd'));
    },
  };
}

function utf16(isBigEndian: boolean): Form {
  return {
    whole(bytes) {
      const even = bytes.length - (bytes.length % 2);
      const isHighSurrogate = ((bytes[isBigEndian ? even - 2 : even - 1] ?? 0) & 0xfc) === 0xd8;
      return isHighSurrogate ? even - 2 : even;
    },
    read(bytes) {
      const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
      const text = (isBigEndian ? Buffer.from(units).swap16() : units).toString('utf16le');
      // A lone half of a surrogate pair is not a character, and neither is half a unit at the end.
      const lone = text.search(/\p{Surrogate}/u);
      return pieceOf(text, lone === -1 && units.length < bytes.length ? text.length : lone);
    },
  };
}

/** `badAt` is an index of the text, or -1. */
function pieceOf(text: string, badAt: number): Piece {
  return { utf8: Buffer.from(text), badAt: badAt === -1 ? undefined : Buffer.byteLength(text.slice(0, badAt)) };
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The length of the character that a lead byte begins; 1 for any other byte. */
function lengthFrom(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** How many bytes at the end belong to a character that is not complete. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (!isContinuation(byte)) return lengthFrom(byte) > back ? back : 0;
  }
  return 0;
}

function firstBad(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = lengthFrom(bytes[at] as number);
    if (!isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return at;
}

/** The bytes of a table in any encoding operators have → the same text as UTF-8. A byte that is no text is an error. */
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import iconv from 'iconv-lite';
import { InputError, UsageError } from '../errors.ts';

/** What `--encoding` takes; the byte order mark of a file beats it. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
  'iso-8859-9',
  'iso-8859-15',
  'macintosh',
  'koi8-r',
  'koi8-u',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gbk',
  'gb18030',
  'big5',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const ALIASES = new Map<string, Encoding>([
  ['utf16', 'utf-16le'],
  ['latin1', 'iso-8859-1'],
  ['latin9', 'iso-8859-15'],
  ['sjis', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['gb2312', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['macroman', 'macintosh'],
]);

/** `Windows1252`, `cp1252` and `windows-1252` are the same. Throws UsageError on a name that is none. */
export function parseEncoding(name: string): Encoding {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const asked = plain(name).replace(/^cp(125\d|874)$/, 'windows$1');
  const encoding = ENCODINGS.find((known) => plain(known) === asked) ?? ALIASES.get(asked);
  if (encoding !== undefined) return encoding;
  throw new UsageError(`--encoding ${name} is not known.`, { hint: `Encodings: ${ENCODINGS.join(', ')}.` });
}

const MARKS: readonly [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

export interface Decoded {
  encoding: Encoding;
  /** Whether a byte order mark said so. */
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
    MARKS.find(([, bytesOfMark]) => first.subarray(0, bytesOfMark.length).equals(bytesOfMark)) ?? [];
  const encoding = marked ?? asked ?? 'utf-8';
  if (encoding === 'utf-8') requireText(first, source, asked !== undefined);
  const isAsked = marked === undefined && asked !== undefined;
  const decoder = decoderOf(encoding);
  const place = new Place();
  const check = (piece: Piece): Buffer => {
    if (piece.badAt !== undefined) {
      place.advance(piece.utf8.subarray(0, piece.badAt));
      throw badEncoding(source, encoding, place, isAsked);
    }
    place.advance(piece.utf8);
    return piece.utf8;
  };
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      yield check(decoder.write(first.subarray(mark?.length ?? 0)));
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        yield check(decoder.write(next.value));
      }
      yield check(decoder.end());
    } finally {
      // A writer into a pipe is not kept waiting for a reader who has given up.
      await chunks.return?.();
    }
  }
  return { encoding, isMarked: marked !== undefined, pieces: pieces() };
}

/** Bytes that are looked at before anything is decided. */
const FIRST_BYTES = 1 << 16;

/** The beginning of a stream: at least so many bytes, or all there are. */
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

/** Files that are no text in UTF-8 at all, by how they begin. */
const OTHER_FILES: readonly [Buffer, string][] = [
  [Buffer.from('PK\x03\x04'), 'an Excel workbook or a zip file'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Excel workbook'],
  [Buffer.from('%PDF'), 'a PDF'],
];

/** Throws InputError where the file is of another kind, or UTF-16 that does not say so. */
function requireText(first: Buffer, source: string, isAsked: boolean): void {
  const [, kind] = OTHER_FILES.find(([start]) => first.subarray(0, start.length).equals(start)) ?? [];
  if (kind !== undefined) {
    throw new InputError(`${source} is ${kind}, not a CSV.`, { code: 'bad_encoding', hint: 'Save it as CSV UTF-8.' });
  }
  const utf16 = isAsked ? undefined : unmarkedUtf16(first);
  if (utf16 === undefined) return;
  throw new InputError(`${source} seems to be UTF-16, and has no byte order mark.`, {
    code: 'bad_encoding',
    hint: `Say --encoding ${utf16}, or save the file as CSV UTF-8.`,
  });
}

/** In UTF-16 every second byte of plain text is 0: the second of each pair in little endian, the first in big. */
function unmarkedUtf16(first: Buffer): Encoding | undefined {
  const zeros = [0, 0];
  for (const [at, byte] of first.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [atEven = 0, atOdd = 0] = zeros;
  const most = first.length / 4;
  if (atOdd > most && atEven === 0) return 'utf-16le';
  return atEven > most && atOdd === 0 ? 'utf-16be' : undefined;
}

function badEncoding(source: string, encoding: Encoding, { line, column }: Place, isAsked: boolean): InputError {
  const guess = encoding === 'windows-1252' ? 'utf-8' : 'windows-1252';
  const name = encoding.replace('utf', 'UTF');
  const what = `column ${column} is no character of ${name}`;
  return new InputError(`${source} is not ${name}: line ${line}, ${what}.`, {
    code: 'bad_encoding',
    hint: `${isAsked ? 'Name another encoding' : 'Name the encoding'}, such as --encoding ${guess}, or save the file as CSV UTF-8.`,
    issues: [{ field: `line ${line}`, message: what }],
  });
}

// Decoders ------------------------------------------------------------------------------------------------------------

interface Piece {
  utf8: Buffer;
  /** Where the first byte is that is no text; what comes before is sound. */
  badAt?: number | undefined;
}

interface Decoder {
  write(bytes: Buffer): Piece;
  end(): Piece;
}

function decoderOf(encoding: Encoding): Decoder {
  if (encoding === 'utf-8') return new Utf8();
  return encoding.startsWith('utf-16') ? new Utf16(encoding === 'utf-16be') : new Legacy(encoding);
}

const NOTHING = Buffer.alloc(0);

/** UTF-8 is only looked at, not changed. */
class Utf8 implements Decoder {
  #rest: Buffer = NOTHING;

  write(bytes: Buffer): Piece {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.length - unfinished(all);
    this.#rest = all.subarray(end);
    const utf8 = all.subarray(0, end);
    return { utf8, badAt: isUtf8(utf8) ? undefined : firstBad(utf8) };
  }

  end(): Piece {
    return { utf8: this.#rest, badAt: this.#rest.length === 0 ? undefined : 0 };
  }
}

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

/** The length of the character that a lead byte begins; what is no lead byte stands for itself. */
function lengthFrom(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** How many bytes at the end are the beginning of a character. */
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

class Utf16 implements Decoder {
  readonly #isBigEndian: boolean;
  readonly #decoder = new StringDecoder('utf16le');
  #odd: Buffer = NOTHING;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  write(bytes: Buffer): Piece {
    const all = Buffer.concat([this.#odd, bytes]);
    const even = all.length - (all.length % 2);
    this.#odd = all.subarray(even);
    const units = all.subarray(0, even);
    return this.#piece(this.#decoder.write(this.#isBigEndian ? units.swap16() : units));
  }

  end(): Piece {
    const { utf8, badAt } = this.#piece(this.#decoder.end());
    return { utf8, badAt: badAt ?? (this.#odd.length === 0 ? undefined : utf8.length) };
  }

  #piece(text: string): Piece {
    // Half of a surrogate pair, alone.
    return pieceOf(text, text.search(/\p{Surrogate}/u));
  }
}

/** A line that is longer is no line of a table, and is decoded in parts. */
const LONGEST_LINE = 16 << 20;

/**
 * Encodings of one to four bytes a character. What they cannot mean comes out as a replacement, which they cannot hold. No
 * character holds a line break: whole lines are decoded, because the library loses characters that are cut in two.
 */
class Legacy implements Decoder {
  readonly #encoding: Encoding;
  #rest: Buffer = NOTHING;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  write(bytes: Buffer): Piece {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lineEnd = Math.max(all.lastIndexOf(LF), all.lastIndexOf(CR)) + 1;
    const end = all.length - lineEnd > LONGEST_LINE ? all.length : lineEnd;
    this.#rest = all.subarray(end);
    return this.#piece(all.subarray(0, end));
  }

  end(): Piece {
    return this.#piece(this.#rest);
  }

  #piece(bytes: Buffer): Piece {
    const text = iconv.decode(bytes, this.#encoding, { stripBOM: false });
    return pieceOf(text, text.indexOf('\ufffd'));
  }
}

/** `badAt` is an index of the text, or -1. */
function pieceOf(text: string, badAt: number): Piece {
  return { utf8: Buffer.from(text), badAt: badAt === -1 ? undefined : Buffer.byteLength(text.slice(0, badAt)) };
}

const LF = 10;
const CR = 13;

/** Line and column of the next character, counted from 1; a line ends with LF, CR or both. */
class Place {
  line = 1;
  column = 1;
  #last = 0;

  advance(utf8: Buffer): void {
    if (utf8.length === 0) return;
    let { line } = this;
    let last = this.#last;
    // Every byte of a large file comes by here: a line's characters are counted only where a piece ends in it.
    for (let at = 0; at < utf8.length; at++) {
      const byte = utf8[at] as number;
      if (byte <= CR && (byte === CR || (byte === LF && last !== CR))) line++;
      last = byte;
    }
    this.line = line;
    this.#last = last;
    const lineBegins = Math.max(utf8.lastIndexOf(LF), utf8.lastIndexOf(CR)) + 1;
    if (lineBegins > 0) this.column = 1;
    for (let at = lineBegins; at < utf8.length; at++) if (!isContinuation(utf8[at] as number)) this.column++;
  }
}

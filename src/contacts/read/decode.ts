/** The bytes of a table in any supported encoding → the same text as UTF-8. A byte that is not text is an error. */
import { InputError } from '../../errors.ts';
import { decoderOf, isContinuation, type Piece } from './decoders.ts';
import type { Encoding } from './encodings.ts';
import { endOfLines, gather, linesEndedIn } from './lines.ts';

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
    MARKS.find(([, bytesOfMark]) => first.subarray(0, bytesOfMark.length).equals(bytesOfMark)) ?? [];
  const encoding = marked ?? asked ?? 'utf-8';
  if (encoding === 'utf-8') requireText(first, source, asked !== undefined);
  const isAsked = marked === undefined && asked !== undefined;
  const decoder = decoderOf(encoding);
  const position = new Position();
  const check = (piece: Piece): Buffer => {
    if (piece.badAt !== undefined) {
      position.advance(piece.utf8.subarray(0, piece.badAt));
      throw badEncoding(source, encoding, position, isAsked);
    }
    position.advance(piece.utf8);
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
      // Ends a writer into a pipe when the reader has given up.
      await chunks.return?.();
    }
  }
  return { encoding, isMarked: marked !== undefined, pieces: pieces() };
}

/** How files of other kinds begin. */
const OTHER_FILES: readonly [Buffer, string][] = [
  [Buffer.from('PK\x03\x04'), 'an Excel workbook or a zip file'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'an old Excel workbook'],
  [Buffer.from('%PDF'), 'a PDF'],
];

/** Throws InputError if the file is of another kind, or UTF-16 without a byte order mark. */
function requireText(first: Buffer, source: string, isAsked: boolean): void {
  const [, kind] = OTHER_FILES.find(([start]) => first.subarray(0, start.length).equals(start)) ?? [];
  if (kind !== undefined) {
    throw new InputError(`${source} is ${kind}, not a CSV.`, { code: 'bad_encoding', hint: 'Save it as CSV UTF-8.' });
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

function badEncoding(source: string, encoding: Encoding, { line, column }: Position, isAsked: boolean): InputError {
  const guess = encoding === 'windows-1252' ? 'utf-8' : 'windows-1252';
  const name = encoding.replace('utf', 'UTF');
  const what = `column ${column} is not a character of ${name}`;
  return new InputError(`${source} is not ${name}: line ${line}, ${what}.`, {
    code: 'bad_encoding',
    reason: { kind: 'other_encoding', isChosen: isAsked, guess },
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

/** Bytes in one encoding → UTF-8, a piece at a time, with the place of the first byte that is not text. */
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import iconv from 'iconv-lite';
import type { Encoding } from './encodings.ts';
import { WholeLines } from './lines.ts';

export interface Piece {
  utf8: Buffer;
  /** The index of the first byte that is not text; everything before it is valid. */
  badAt?: number | undefined;
}

export interface Decoder {
  write(bytes: Buffer): Piece;
  end(): Piece;
}

export function decoderOf(encoding: Encoding): Decoder {
  if (encoding === 'utf-8') return new Utf8();
  return encoding.startsWith('utf-16') ? new Utf16(encoding === 'utf-16be') : new Legacy(encoding);
}

const NOTHING = Buffer.alloc(0);

/** UTF-8 is only checked, not changed. */
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

export const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

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
    // A lone half of a surrogate pair is not a character.
    return pieceOf(text, text.search(/\p{Surrogate}/u));
  }
}

/**
 * Encodings of one to four bytes a character. Invalid bytes become the replacement character, which these encodings do not
 * have. No character contains a line break, so whole lines are decoded: the library loses characters that are cut in two.
 */
class Legacy implements Decoder {
  readonly #encoding: Encoding;
  readonly #lines = new WholeLines();

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  write(bytes: Buffer): Piece {
    return this.#piece(this.#lines.add(bytes));
  }

  end(): Piece {
    return this.#piece(this.#lines.rest());
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

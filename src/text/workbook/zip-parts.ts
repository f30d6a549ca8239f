/** The parts of a zip file: the folder and the compressed parts of a workbook. Everything is held against its checksum. */
import { crc32, createInflateRaw } from 'node:zlib';
import { InputError } from '../../errors.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** Bytes of each of these records before its texts. */
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;
/** What stands for a number that does not fit; it then follows, with 64 bits, in the field of this id. */
const ELSEWHERE = 0xffffffff;
const LARGE = 1;

const STORED = 0;
const DEFLATED = 8;

interface Part {
  method: number;
  isEncrypted: boolean;
  crc: number;
  compressed: number;
  size: number;
  offset: number;
}

/** The error of a workbook that cannot be read; `what` completes a sentence about the file, and may name what is in it. */
export function badWorkbook(
  source: string,
  what: string,
  hint = 'Open it in a spreadsheet and save it again.',
): InputError {
  return new InputError(`${source} ${what.replace(/\s/g, ' ')}.`, { code: 'bad_workbook', hint });
}

export class ZipParts {
  readonly #bytes: Buffer;
  readonly #source: string;
  readonly #parts = new Map<string, Part>();

  /** `source` is the file's name, for messages. Throws InputError if this is no zip file, or it is cut off. */
  constructor(bytes: Buffer, source: string) {
    this.#bytes = bytes;
    this.#source = source;
    try {
      this.#list();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw this.#damaged(error);
    }
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** The content of a part, some at a time. Throws InputError if it is damaged, or larger than `limit` bytes. */
  async *content(name: string, limit: number): AsyncGenerator<Buffer> {
    const part = this.#parts.get(name);
    if (part === undefined) throw badWorkbook(this.#source, `is damaged: its part ${name} is missing`);
    const { method, isEncrypted, crc, size } = part;
    if (isEncrypted) throw badWorkbook(this.#source, 'is encrypted', 'Save it without a password.');
    if (size > limit) throw this.#tooLarge(name, limit);
    if (method !== STORED && method !== DEFLATED) throw this.#damaged();
    let read = 0;
    let sum = 0;
    for await (const piece of this.#inflated(part)) {
      read += piece.length;
      // What a file says of its own size may be wrong: then nothing else of it is believed.
      if (read > size) throw read > limit ? this.#tooLarge(name, limit) : this.#damaged();
      sum = crc32(piece, sum);
      yield piece;
    }
    if (read !== size || sum !== crc) throw this.#damaged();
  }

  async *#inflated(part: Part): AsyncGenerator<Buffer> {
    const data = this.#dataOf(part);
    if (part.method === STORED) return yield data;
    const inflate = createInflateRaw({ chunkSize: 1 << 16 });
    inflate.end(data);
    try {
      yield* inflate as AsyncIterable<Buffer>;
    } catch (error) {
      throw error instanceof InputError ? error : this.#damaged(error);
    } finally {
      inflate.destroy();
    }
  }

  #dataOf({ offset, compressed }: Part): Buffer {
    try {
      if (this.#bytes.readUInt32LE(offset) !== LOCAL) throw new RangeError('no part begins here');
      const texts = this.#bytes.readUInt16LE(offset + 26) + this.#bytes.readUInt16LE(offset + 28);
      const begin = offset + LOCAL_SIZE + texts;
      if (begin + compressed > this.#bytes.length) throw new RangeError('the part is cut off');
      return this.#bytes.subarray(begin, begin + compressed);
    } catch (error) {
      throw this.#damaged(error);
    }
  }

  /** Throws RangeError where the bytes end too early. */
  #list(): void {
    const bytes = this.#bytes;
    const end = bytes.lastIndexOf(uint32(END));
    if (end === -1) throw new RangeError('the folder of the parts is missing');
    let at = bytes.readUInt32LE(end + 16);
    const count = bytes.readUInt16LE(end + 10);
    if (bytes.length < end + END_SIZE) throw new RangeError('the folder of the parts is cut off');
    for (let entry = 0; entry < count; entry++) {
      if (bytes.readUInt32LE(at) !== ENTRY) throw new RangeError('the folder of the parts is damaged');
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
      const nameEnd = at + ENTRY_SIZE + (nameLength as number);
      const extra = bytes.subarray(nameEnd, nameEnd + (extraLength as number));
      const name = bytes.toString('utf8', at + ENTRY_SIZE, nameEnd).replaceAll('\\', '/');
      // Two parts of one name: programs differ in which they read.
      if (this.#parts.has(name)) throw new RangeError('a part stands there twice');
      const large = largeNumbers(extra);
      const [size, compressed, offset] = [24, 20, 42].map((field) => {
        const number = bytes.readUInt32LE(at + field);
        return number === ELSEWHERE ? (large.shift() ?? number) : number;
      }) as [number, number, number];
      this.#parts.set(name, {
        ...{ method: bytes.readUInt16LE(at + 10), isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1 },
        ...{ crc: bytes.readUInt32LE(at + 16), size, compressed, offset },
      });
      at = nameEnd + (extraLength as number) + (commentLength as number);
    }
  }

  #damaged(cause?: unknown): InputError {
    const error = badWorkbook(this.#source, 'is a damaged workbook: it is cut off, or was changed');
    error.cause = cause;
    return error;
  }

  #tooLarge(name: string, limit: number): InputError {
    const what = `holds more than ${limit >> 20} MB in its part ${name}, which no list of contacts does`;
    return badWorkbook(this.#source, what, 'Save the sheet as CSV UTF-8.');
  }
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

/** The numbers of an entry that do not fit, in their order. */
function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    const field = extra.subarray(at + 4, at + 4 + length);
    if (extra.readUInt16LE(at) === LARGE) {
      return Array.from({ length: Math.floor(field.length / 8) }, (_, index) =>
        Number(field.readBigUInt64LE(index * 8)),
      );
    }
    at += 4 + length;
  }
  return [];
}

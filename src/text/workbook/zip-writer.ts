/** Writes a zip file a piece at a time: nothing of it stands in memory but the list of its parts. */
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

const LOCAL = 0x04034b50;
const SIZES = 0x08074b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** The sizes follow the part; its name is UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1 January 1980: the same content is always the same file. */
const DATE = 0x21;
/** Beyond this a spreadsheet's texts take longer to compress than they become smaller. */
const LEVEL = 4;

export interface NewPart {
  name: string;
  content: AsyncIterable<string> | Iterable<string>;
}

export async function* zipped(parts: AsyncIterable<NewPart>): AsyncGenerator<Buffer, void> {
  const entries: Buffer[] = [];
  let offset = 0;
  for await (const { name, content } of parts) {
    const at = offset;
    const path = Buffer.from(name);
    const local = numbers(LOCAL, [VERSION, FLAGS, DEFLATED, 0, DATE], [0, 0, 0], [path.length, 0]);
    yield Buffer.concat([local, path]);
    const read = { crc: 0, size: 0 };
    let packed = 0;
    for await (const piece of deflated(content, read)) {
      packed += piece.length;
      yield piece;
    }
    const sizes = [read.crc, packed, read.size];
    yield numbers(SIZES, [], sizes);
    offset += local.length + path.length + packed + 16;
    entries.push(
      numbers(ENTRY, [VERSION, VERSION, FLAGS, DEFLATED, 0, DATE], sizes, [path.length, 0, 0, 0, 0], [0, at]),
      path,
    );
  }
  const folder = Buffer.concat(entries);
  const count = entries.length / 2;
  yield Buffer.concat([folder, numbers(END, [0, 0, count, count], [folder.length, offset], [0])]);
}

/** `read` counts what went in. */
function deflated(content: NewPart['content'], read: { crc: number; size: number }): AsyncIterable<Buffer> {
  async function* bytes() {
    for await (const text of content) {
      const piece = Buffer.from(text);
      read.crc = crc32(piece, read.crc);
      read.size += piece.length;
      yield piece;
    }
  }
  const source = Readable.from(bytes(), { objectMode: false });
  const deflate = createDeflateRaw({ level: LEVEL, chunkSize: 1 << 16 });
  source.on('error', (error) => deflate.destroy(error));
  deflate.on('close', () => source.destroy());
  return source.pipe(deflate);
}

/** A signature, then numbers of 16, 32, 16 and 32 bits. */
export function numbers(
  signature: number,
  shorts: number[],
  longs: number[],
  more: number[] = [],
  last: number[] = [],
): Buffer {
  const bytes = Buffer.alloc(4 + 2 * (shorts.length + more.length) + 4 * (longs.length + last.length));
  let at = bytes.writeUInt32LE(signature);
  for (const number of shorts) at = bytes.writeUInt16LE(number, at);
  for (const number of longs) at = bytes.writeUInt32LE(number, at);
  for (const number of more) at = bytes.writeUInt16LE(number, at);
  for (const number of last) at = bytes.writeUInt32LE(number, at);
  return bytes;
}

/** Zip files for tests, made with what writes those of the source, and read without it, by the format's own description. */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { numbers } from '../../src/text/workbook/zip-writer.ts';

/** What is wrong with a part on purpose. */
interface Damage {
  flags?: number;
  /** The size that the folder claims. */
  size?: number;
  crc?: number;
}

export function zipOf(parts: Record<string, string | Buffer>, damage: Record<string, Damage> = {}): Buffer {
  const pieces: Buffer[] = [];
  const folder: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const { flags = 0, size = data.length, crc = crc32(data) } = damage[name] ?? {};
    const sizes = [crc, packed.length, size];
    const local = numbers(0x04034b50, [20, flags, 8, 0, 0], sizes, [name.length, 0]);
    folder.push(
      numbers(0x02014b50, [20, 20, flags, 8, 0, 0], sizes, [name.length, 0, 0, 0, 0], [0, offset]),
      Buffer.from(name),
    );
    pieces.push(local, Buffer.from(name), packed);
    offset += local.length + name.length + packed.length;
  }
  const entries = Buffer.concat(folder);
  const count = Object.keys(parts).length;
  const end = numbers(0x06054b50, [0, 0, count, count], [entries.length, offset], [0]);
  return Buffer.concat([...pieces, entries, end]);
}

/** The parts of a zip file, as texts, with every checksum held against its content. */
export function partsOf(zip: Buffer): Record<string, string> {
  const parts: Record<string, string> = {};
  const end = zip.length - 22;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [method, crc, packed, size] = [
      zip.readUInt16LE(at + 10),
      ...[16, 20, 24].map((field) => zip.readUInt32LE(at + field)),
    ] as [number, number, number, number];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const offset = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const begin = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    const data = zip.subarray(begin, begin + packed);
    const content = method === 8 ? inflateRawSync(data) : data;
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`);
    parts[name] = content.toString();
    at += 46 + nameLength + extra + comment;
  }
  return parts;
}

/**
 * The phones that a campaign calls, beside its kept contacts and computed from them: sorted numbers, so that comparing a
 * million contacts takes no longer than reading them. The file only saves time: it is sealed, and is written anew if the seal
 * does not match this register and this version's rules.
 */
import { createHash } from 'node:crypto';
import { readFully, writeFully } from '../files/bytes.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { createOwn, openToRead } from '../files/open.ts';

import { PHONE_KEY_RULES } from '../text/phone.ts';
import type { Called } from './called.ts';

const SEAL_BYTES = 32;

/** Reused for one campaign after the other: ten such buffers would take as much memory as everything else. */
let scratch = new ArrayBuffer(0);

export function keepPhones(fs: FileSystem, path: string, called: Called): void {
  quietly(() => {
    const fd = createOwn(fs, path);
    try {
      writeFully(fs, fd, seal(called), 0);
      writeFully(fs, fd, bytesOf(called.phones), SEAL_BYTES);
    } finally {
      fs.closeSync(fd);
    }
  });
}

/**
 * The phones of the contacts whose numbers have this hash; the array is reused by the next read. Undefined if the file does not
 * hold them.
 */
export function readKeptPhones(fs: FileSystem, path: string, numbersSha256: string): Float64Array | undefined {
  try {
    const fd = openToRead(fs, path);
    try {
      const { size } = fs.fstatSync(fd);
      if (scratch.byteLength < size) scratch = new ArrayBuffer(size);
      const bytes = new Uint8Array(scratch, 0, size);
      if (readFully(fs, fd, bytes, 0) < size) return undefined;
      const phones = new Float64Array(scratch, SEAL_BYTES, (size - SEAL_BYTES) / Float64Array.BYTES_PER_ELEMENT);
      return seal({ numbersSha256, phones }).equals(bytes.subarray(0, SEAL_BYTES)) ? phones : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function seal({ numbersSha256, phones }: Called): Buffer {
  return createHash('sha256').update(`${PHONE_KEY_RULES}\n${numbersSha256}\n`).update(bytesOf(phones)).digest();
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

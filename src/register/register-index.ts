/**
 * What the guards need of a long register, kept in a file beside it, so that a call costs the same after a million calls. The
 * index can be deleted at any time, and is ignored if it does not match the register.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { openToRead, readText } from '../files/open.ts';
import { replaceFile } from '../files/replace.ts';
import { PHONE_KEY_RULES } from '../text/phone.ts';
import type { LedgerState } from './ledger.ts';

/** The version of the index's content and of its keys: an index of another version is ignored. */
const VERSION = `5 ${PHONE_KEY_RULES}`;
/** The bytes before the end of the indexed part whose hash shows that the index belongs to this register. */
const MARK_BYTES = 1024;

/** Whole lines, from the beginning of the register. */
export interface Extent {
  bytes: number;
  lines: number;
}

export interface Indexed {
  ledger: LedgerState;
  /** The part of the register that it covers. */
  extent: Extent;
}

export class RegisterIndex {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #register: string;

  /** `register` is the path of the register. */
  constructor(fs: FileSystem, folder: string, register: string) {
    this.#fs = fs;
    this.#path = join(folder, 'register.index');
    this.#register = register;
  }

  read(): Indexed | undefined {
    try {
      const { version, mark, ledger, extent } = JSON.parse(readText(this.#fs, this.#path));
      return version === VERSION && mark === this.#markAt(extent.bytes) ? { ledger, extent } : undefined;
    } catch {
      // Absent, damaged or of another register: the whole register can be read instead.
      return undefined;
    }
  }

  /** Throws system errors: what it says must not stay when the register is written anew. */
  remove(): void {
    this.#fs.rmSync(this.#path, { force: true });
  }

  write({ ledger, extent }: Indexed): void {
    // The index only saves time.
    quietly(() => {
      const index = { version: VERSION, mark: this.#markAt(extent.bytes), extent, ledger };
      replaceFile(this.#fs, this.#path, JSON.stringify(index));
    });
  }

  /** A hash of the register's bytes before an offset. */
  #markAt(end: number): string {
    const bytes = Buffer.alloc(Math.min(MARK_BYTES, end));
    const fd = openToRead(this.#fs, this.#register);
    try {
      const read = this.#fs.readSync(fd, bytes, 0, bytes.length, end - bytes.length);
      return createHash('sha256').update(bytes.subarray(0, read)).digest('hex');
    } finally {
      this.#fs.closeSync(fd);
    }
  }
}

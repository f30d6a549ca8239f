/** Appending to a file through a buffer. Throws system errors, and FileErrors. */
import { constants } from 'node:fs';
import { FileError } from '../../errors.ts';
import { createOwn, type FileSystem, openOrdinary, quietly, writeFully } from './file-system.ts';

const { O_RDWR } = constants;

/** Size of the buffer: large enough that the system calls cost little, small enough for any machine. */
const BUFFER_BYTES = 1 << 20;
/** A character of a string takes at most three bytes of UTF-8. */
const BYTES_A_CHARACTER = 3;

/**
 * Appends to a file of which only the first `committed` bytes count: what follows them was never committed and is cut off, and
 * if `committed` is 0, the file is created anew. Nothing is durable before `finish`.
 */
export class Appender {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #fd: number;
  #written: number;
  /** Lines are encoded one by one: joining them first would copy them twice. */
  #buffer: Buffer | undefined;
  #filled = 0;
  #isOpen = true;

  /** `isKept`: an existing file stays in place, even if none of its content is kept. */
  constructor(fs: FileSystem, path: string, committed: number, isKept = committed > 0) {
    this.#fs = fs;
    this.#path = path;
    this.#written = committed;
    this.#fd = isKept ? openOrdinary(fs, path, O_RDWR) : createOwn(fs, path);
    try {
      const { size } = fs.fstatSync(this.#fd);
      if (size < committed) throw new FileError(`${path} is damaged: ${size} bytes, but ${committed} were committed.`);
      if (size > committed) fs.ftruncateSync(this.#fd, committed);
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  append(line: string | Uint8Array): void {
    if (typeof line !== 'string') {
      this.flush();
      return void this.#write(line);
    }
    const room = line.length * BYTES_A_CHARACTER;
    if (this.#filled + room > BUFFER_BYTES) this.flush();
    if (room > BUFFER_BYTES) return void this.#write(Buffer.from(line));
    this.#buffer ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#filled += this.#buffer.write(line, this.#filled, 'utf8');
  }

  /** Passes the buffer to the system, so that readers of the file see it; returns the file's size in bytes. */
  flush(): number {
    const bytes = this.#buffer?.subarray(0, this.#filled);
    this.#filled = 0;
    if (bytes !== undefined && bytes.length > 0) this.#write(bytes);
    return this.#written;
  }

  /** Makes everything durable, closes the file and returns its size in bytes. */
  finish(): number {
    try {
      this.flush();
      const { size } = this.#fs.fstatSync(this.#fd);
      if (size !== this.#written) throw new FileError(`${this.#path} was not written in full.`);
      this.#fs.fsyncSync(this.#fd);
      return size;
    } finally {
      this.#close();
    }
  }

  /** Closes the file without keeping anything: what was written stays after the committed length. */
  abandon(): void {
    quietly(() => this.#close());
  }

  #write(bytes: Uint8Array): void {
    writeFully(this.#fs, this.#fd, bytes, this.#written);
    this.#written += bytes.length;
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#buffer = undefined;
    this.#fs.closeSync(this.#fd);
  }
}

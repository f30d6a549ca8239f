/** Reading lines in order from a byte offset, a chunk at a time. */
import { type FileSystem, quietly } from '../files.ts';
import { damaged } from './root.ts';

const CHUNK_BYTES = 1 << 18;
const NEWLINE = 0x0a;

export class LineReader {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #fd: number;
  /** How many bytes of the file exist. */
  #end: number;
  /** Whole lines, decoded at once: many times faster than one by one. They stand in the file from `#textStart` on. */
  #text = '';
  #textStart: number;
  #textBytes = 0;
  /** Where the next line starts in `#text`, and where its newline is; -1 where that is not known yet. */
  #at = 0;
  #newline = -1;
  /** Where chunks are read into: one for all of them. */
  #buffer: Buffer = Buffer.alloc(0);

  constructor(fs: FileSystem, path: string, position: number, end: number) {
    this.#fs = fs;
    this.#path = path;
    this.#fd = fs.openSync(path, 'r');
    this.#textStart = position;
    this.#end = end;
  }

  /** Byte offset in the file of the first line that was not taken. */
  get position(): number {
    return this.#textStart + Buffer.byteLength(this.#text.slice(0, this.#at));
  }

  /** From now on the file is longer. */
  extend(end: number): void {
    this.#end = end;
  }

  /** The next line without its newline, or undefined at the end. It stays the next one until it is taken. */
  next(): string | undefined {
    if (this.#newline === -1) {
      if (this.#at === this.#text.length && !this.#readChunk()) return undefined;
      this.#newline = this.#text.indexOf('\n', this.#at);
    }
    return this.#text.slice(this.#at, this.#newline);
  }

  take(): void {
    this.#at = this.#newline + 1;
    this.#newline = -1;
  }

  close(): void {
    quietly(() => this.#fs.closeSync(this.#fd));
  }

  /** Reads as many whole lines as fit into a chunk, and at least one; false at the end. */
  #readChunk(): boolean {
    this.#textStart += this.#textBytes;
    this.#text = '';
    this.#textBytes = 0;
    this.#at = 0;
    const left = this.#end - this.#textStart;
    if (left === 0) return false;
    for (let wanted = Math.min(CHUNK_BYTES, left); ; wanted = Math.min(wanted * 2, left)) {
      const chunk = this.#read(wanted);
      const lastNewline = chunk.lastIndexOf(NEWLINE);
      if (lastNewline !== -1) {
        this.#textBytes = lastNewline + 1;
        this.#text = chunk.toString('utf8', 0, this.#textBytes);
        return true;
      }
      if (wanted === left) throw damaged(`${this.#path} ends within a line`);
    }
  }

  #read(length: number): Buffer {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(length);
    const chunk = this.#buffer.subarray(0, length);
    for (let done = 0; done < length; ) {
      const read = this.#fs.readSync(this.#fd, chunk, done, length - done, this.#textStart + done);
      if (read === 0)
        throw damaged(`${this.#path} has ${this.#textStart + done} bytes, where ${this.#end} were committed`);
      done += read;
    }
    return chunk;
  }
}

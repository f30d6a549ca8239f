/** Keeps transcripts on disk until it is known which of them are wanted, so that they need not fit into memory. */
import type { CallLogEntry } from '../contract.ts';
import { Appender } from '../files/appender.ts';
import { readFully } from '../files/bytes.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { openToRead } from '../files/open.ts';
import { markOf } from '../paging/identity.ts';
import { plainText } from '../text/csv.ts';

export class Transcripts {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #file: Appender;
  /** By the mark of the entry: where its transcript begins in the file, and how long it is, in bytes. */
  readonly #places = new Map<string, { start: number; bytes: number }>();
  #size = 0;
  #fd: number | undefined;

  /** Replaces a file that exists at `path`. */
  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#file = new Appender(fs, path, 0);
  }

  /** The last one that is kept of an entry counts. */
  keep(call: CallLogEntry): void {
    const text = plainText(call.transcript);
    const mark = markOf(call);
    if (text === '') {
      this.#places.delete(mark);
      return;
    }
    const bytes = Buffer.byteLength(text);
    this.#places.set(mark, { start: this.#size, bytes });
    this.#size += bytes;
    this.#file.append(text);
  }

  /** Null if there is none. Throws system errors. */
  of(mark: string): string | null {
    const place = this.#places.get(mark);
    if (place === undefined) return null;
    if (this.#fd === undefined) {
      this.#file.flush();
      this.#fd = openToRead(this.#fs, this.#path);
    }
    const text = Buffer.allocUnsafe(place.bytes);
    return text.toString('utf8', 0, readFully(this.#fs, this.#fd, text, place.start));
  }

  /** Closes and removes the file. */
  remove(): void {
    const fd = this.#fd;
    if (fd !== undefined) quietly(() => this.#fs.closeSync(fd));
    this.#file.abandon();
    quietly(() => this.#fs.rmSync(this.#path, { force: true }));
  }
}

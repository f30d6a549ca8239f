/** Texts that are kept on disk while a command runs, because they need not fit into memory. Throws system errors. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Appender } from './appender.ts';
import { type FileSystem, openToRead, quietly, readFully, withFileErrors } from './file-system.ts';

/** Where a text begins in the file, and how long it is, in bytes. */
export interface TextPlace {
  start: number;
  bytes: number;
}

export class KeptTexts {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #file: Appender;
  #size = 0;
  #fd: number | undefined;

  /** Replaces a file that exists at `path`. */
  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#file = new Appender(fs, path, 0);
  }

  add(text: string): TextPlace {
    const place = { start: this.#size, bytes: Buffer.byteLength(text) };
    this.#size += place.bytes;
    this.#file.append(text);
    return place;
  }

  /** A text that was added before the first one is read. */
  at({ start, bytes }: TextPlace): string {
    if (this.#fd === undefined) {
      this.#file.flush();
      this.#fd = openToRead(this.#fs, this.#path);
    }
    const text = Buffer.allocUnsafe(bytes);
    return text.toString('utf8', 0, readFully(this.#fs, this.#fd, text, start));
  }

  /** Closes and removes the file. */
  remove(): void {
    const fd = this.#fd;
    if (fd !== undefined) quietly(() => this.#fs.closeSync(fd));
    this.#file.abandon();
    quietly(() => this.#fs.rmSync(this.#path, { force: true }));
  }
}

/** Throws FileError. */
export function temporaryFolder() {
  const parent = tmpdir();
  const folder = withFileErrors('write', parent, () => mkdtempSync(join(parent, 'vagent-')));
  return {
    file: (name: string) => join(folder, name),
    remove: () => quietly(() => rmSync(folder, { recursive: true, force: true })),
  };
}

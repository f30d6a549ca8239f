/**
 * The register and the plans as an earlier vagent kept them: files, in a folder, or in tables through which several machines shared them.
 * Paths are relative, with `/`. Throws FileErrors.
 */
import { FileError } from '../../errors.ts';

export interface OldFiles {
  /** What a folder holds; the uppermost is the empty text. */
  names(folder: string): Promise<ReadonlySet<string>>;
  /** The lines of a file, many at a time, each with its line break; the last may lack it. */
  lines(path: string): AsyncIterable<string[]>;
  bytes(path: string): Promise<Uint8Array>;
  /** A file as messages name it. */
  nameOf(path: string): string;
}

/** The whole of a small file. */
export async function textOf(old: OldFiles, path: string): Promise<string> {
  return Buffer.from(await old.bytes(path)).toString();
}

/** What today's rows would be read as; undefined if they could not be. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

const PUT_BACK = 'Put the file back as it was. Nothing was brought over, and nobody is called until then.';

/** `what` is a sentence that names the file, without its full stop. */
export function damagedRegister(what: string, hint = PUT_BACK): FileError {
  return new FileError(`${what}.`, { code: 'register_damaged', hint });
}

/** The whole lines of bytes, each with its line break, and what follows them. */
export function linesIn(text: string): { lines: string[]; rest: string } {
  const lines: string[] = [];
  let from = 0;
  for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', from) + 1) {
    lines.push(text.slice(from, end));
    from = end;
  }
  return { lines, rest: text.slice(from) };
}

/** Lines one by one, for who reads two files side by side. */
export class LineCursor {
  readonly #pages: AsyncIterator<string[]>;
  #page: string[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<string[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async next(): Promise<string | undefined> {
    while (this.#at === this.#page.length) {
      const { done, value } = await this.#pages.next();
      if (done) return undefined;
      this.#page = value;
      this.#at = 0;
    }
    return this.#page[this.#at++];
  }
}

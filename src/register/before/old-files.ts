/**
 * The register and the plans as an earlier vagent kept them: files, in a folder, or in the tables through which several
 * machines shared them. Paths are relative, with `/`. Throws FileErrors.
 */
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import { fileError, openToRead, systemFiles, withFileErrors } from '../../storage/files/file-system.ts';

export interface OldFiles {
  /** What a folder holds; the uppermost is the empty text. */
  names(folder: string): Promise<ReadonlySet<string>>;
  /** The content of a file, in pieces. */
  pieces(path: string): AsyncIterable<Uint8Array>;
  /** A file as messages name it. */
  nameOf(path: string): string;
}

/** The lines of a file, each with its line break; the last may lack it. */
export async function* linesOf(old: OldFiles, path: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let left = '';
  for await (const piece of old.pieces(path)) {
    const lines = `${left}${decoder.decode(piece, { stream: true })}`.split('\n');
    left = lines.pop() ?? '';
    for (const line of lines) yield `${line}\n`;
  }
  left += decoder.decode();
  if (left !== '') yield left;
}

export async function bytesOf(old: OldFiles, path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of old.pieces(path)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Old files in a folder of this machine. */
export function oldFolder(folder: string): OldFiles {
  const nameOf = (path: string) => join(folder, path);
  return {
    nameOf,
    names: async (path) => withFileErrors('read', nameOf(path), () => namesIn(nameOf(path))),
    async *pieces(path) {
      try {
        yield* createReadStream('', { fd: openToRead(systemFiles, nameOf(path)) });
      } catch (error) {
        throw fileError(error, 'read', nameOf(path));
      }
    },
  };
}

/** None where there is no such folder. Throws system errors. */
export function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return new Set();
  }
}

const PUT_BACK = 'Put the file back as it was. Nothing was brought over, and nobody is called until then.';

/** `what` is a sentence that names the file, without its full stop. */
export function damagedRegister(what: string, hint = PUT_BACK): FileError {
  return new FileError(`${what}.`, { code: 'register_damaged', hint });
}

const AT_ONCE = 5_000;

/** So many at a time as are added together. */
export async function* inPages<T>(all: AsyncIterable<T>): AsyncGenerator<T[], void> {
  let page: T[] = [];
  for await (const one of all) {
    if (page.push(one) < AT_ONCE) continue;
    yield page;
    page = [];
  }
  yield page;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

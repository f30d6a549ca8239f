/**
 * The register and the plans as an earlier vagent kept them: files, in a folder, or in tables through which several
 * machines shared them. Paths are relative, with `/`. Throws FileErrors.
 */
import { E164 } from '../../contract.ts';
import { FileError } from '../../errors.ts';
import { phoneKeyOfNumber } from '../../text/phone.ts';

export interface OldFiles {
  /** What a folder holds; the uppermost is the empty text. */
  names(folder: string): Promise<ReadonlySet<string>>;
  /** The lines of a file, each with its line break; the last may lack it. */
  lines(path: string): AsyncGenerator<string, void>;
  bytes(path: string): Promise<Uint8Array>;
  /** A file as messages name it. */
  nameOf(path: string): string;
}

/** The whole of a small file. */
export async function textOf(old: OldFiles, path: string): Promise<string> {
  return Buffer.from(await old.bytes(path)).toString();
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

/** The key of a phone. Null if it is no number: of a call that was forgotten, or written by hand. */
export function phoneIn(number: unknown): number | null {
  return typeof number === 'string' && E164.test(number) ? phoneKeyOfNumber(number) : null;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

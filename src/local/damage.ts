/** The errors of stores that cannot be used. */
import { FileError } from '../errors.ts';

/** `damage` completes a sentence about the part that is named before it. */
export function damaged(what: string, { damage = what, cause }: { damage?: string; cause?: unknown } = {}): FileError {
  return new FileError(`The store is damaged: ${what}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_damaged', damage },
    cause,
  });
}

/** The same of one file; `damage` completes a sentence about it. */
export function damagedFile(path: string, damage: string, cause?: unknown): FileError {
  return damaged(`${path} ${damage}`, { damage, cause });
}

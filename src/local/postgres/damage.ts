/** The error of a store over PostgreSQL whose rows do not fit. */
import { FileError } from '../../errors.ts';

export function damaged(what: string): FileError {
  return new FileError(`The store is damaged: ${what}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_damaged', damage: what },
  });
}

export const EMPTY_ENGINE = 'the table engine is empty';

/** Whether a folder can be written, which shows before it has to be. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError } from '../errors.ts';
import { fileError } from '../files/file-error.ts';

/** Checks a folder, or, if it does not exist yet, the folder above it in which it will be created. */
export function requireWritableFolder(folder: string, hint: string): void {
  try {
    let standing = resolve(folder);
    while (statSync(standing, { throwIfNoEntry: false }) === undefined) standing = dirname(standing);
    if (!statSync(standing).isDirectory()) throw new FileError(`${standing} is a file, not a folder.`, { hint });
    accessSync(standing, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw fileError(error, 'write', folder, hint);
  }
}

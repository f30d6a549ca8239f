/** Files that are either complete or absent, even after a power cut. Throws system errors, and FileErrors. */
import { dirname } from 'node:path';
import { FileError } from '../../errors.ts';
import { writeFully } from './bytes.ts';
import type { FileSystem } from './file-system.ts';
import { syncFolder } from './folder.ts';
import { createOwn } from './open.ts';

/** The error code of a write that succeeded but may not survive a power cut. */
export const NOT_DURABLE = 'not_durable';

/** Replaces `path` by a file of this content in one step: even after a power cut it is either the old file or the new one. */
export function replaceFile(fs: FileSystem, path: string, content: string | Uint8Array): void {
  const beside = `${path}.new`;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const fd = createOwn(fs, beside);
  try {
    writeFully(fs, fd, bytes, 0);
    if (fs.fstatSync(fd).size !== bytes.length) throw new FileError(`${beside} was not written in full.`);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(beside, path);
  try {
    syncFolder(fs, dirname(path));
  } catch (error) {
    throw new FileError(`${path} was written, but it may not outlast a power cut.`, {
      code: NOT_DURABLE,
      hint: 'The change is made: do not repeat it. Look at the disk.',
      cause: error,
    });
  }
}

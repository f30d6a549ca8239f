/** What survives a power cut: names in folders, which only their owner can enter, and files that are complete or absent. */
import { dirname, resolve } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import { createOwn, type FileSystem, NOT_MADE, writeFully } from './file-system.ts';

const PRIVATE = 0o700;

/** Makes the names in a folder durable. */
export function syncFolder(fs: FileSystem, folder: string): void {
  // Windows cannot open a folder, and makes renames durable by itself.
  if (process.platform === 'win32') return;
  const fd = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Creates a folder that only its owner can enter, with its parents, and makes their names durable. */
export function makePrivateFolder(fs: FileSystem, folder: string): void {
  const path = resolve(folder);
  try {
    fs.mkdirSync(path, PRIVATE);
  } catch (error) {
    const code = systemCode(error);
    // With `recursive`, this fails only if something other than a folder has that name.
    if (code === 'EEXIST') return void fs.mkdirSync(path, { recursive: true });
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makePrivateFolder(fs, dirname(path));
    makeFolder(fs, path);
  }
  syncFolder(fs, dirname(path));
}

/** Creates one folder in a parent that exists; another process may create it at the same time. */
function makeFolder(fs: FileSystem, path: string): void {
  try {
    fs.mkdirSync(path, PRIVATE);
  } catch (error) {
    const code = systemCode(error);
    // The kernel's own file systems, such as /proc, report it this way.
    if (code === 'ENOENT') throw Object.assign(new Error(`${path} cannot be made`), { code: NOT_MADE });
    if (code !== 'EEXIST') throw error;
  }
}

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

/** Writes what nobody may rely on unless it lasts: then a write that may not is one that failed. `doing` completes the sentence. */
export function requireLasting(doing: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof FileError && error.code === NOT_DURABLE)) throw error;
    throw new FileError(`Cannot ${doing}: it would not outlast a power cut.`, {
      hint: 'The store is as it was before.',
      cause: error,
    });
  }
}

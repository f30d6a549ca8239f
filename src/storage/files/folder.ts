/** Folders that only their owner can enter, and names in them that survive a power cut. Throws system errors. */
import { dirname, resolve } from 'node:path';
import { systemCode } from '../../errors.ts';
import type { FileSystem } from './file-system.ts';

/** The error code of a folder that cannot be created although its parent exists. */
export const NOT_MADE = 'ENOTMADE';
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

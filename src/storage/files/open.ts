/** Opening ordinary files only, whether to read or to write. Throws system errors. */
import { constants } from 'node:fs';
import { systemCode } from '../../errors.ts';
import { type FileSystem, quietly } from './file-system.ts';

/** The error code for a pipe or a device that was opened as a file. */
export const NOT_ORDINARY = 'ENOTFILE';
const PRIVATE = 0o600;

/** Some systems lack these flags, because they have no such links or pipes. */
export const { O_NOFOLLOW = 0 } = constants;
const { O_NONBLOCK = 0, O_RDONLY } = constants;

/** Opens an ordinary file and nothing else: opening a pipe would wait for its other end, and a device may have no end. */
export function openOrdinary(fs: FileSystem, path: string, flags: number): number {
  const fd = fs.openSync(path, flags | O_NONBLOCK, PRIVATE);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return fd;
    throw Object.assign(new Error(`${path} is not an ordinary file`), {
      code: stat.isDirectory() ? 'EISDIR' : NOT_ORDINARY,
    });
  } catch (error) {
    quietly(() => fs.closeSync(fd));
    throw error;
  }
}

export function openToRead(fs: FileSystem, path: string): number {
  return openOrdinary(fs, path, O_RDONLY);
}

/** The whole of an ordinary file, as UTF-8. */
export function readText(fs: FileSystem, path: string): string {
  const fd = openToRead(fs, path);
  try {
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Creates and opens a file in one of the program's own folders. Anything with that name is removed first; for a link, that is
 * the link itself and not its target.
 */
export function createOwn(fs: FileSystem, path: string): number {
  try {
    return fs.openSync(path, 'wx', PRIVATE);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  fs.rmSync(path);
  return fs.openSync(path, 'wx', PRIVATE);
}

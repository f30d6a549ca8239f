/**
 * The system's file functions as a value, so that a test can make any call fail; and what they are used for everywhere: to open
 * ordinary files only, and to read and write all that is asked. Throws system errors.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { systemCode } from '../../errors.ts';

/** The file-system calls used for reading and durable writing. */
export const systemFiles = {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
};

export type FileSystem = typeof systemFiles;

/** Runs a clean-up that nothing depends on, such as closing a file that was only read; a failure is ignored. */
export function quietly(tidy: () => void): void {
  try {
    tidy();
  } catch {
    // The work was finished before.
  }
}

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

/** Fills `into` from `position` on; returns the number of bytes, which is smaller only at the end of the file. */
export function readFully(fs: FileSystem, fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  for (let read = -1; done < into.length && read !== 0; done += read) {
    read = fs.readSync(fd, into, done, into.length - done, position + done);
  }
  return done;
}

/** Writes every byte at `position`. */
export function writeFully(fs: FileSystem, fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

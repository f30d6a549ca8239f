/**
 * The system's file functions as a value, so that a test can make any call fail; and what they are used for everywhere: to open
 * ordinary files only, to read and write all that is asked, and to tell their errors. Throws system errors.
 */
import * as fs from 'node:fs';
import { FileError, type Reason, systemCode, VagentError } from '../../errors.ts';

/** The file-system calls used for reading and durable writing. */
export const systemFiles = {
  closeSync: fs.closeSync,
  fstatSync: fs.fstatSync,
  fsyncSync: fs.fsyncSync,
  ftruncateSync: fs.ftruncateSync,
  lstatSync: fs.lstatSync,
  mkdirSync: fs.mkdirSync,
  openSync: fs.openSync,
  readFileSync: fs.readFileSync,
  readSync: fs.readSync,
  readdirSync: fs.readdirSync,
  renameSync: fs.renameSync,
  rmSync: fs.rmSync,
  statSync: fs.statSync,
  writeSync: fs.writeSync,
};

export type FileSystem = typeof systemFiles;

/** Undefined where `act` fails: a clean-up that nothing depends on, or a look at what need not be there. */
export function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The error code for a pipe or a device that was opened as a file. */
export const NOT_ORDINARY = 'ENOTFILE';
/** The error code of a folder that cannot be created although its parent exists. */
export const NOT_MADE = 'ENOTMADE';
const PRIVATE = 0o600;

/** Some systems lack these flags, because they have no such links or pipes. */
export const { O_NOFOLLOW = 0 } = fs.constants;
const { O_NONBLOCK = 0, O_RDONLY } = fs.constants;

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

const REASONS: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ERR_FS_EISDIR: 'it is a folder, not a file',
  [NOT_ORDINARY]: 'it is not an ordinary file',
  [NOT_MADE]: 'no folder can be made there',
  // The system's codes for a socket, a device without a driver, and a pipe without a reader.
  ENXIO: 'it is not an ordinary file',
  ENODEV: 'it is not an ordinary file',
  ELOOP: 'it is a link, or its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EEXIST: 'something of that name is there already',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open',
  EFBIG: 'it would be larger than is allowed',
};

/**
 * A system error as a sentence: `Cannot read contacts.csv: it does not exist.` Other errors are returned unchanged. `next` is
 * what to do about it, in words or as a reason.
 */
export function fileError(error: unknown, doing: string, path: string, next?: string | Reason): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof VagentError) return error;
  const reason =
    code === 'ENOENT' && doing === 'write' ? 'its folder does not exist' : (REASONS[code] ?? `the system says ${code}`);
  return new FileError(`Cannot ${doing} ${path}: ${reason}.`, {
    cause: error,
    ...(typeof next === 'string' ? { hint: next } : { reason: next }),
  });
}

/** Runs `act` on a file; a system error is thrown as the FileError that `fileError` makes of it. */
export function withFileErrors<T>(doing: string, path: string, act: () => T, next?: string): T {
  try {
    return act();
  } catch (error) {
    throw fileError(error, doing, path, next);
  }
}

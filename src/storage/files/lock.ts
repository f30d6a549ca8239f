/**
 * One writer at a time, by a kernel lock on an open file. The kernel releases it when its holder ends, so no lock can be stale.
 * The content of the lock file is used only for error messages.
 */
import { constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileError, systemCode } from '../../errors.ts';
import { type FileSystem, O_NOFOLLOW, openOrdinary, quietly, readText, withFileErrors } from './file-system.ts';

/** fs-native-extensions, or its addon. If another process holds the lock, the one answers false, and the other throws EAGAIN. */
interface Locks {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): boolean | undefined;
  unlock(fd: number, offset: number, length: number): void;
}

let loaded: Locks | undefined;

/** Loaded when first needed, for reading needs no lock. */
function locks(): Locks {
  loaded ??= load();
  return loaded;
}

/**
 * From the place where the pinned version ships the addon, because the library's own search takes longer than the rest of a
 * command; by that search if it is not there.
 */
function load(): Locks {
  const require = createRequire(import.meta.url);
  const folder = () => dirname(require.resolve('fs-native-extensions/package.json'));
  const file = ['prebuilds', `${process.platform}-${process.arch}`, 'fs-native-extensions.node'];
  return (quietly(() => require(join(folder(), ...file))) ?? require('fs-native-extensions')) as Locks;
}

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  timeoutMs: number;
  /** What this process is doing, for the message that others see. */
  command: string;
  /** The file that the lock guards, for messages; by default the store. */
  file?: string;
  /** Holders remove the lock file before they release it, so by the time it is locked, its name may belong to another file. */
  isRemoved?: true;
}

export interface Lock {
  release(): void;
}

const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 20;

/** Milliseconds between tries, growing, with jitter by process so that waiting processes spread out. */
export function* pauses(): Generator<number, never> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 1.5)) yield pause + (process.pid % 7) / 7;
}

/** After this many tries, the file system seems to give a file a new number at each look, so the locked file is accepted. */
const MOST_TRIES = 1000;

/** Runs `body` while holding the lock at `path`. Throws FileError with the holder's name if the wait is over. */
export async function withLock<T>(
  fs: FileSystem,
  path: string,
  options: LockOptions,
  body: () => Promise<T>,
): Promise<T> {
  const lock = await takeLock(fs, path, options);
  try {
    return await body();
  } finally {
    lock.release();
  }
}

/** Takes the lock at `path`. Throws FileError with the holder's name if the wait is over. */
export async function takeLock(fs: FileSystem, path: string, options: LockOptions): Promise<Lock> {
  // If that fails, there is no file yet that would have to be removed.
  locks();
  // Seconds since the process began.
  const deadline = process.uptime() + options.timeoutMs / 1000;
  for (let tries = 1; ; tries++) {
    const flags = constants.O_RDWR | constants.O_CREAT | O_NOFOLLOW;
    const fd = withFileErrors('lock', path, () => openOrdinary(fs, path, flags));
    try {
      for (const waits = pauses(); !isFree(fd, path); ) {
        if (process.uptime() >= deadline) throw heldBy(fs, path, options);
        await sleep(waits.next().value);
      }
      if (options.isRemoved && tries < MOST_TRIES && !isStillAt(fs, path, fd)) {
        letGo(fs, fd);
        continue;
      }
      writeNote(fs, path, fd, options.command);
      return { release: () => letGo(fs, fd) };
    } catch (error) {
      // The lock was taken but its note could not be written: the file is removed. A FileError means that it is not ours, or
      // not locked.
      if (options.isRemoved && !(error instanceof FileError)) quietly(() => fs.rmSync(path));
      letGo(fs, fd);
      throw error;
    }
  }
}

function heldBy(fs: FileSystem, path: string, { timeoutMs, file }: LockOptions): FileError {
  const waited = timeoutMs === 0 ? '' : `; waited ${timeoutMs / 1000} s`;
  return new FileError(`${file ?? 'The store'} is locked by ${holder(fs, path)}${waited}.`, {
    code: file === undefined ? 'store_locked' : 'file_locked',
    hint: 'Try again when that command is done.',
  });
}

/** Whether the lock was free; then it is held. */
function isFree(fd: number, path: string): boolean {
  const { tryLock } = locks();
  try {
    return tryLock(fd, 0, 0, true) !== false;
  } catch (cause) {
    if (systemCode(cause) === 'EAGAIN') return false;
    throw new FileError(`Cannot lock ${path}: the file system has no locks, or refuses them.`, {
      hint: 'Choose a folder on a disk of this machine.',
      cause,
    });
  }
}

function letGo(fs: FileSystem, fd: number): void {
  quietly(() => locks().unlock(fd, 0, 0));
  quietly(() => fs.closeSync(fd));
}

function isStillAt(fs: FileSystem, path: string, fd: number): boolean {
  const held = fs.fstatSync(fd);
  const named = fs.statSync(path, { throwIfNoEntry: false });
  return named?.ino === held.ino && named.dev === held.dev;
}

/** What a lock file contains; a power cut may leave zeros. */
const NOTE = /^(\{"pid":|\0*$)/;
const NOTE_BYTES = 4096;

/**
 * Writes down the holder. Throws FileError if the file is not a lock file of vagent's, because its content belongs to someone
 * else.
 */
function writeNote(fs: FileSystem, path: string, fd: number, command: string): void {
  const standing = Buffer.alloc(NOTE_BYTES);
  const { size, nlink } = fs.fstatSync(fd);
  const read = size === 0 ? 0 : fs.readSync(fd, standing, 0, NOTE_BYTES, 0);
  if (nlink > 1 || size > NOTE_BYTES || !NOTE.test(standing.toString('latin1', 0, read))) {
    throw new FileError(`Cannot lock ${path}: it is not a lock file of vagent's.`, { hint: 'Move it away.' });
  }
  const note = Buffer.from(`${JSON.stringify({ pid: process.pid, command })}\n`);
  fs.ftruncateSync(fd, 0);
  fs.writeSync(fd, note, 0, note.length, 0);
}

/** Whether the lock at `path` is free, or who holds it, in words. Writes nothing, so a reader may call it. */
export function lockState(fs: FileSystem, path: string): string {
  let fd: number;
  try {
    fd = openOrdinary(fs, path, constants.O_RDWR | O_NOFOLLOW);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'free' : 'unknown';
  }
  try {
    return isFree(fd, path) ? 'free' : `held by ${holder(fs, path)}`;
  } catch {
    return 'unknown';
  } finally {
    letGo(fs, fd);
  }
}

function holder(fs: FileSystem, path: string): string {
  try {
    const { pid, command } = JSON.parse(readText(fs, path)) as { pid: number; command: string };
    return `process ${pid} (${command})`;
  } catch {
    return 'another process';
  }
}

/**
 * One writer at a time, by a lock of the kernel's on an open file: it dies with its holder, so there is nothing to judge
 * stale and nothing to steal. What the lock file says is for error messages only.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileError, systemCode } from './errors.ts';
import { type FileSystem, fileError, quietly } from './files.ts';

interface KernelLocks {
  tryLock(fd: number): boolean;
  unlock(fd: number): void;
}

let kernelLocks: KernelLocks | undefined;

/** Loaded when first needed: a native addon, and reading needs no lock. */
function locks(): KernelLocks {
  kernelLocks ??= loadAddon() ?? (createRequire(import.meta.url)('fs-native-extensions') as KernelLocks);
  return kernelLocks;
}

/** The calls of the addon itself: where another process holds the lock, `tryLock` throws EAGAIN. */
interface Addon {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

/**
 * The library's own search for its addon takes longer than the rest of a command: it is looked for where the pinned version
 * ships it, and undefined is returned where it is not.
 */
function loadAddon(): KernelLocks | undefined {
  const require = createRequire(import.meta.url);
  let addon: Addon;
  try {
    const folder = dirname(require.resolve('fs-native-extensions/package.json'));
    addon = require(join(folder, 'prebuilds', `${process.platform}-${process.arch}`, 'fs-native-extensions.node'));
  } catch {
    return undefined;
  }
  return {
    tryLock(fd) {
      try {
        addon.tryLock(fd, 0, 0, true);
        return true;
      } catch (error) {
        if (systemCode(error) === 'EAGAIN') return false;
        throw error;
      }
    },
    unlock: (fd) => addon.unlock(fd, 0, 0),
  };
}

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  timeoutMs: number;
  /** What this process is doing, for the message that others see. */
  command: string;
  /** The file that the lock guards, for messages; the store where none is named. */
  file?: string;
}

/** Milliseconds between two tries, growing, with jitter by process so that waiting crowds spread out. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 20;

/** Runs `body` while holding the lock at `path`. Throws FileError, naming the holder, when the wait is over. */
export async function withLock<T>(
  fs: FileSystem,
  path: string,
  { timeoutMs, command, file }: LockOptions,
  body: () => Promise<T>,
): Promise<T> {
  const fd = openLock(fs, path);
  try {
    const { tryLock, unlock } = locks();
    const deadline = performance.now() + timeoutMs;
    for (let pause = FIRST_PAUSE; !tryLock(fd); pause = Math.min(LONGEST_PAUSE, pause * 1.5)) {
      if (performance.now() >= deadline) {
        const waited = timeoutMs === 0 ? '' : `; waited ${timeoutMs / 1000} s`;
        throw new FileError(`${file ?? 'The store'} is locked by ${holder(fs, path)}${waited}.`, {
          code: file === undefined ? 'store_locked' : 'file_locked',
          hint: 'Try again when that command is done.',
        });
      }
      await sleep(pause + (process.pid % 7) / 7);
    }
    try {
      const note = Buffer.from(`${JSON.stringify({ pid: process.pid, command })}\n`);
      fs.ftruncateSync(fd, 0);
      fs.writeSync(fd, note, 0, note.length, 0);
      return await body();
    } finally {
      unlock(fd);
    }
  } finally {
    quietly(() => fs.closeSync(fd));
  }
}

/** Whether the lock at `path` is free or who holds it, in words. Nothing is written: a reader may ask. */
export function lockState(fs: FileSystem, path: string): string {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r+');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'free' : 'unknown';
  }
  try {
    const { tryLock, unlock } = locks();
    if (!tryLock(fd)) return `held by ${holder(fs, path)}`;
    unlock(fd);
    return 'free';
  } finally {
    fs.closeSync(fd);
  }
}

function openLock(fs: FileSystem, path: string): number {
  try {
    return fs.openSync(path, 'a+', 0o600);
  } catch (error) {
    throw fileError(error, 'lock', path);
  }
}

function holder(fs: FileSystem, path: string): string {
  try {
    const { pid, command } = JSON.parse(fs.readFileSync(path, 'utf8')) as { pid: number; command: string };
    return `process ${pid} (${command})`;
  } catch {
    return 'another process';
  }
}

/**
 * The folder in which a file of the operator's is written: `.calls.csv.vagent` beside `calls.csv`. Only the user can write to
 * it, so nobody can have placed a link there, and everything in it belongs to the program. One process at a time works there.
 * Files that a run leaves there, because it was cut off or is to be continued, are found by the next run for the same file.
 */
import { lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import { fileError } from './file-error.ts';
import { quietly, systemFiles } from './file-system.ts';
import { type Lock, type LockOptions, takeLock } from './lock.ts';
import { targetOf } from './target.ts';

export interface Work {
  /** What this process is doing, for the message that others see. */
  command: string;
  /** Throws UsageError if writing the file would replace what is not to be replaced. */
  requireFree(named: string): void;
  /** Milliseconds to wait for another process that writes the same file; 0 by default. */
  timeoutMs?: number;
}

const LOCK_NAME = 'lock';
/** Tries to take the lock: before each, another process may have removed the folder. */
const MOST_TRIES = 1000;
const PRIVATE = 0o700;
/** The mode bits of a folder that allow others to change its content. */
const OTHERS_WRITE = 0o022;

export class WorkFolder {
  /** The file to write, with links followed. */
  readonly path: string;
  readonly #folder: string;
  readonly #lock: Lock;

  private constructor(path: string, folder: string, lock: Lock) {
    this.path = path;
    this.#folder = folder;
    this.#lock = lock;
  }

  /** Throws UsageError, or FileError if the file cannot be written; if another process is writing it, the error says which. */
  static async open(named: string, { command, requireFree, timeoutMs = 0 }: Work): Promise<WorkFolder> {
    requireFree(named);
    if (/[/]$/.test(named) || named.endsWith(sep))
      throw new FileError(`Cannot write ${named}: it is the name of a folder.`);
    try {
      const path = targetOf(named);
      const folder = join(dirname(path), `.${basename(path)}.vagent`);
      for (let tries = 1; ; tries++) {
        makeOwn(folder);
        const lock = await lockIn(folder, { command, timeoutMs, file: named, isRemoved: true }, tries < MOST_TRIES);
        if (lock !== undefined) return new WorkFolder(path, folder, lock);
      }
    } catch (error) {
      throw fileError(error, 'write', named);
    }
  }

  /** The path of one of the program's own files. */
  file(name: string): string {
    return join(this.#folder, name);
  }

  /**
   * The size in bytes of a file that an earlier run has left there; undefined if there is none, or it is not an ordinary file.
   */
  left(name: string): number | undefined {
    const standing = lstatSync(this.file(name), { throwIfNoEntry: false });
    return standing?.isFile() && standing.nlink === 1 ? standing.size : undefined;
  }

  /** Releases the folder for others. It is removed unless a file was left in it. */
  close(): void {
    quietly(() => rmSync(join(this.#folder, LOCK_NAME)));
    quietly(() => rmdirSync(this.#folder));
    this.#lock.release();
  }
}

/** Undefined if the last process to work in the folder has removed it meanwhile; `mayBeGone` allows that. */
async function lockIn(folder: string, options: LockOptions, mayBeGone: boolean): Promise<Lock | undefined> {
  try {
    return await takeLock(systemFiles, join(folder, LOCK_NAME), options);
  } catch (error) {
    if (mayBeGone && systemCode((error as Error).cause) === 'ENOENT') return undefined;
    // An empty folder is removed.
    quietly(() => rmdirSync(folder));
    throw error;
  }
}

/** Creates the folder, or finds the one of an earlier run. Throws FileError if someone else may have created what is there. */
function makeOwn(folder: string): void {
  try {
    mkdirSync(folder, PRIVATE);
    return;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const standing = lstatSync(folder, { throwIfNoEntry: false });
  if (standing === undefined) return;
  const isOwn = process.platform === 'win32' || standing.uid === process.geteuid?.();
  if (standing.isDirectory() && isOwn && (standing.mode & OTHERS_WRITE) === 0) return;
  throw new FileError(`${folder} is in the way: it is not a folder of vagent's, or others can write to it.`, {
    hint: 'Move it away, or name another file.',
  });
}

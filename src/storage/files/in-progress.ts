/**
 * A file of the operator's that is being written: it appears under its name only when it is complete. Throws FileErrors.
 */
import * as fs from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import { Appender } from './appender.ts';
import { syncFolder } from './durable.ts';
import { fileError, quietly, systemFiles, withFileErrors } from './file-system.ts';
import { type Lock, takeLock } from './lock.ts';
import { targetOf } from './own-files.ts';

/** The name of a file in its work folder while it is written. */
const NAME = 'new';

export class FileInProgress {
  readonly #work: WorkFolder;
  /** Its path while it is written. */
  readonly beside: string;
  readonly #file: Appender;

  /** Continues after the first `kept` bytes that an earlier run left under `name`, or starts anew. */
  constructor(work: WorkFolder, name = NAME, kept = 0) {
    this.#work = work;
    this.beside = work.file(name);
    this.#file = this.#writing(() => new Appender(systemFiles, this.beside, kept));
  }

  write(content: string | Uint8Array): void {
    this.#writing(() => this.#file.append(content));
  }

  /** Passes what was written to the system, so that it survives the end of this process; returns the bytes so far. */
  flush(): number {
    return this.#writing(() => this.#file.flush());
  }

  finish(): void {
    const { path } = this.#work;
    this.#writing(() => {
      const standing = fs.statSync(path, { throwIfNoEntry: false });
      if (standing !== undefined) becomeLike(this.beside, standing);
      this.#file.finish();
      fs.renameSync(this.beside, path);
      syncFolder(systemFiles, dirname(path));
    });
  }

  /** Removes what was written; a file under the name stays as it was. */
  abandon(): void {
    this.#file.abandon();
    quietly(() => fs.rmSync(this.beside, { force: true }));
  }

  /** Keeps what was flushed for a later run. */
  leave(): void {
    this.#file.abandon();
  }

  #writing<T>(act: () => T): T {
    return withFileErrors('write', this.#work.path, act);
  }
}

const PERMISSIONS = 0o777;
const OF_GROUP = 0o070;

/** The new file can be read by the same users as the one that it replaces, and by no one else. */
function becomeLike(path: string, { mode, uid, gid }: fs.Stats): void {
  const made = fs.statSync(path);
  let permissions = mode & PERMISSIONS;
  if (made.uid !== uid || made.gid !== gid) {
    // Only an administrator can give a file to another user; then its group must not get access either.
    quietly(() => fs.chownSync(path, made.uid, gid));
    quietly(() => fs.chownSync(path, uid, gid));
    if (fs.statSync(path).gid !== gid) permissions &= ~OF_GROUP;
  }
  fs.chmodSync(path, permissions);
}

/** Writes one file from beginning to end with `write`; if that throws, a file under the name stays as it was. */
export async function writingFile<T>(
  named: string,
  work: Work,
  write: (file: FileInProgress) => Promise<T>,
): Promise<T> {
  const folder = await WorkFolder.open(named, work);
  try {
    const file = new FileInProgress(folder);
    try {
      const result = await write(file);
      file.finish();
      return result;
    } catch (error) {
      file.abandon();
      throw error;
    }
  } finally {
    folder.close();
  }
}

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
        try {
          const options = { command, timeoutMs, file: named, isRemoved: true } as const;
          return new WorkFolder(path, folder, await takeLock(systemFiles, join(folder, LOCK_NAME), options));
        } catch (error) {
          // The last process to work in the folder may have removed it meanwhile.
          if (tries < MOST_TRIES && systemCode((error as Error).cause) === 'ENOENT') continue;
          // An empty folder is removed.
          quietly(() => fs.rmdirSync(folder));
          throw error;
        }
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
    const standing = fs.lstatSync(this.file(name), { throwIfNoEntry: false });
    return standing?.isFile() && standing.nlink === 1 ? standing.size : undefined;
  }

  /** Releases the folder for others. It is removed unless a file was left in it. */
  close(): void {
    quietly(() => fs.rmSync(join(this.#folder, LOCK_NAME)));
    quietly(() => fs.rmdirSync(this.#folder));
    this.#lock.release();
  }
}

/** Creates the folder, or finds the one of an earlier run. Throws FileError if someone else may have created what is there. */
function makeOwn(folder: string): void {
  try {
    return void fs.mkdirSync(folder, PRIVATE);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const standing = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (standing === undefined) return;
  const isOwn = process.platform === 'win32' || standing.uid === process.geteuid?.();
  if (standing.isDirectory() && isOwn && (standing.mode & OTHERS_WRITE) === 0) return;
  throw new FileError(`${folder} is in the way: it is not a folder of vagent's, or others can write to it.`, {
    hint: 'Move it away, or name another file.',
  });
}

/** A file of the operator's that is being written: it appears under its name only when it is complete. Throws FileErrors. */
import { chmodSync, chownSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Appender } from './appender.ts';
import { syncFolder } from './durable.ts';
import { withFileErrors } from './file-error.ts';
import { quietly, systemFiles } from './file-system.ts';
import { type Work, WorkFolder } from './work-folder.ts';

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

  write(text: string): void {
    this.#writing(() => this.#file.append(text));
  }

  writeBytes(bytes: Uint8Array): void {
    this.#writing(() => this.#file.appendBytes(bytes));
  }

  /** Passes what was written to the system, so that it survives the end of this process; returns the bytes so far. */
  flush(): number {
    return this.#writing(() => this.#file.flush());
  }

  finish(): void {
    const { path } = this.#work;
    this.#writing(() => {
      const standing = statSync(path, { throwIfNoEntry: false });
      if (standing !== undefined) becomeLike(this.beside, standing);
      this.#file.finish();
      renameSync(this.beside, path);
      syncFolder(systemFiles, dirname(path));
    });
  }

  /** Removes what was written; a file under the name stays as it was. */
  abandon(): void {
    this.#file.abandon();
    quietly(() => rmSync(this.beside, { force: true }));
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
function becomeLike(path: string, { mode, uid, gid }: Stats): void {
  const made = statSync(path);
  let permissions = mode & PERMISSIONS;
  if (made.uid !== uid || made.gid !== gid) {
    // Only an administrator can give a file to another user; then its group must not get access either.
    quietly(() => chownSync(path, made.uid, gid));
    quietly(() => chownSync(path, uid, gid));
    if (statSync(path).gid !== gid) permissions &= ~OF_GROUP;
  }
  chmodSync(path, permissions);
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

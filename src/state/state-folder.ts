/**
 * The folder of what must never be lost: the register of what was sent to real services, and the plans. It belongs to this
 * machine alone, or is a copy of one that several machines share (`shared-state.ts`). What it holds is read and written as files
 * either way; whoever changes it does so while holding a lock.
 */
import { join } from 'node:path';
import { type FileSystem, systemFiles } from '../files/file-system.ts';
import { type LockOptions, withLock } from '../files/lock.ts';

/** Makes what was written so far durable for everybody. Throws FileError: then nobody else knows of it, and nothing must be sent. */
export type Publish = () => Promise<void>;

export interface StateFolder {
  readonly path: string;
  /** The database through which several machines share it; undefined if it is this machine's alone. */
  readonly location?: string;
  /** For everything that is read and written in it. */
  readonly fs: FileSystem;
  /** Throws FileError where a database can only be read. */
  requireWritable?(): Promise<void>;
  /** Brings here what others did to the register, or to the plans. Throws FileErrors. */
  refresh(part: 'register' | 'plans'): Promise<void>;
  /**
   * Runs `body` while nobody else, on any machine, changes what the lock guards; everything is published when it resolves. `lock` is
   * a file of the folder. Throws FileErrors, among them `file_locked` if the wait is over.
   */
  locked<T>(lock: string, options: LockOptions, body: (publish: Publish) => Promise<T>): Promise<T>;
  /**
   * Runs `body`, which makes a file that no lock guards, because only that it is there matters; and publishes it, also if it was there
   * already. `file` is its path in the folder.
   */
  marking(file: string, body: () => void): Promise<void>;
}

/** One that belongs to this machine alone. */
export function ownState(path: string, fs: FileSystem = systemFiles): StateFolder {
  return {
    path,
    fs,
    async refresh() {},
    locked: (lock, options, body) => withLock(fs, join(path, lock), options, () => body(async () => {})),
    async marking(_file, body) {
      body();
    },
  };
}

/** File functions that take down which files were changed through them. */
import { constants } from 'node:fs';
import type { FileSystem } from '../files/file-system.ts';

/** `appended`: what stood in it before stands there still. `replaced`: anything may have come of it, also that it is gone. */
export type Touch = 'appended' | 'replaced';

const WRITING = constants.O_WRONLY | constants.O_RDWR;

/** Paths of files, and of folders that were renamed or removed, in the order in which they were first changed. */
export class TouchedFiles {
  readonly fs: FileSystem;
  readonly #paths = new Map<string, Touch>();

  constructor(fs: FileSystem) {
    this.fs = {
      ...fs,
      openSync: (path, flags, mode) => {
        if (typeof flags === 'string') this.#take(path, 'replaced', flags !== 'r');
        else this.#take(path, 'appended', ((flags ?? 0) & WRITING) !== 0);
        return fs.openSync(path, flags, mode);
      },
      renameSync: (from, to) => {
        this.#take(from, 'replaced');
        this.#take(to, 'replaced');
        fs.renameSync(from, to);
      },
      rmSync: (path, options) => {
        this.#take(path, 'replaced');
        fs.rmSync(path, options);
      },
    };
  }

  get paths(): ReadonlyMap<string, Touch> {
    return this.#paths;
  }

  forget(paths: Iterable<string>): void {
    for (const path of paths) this.#paths.delete(path);
  }

  #take(path: unknown, touch: Touch, isChange = true): void {
    if (!isChange || this.#paths.get(String(path)) === 'replaced') return;
    this.#paths.set(String(path), touch);
  }
}

/**
 * Lines that are cut into several files of the operator's: the files appear under their names together, once all of them are
 * complete, or none does. Throws FileErrors.
 */
import { copyFileSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Appender } from './appender.ts';
import { readFully } from './bytes.ts';
import { withFileErrors } from './file-error.ts';
import { quietly, systemFiles } from './file-system.ts';
import { syncFolder } from './folder.ts';
import { becomeLike } from './in-progress.ts';
import { openToRead } from './open.ts';
import { targetOf } from './target.ts';
import { WorkFolder } from './work-folder.ts';

/** One file: its name, and how many of the lines are in it. */
export interface Part {
  path: string;
  lines: number;
}

/** Names in the work folder: the lines before they are cut, a finished part, and what stood in its place before. */
const LINES = 'lines';
const ours = (name: string) => name === LINES || /^(new|old)-\d+$/.test(name);
const COPIED_AT_ONCE = 1 << 20;

export class PartsInProgress {
  readonly #work: WorkFolder;
  readonly #file: Appender;
  /** Where each line ends, in bytes. */
  #ends = new Float64Array(1 << 10);
  #count = 0;

  /** The work folder may be one for a name that all parts have in common. */
  constructor(work: WorkFolder) {
    this.#work = work;
    this.#file = this.#writing(() => {
      // A run that was killed may have left some.
      this.#clear();
      return new Appender(systemFiles, work.file(LINES), 0);
    });
  }

  get count(): number {
    return this.#count;
  }

  /** `text` ends with a line break. */
  add(text: string): void {
    this.#writing(() => this.#file.append(text));
    if (this.#count === this.#ends.length) {
      const longer = new Float64Array(this.#ends.length * 2);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#ends[this.#count] = this.#endOf(this.#count) + Buffer.byteLength(text);
    this.#count++;
  }

  /** Each part begins with `header`; together they hold all lines, in their order. */
  finish(header: string, parts: readonly Part[]): void {
    this.#writing(() => {
      this.#file.flush();
      const targets = parts.map(({ path }) => targetOf(path));
      let first = 0;
      for (const [at, { lines }] of parts.entries()) {
        this.#write(this.#new(at), header, [this.#endOf(first), this.#endOf(first + lines)]);
        const standing = statSync(targets[at] as string, { throwIfNoEntry: false });
        if (standing !== undefined) becomeLike(this.#new(at), standing);
        first += lines;
      }
      this.#replace(targets);
      for (const folder of new Set(targets.map(dirname))) syncFolder(systemFiles, folder);
    });
  }

  /** Removes what is not needed any more; files under the names stay as they are. */
  close(): void {
    this.#file.abandon();
    quietly(() => this.#clear());
  }

  #write(path: string, header: string, [from, until]: readonly [number, number]): void {
    const file = new Appender(systemFiles, path, 0);
    const fd = openToRead(systemFiles, this.#work.file(LINES));
    try {
      file.append(header);
      for (let at = from; at < until; at += COPIED_AT_ONCE) {
        const bytes = new Uint8Array(Math.min(COPIED_AT_ONCE, until - at));
        file.appendBytes(bytes.subarray(0, readFully(systemFiles, fd, bytes, at)));
      }
      file.finish();
    } finally {
      file.abandon();
      systemFiles.closeSync(fd);
    }
  }

  /** If one cannot be put in its place, those before it go back. */
  #replace(targets: readonly string[]): void {
    let replaced = 0;
    try {
      for (const [at, target] of targets.entries()) if (isThere(target)) keepBeside(target, this.#old(at));
      for (const [at, target] of targets.entries()) {
        renameSync(this.#new(at), target);
        replaced++;
      }
    } catch (error) {
      for (const [at, target] of targets.slice(0, replaced).entries()) {
        if (isThere(this.#old(at))) renameSync(this.#old(at), target);
        else rmSync(target);
      }
      throw error;
    }
  }

  /** Where the first `count` lines end, in bytes. */
  #endOf(count: number): number {
    return count === 0 ? 0 : (this.#ends[count - 1] as number);
  }

  #new(at: number): string {
    return this.#work.file(`new-${at}`);
  }

  #old(at: number): string {
    return this.#work.file(`old-${at}`);
  }

  #clear(): void {
    const folder = dirname(this.#work.file(LINES));
    for (const name of readdirSync(folder)) if (ours(name)) rmSync(this.#work.file(name), { force: true });
  }

  #writing<T>(act: () => T): T {
    return withFileErrors('write', this.#work.path, act);
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function keepBeside(path: string, as: string): void {
  try {
    linkSync(path, as);
  } catch {
    // Some file systems have no links.
    copyFileSync(path, as);
  }
}

/** Writes parts with `write`; if that throws, no file under their names is changed. `named` is what the names have in common. Whether the parts may be written is for `write` to say. */
export async function writingParts<T>(
  named: string,
  command: string,
  write: (parts: PartsInProgress) => Promise<T>,
): Promise<T> {
  const work = await WorkFolder.open(named, { command, requireFree() {} });
  try {
    const parts = new PartsInProgress(work);
    try {
      return await write(parts);
    } finally {
      parts.close();
    }
  } finally {
    work.close();
  }
}

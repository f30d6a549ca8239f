/**
 * What this machine's copy of a scope is a copy of, kept in a file beside it; and whether somebody began to change the copy: if that
 * process is gone, part of the change may be here and nowhere else, and the copy is made anew. Throws system errors.
 */
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { createOwn, readText } from '../files/open.ts';
import { replaceFile } from '../files/replace.ts';
import type { Version } from './tables.ts';

/** How much of a file of lines is here. */
export interface CopiedLines {
  generation: number;
  lines: number;
  bytes: number;
}

export interface Copied extends Version {
  /** By path. */
  lines: Record<string, CopiedLines>;
  /** Somebody has begun to make it anew: what is missing here need not be missing there. */
  isBeingMade?: boolean;
}

export const NOTHING: Copied = { version: 0, mark: '', lines: {} };

export class CopyMarks {
  readonly #fs: FileSystem;
  readonly #folder: string;

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs;
    this.#folder = join(folder, 'copied');
  }

  /** `NOTHING` if there is no copy, or it is not known of what. */
  read(scope: string): Copied {
    try {
      const { version, mark, lines, isBeingMade = false } = JSON.parse(readText(this.#fs, this.#path(scope))) as Copied;
      if (typeof version !== 'number' || typeof mark !== 'string') return NOTHING;
      return { version, mark, lines: { ...lines }, isBeingMade };
    } catch {
      return NOTHING;
    }
  }

  write(scope: string, copied: Copied): void {
    makePrivateFolder(this.#fs, this.#folder);
    replaceFile(this.#fs, this.#path(scope), `${JSON.stringify(copied)}\n`);
  }

  /** The scopes of which there is a copy. */
  get scopes(): string[] {
    if (this.#fs.statSync(this.#folder, { throwIfNoEntry: false }) === undefined) return [];
    const names = this.#fs.readdirSync(this.#folder).map(String);
    return names.flatMap((name) =>
      name.endsWith('.json') ? [name.slice(0, -'.json'.length).replaceAll(' ', '/')] : [],
    );
  }

  begin(scope: string): void {
    makePrivateFolder(this.#fs, this.#folder);
    this.#fs.closeSync(createOwn(this.#fs, this.#begunPath(scope)));
    syncFolder(this.#fs, this.#folder);
  }

  end(scope: string): void {
    quietly(() => this.#fs.rmSync(this.#begunPath(scope), { force: true }));
  }

  isBegun(scope: string): boolean {
    try {
      this.#fs.lstatSync(this.#begunPath(scope));
      return true;
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  #path(scope: string): string {
    return join(this.#folder, `${scope.replaceAll('/', ' ')}.json`);
  }

  #begunPath(scope: string): string {
    return join(this.#folder, `${scope.replaceAll('/', ' ')}.begun`);
  }
}

/** Hands what was changed in this machine's copy to the others. */
import { randomUUID } from 'node:crypto';
import { join, relative, sep } from 'node:path';
import type { Client } from '../database/database.ts';
import { FileError, systemCode } from '../errors.ts';
import { readFully } from '../files/bytes.ts';
import { fileError, withFileErrors } from '../files/file-error.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { readLines } from '../files/json-lines.ts';
import { openToRead } from '../files/open.ts';
import type { Copied, CopiedLines } from './copy-mark.ts';
import { isLasting, isMarker, kindOf, scopeOf } from './shape.ts';
import {
  emptyFile,
  hasFile,
  LINES_AT_ONCE,
  PIECE_BYTES,
  readVersion,
  writeFileRow,
  writeLines,
  writePiece,
  writeVersion,
} from './tables.ts';
import type { Touch, TouchedFiles } from './touched-files.ts';

/** What was changed of one scope. */
export interface Change {
  /** By path relative to the folder. */
  files: Map<string, Touch>;
  /** The paths that were taken down. */
  touched: Set<string>;
}

/** By scope; of folders that were renamed or removed, the files in them. What is nobody else's is forgotten. Throws system errors. */
export function changesOf(fs: FileSystem, folder: string, touched: TouchedFiles): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const [path, touch] of [...touched.paths]) {
    const shared = filesAt(fs, path)
      .map((file) => relative(folder, file).replaceAll(sep, '/'))
      .filter((name) => kindOf(name) !== 'own');
    for (const name of shared) {
      const change = changes.get(scopeOf(name)) ?? { files: new Map(), touched: new Set() };
      changes.set(scopeOf(name), change);
      change.files.set(name, touch);
      change.touched.add(path);
    }
    if (shared.length === 0) touched.forget([path]);
  }
  return changes;
}

/** The path itself, or the files below it if it is a folder. */
function filesAt(fs: FileSystem, path: string): string[] {
  try {
    return fs.readdirSync(path).flatMap((name) => filesAt(fs, join(path, String(name))));
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR' || systemCode(error) === 'ENOENT') return [path];
    throw error;
  }
}

/** Bytes of lines that are sent at once. */
const BYTES_AT_ONCE = 1 << 20;

export class Push {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #by: string;
  /** One for all scopes of a change. */
  readonly #mark = randomUUID();

  constructor(fs: FileSystem, folder: string, by: string) {
    this.#fs = fs;
    this.#folder = folder;
    this.#by = by;
  }

  /**
   * Inside a transaction: makes the files of a scope part of what all share, and returns what the copy is then a copy of. Throws
   * FileError if somebody else has changed the scope since.
   */
  async scope(client: Client, scope: string, files: ReadonlyMap<string, Touch>, copied: Copied): Promise<Copied> {
    const standing = await readVersion(client, scope, true);
    if (!isMarker(scope) && (standing?.mark ?? '') !== copied.mark) throw changedMeanwhile();
    const isNew = standing === undefined;
    const next: Copied = {
      version: (standing?.version ?? 0) + 1,
      mark: this.#mark,
      lines: { ...copied.lines },
    };
    for (const [name, touch] of files) {
      const kind = kindOf(name);
      if (!this.#isThere(name)) {
        if (isLasting(name) && name in copied.lines) throw lostLines();
        delete next.lines[name];
        if (await hasFile(client, name)) {
          await emptyFile(client, name);
          await writeFileRow(client, { path: name, generation: 0, isRemoved: true }, scope, next.version);
        }
      } else if (kind === 'seed' && !isNew) {
        // What this machine made of it.
      } else if (kind === 'lines') {
        next.lines[name] = await this.#lines(client, name, touch, copied.lines[name]);
        const { generation } = next.lines[name];
        await writeFileRow(client, { path: name, generation, isRemoved: false }, scope, next.version);
      } else {
        await this.#pieces(client, name);
        await writeFileRow(client, { path: name, generation: 0, isRemoved: false }, scope, next.version);
      }
    }
    await writeVersion(client, scope, next, this.#by);
    return next;
  }

  async #lines(client: Client, name: string, touch: Touch, known?: CopiedLines): Promise<CopiedLines> {
    const isAdding = touch === 'appended' && known !== undefined;
    const done: CopiedLines = isAdding
      ? { ...known }
      : { generation: (known?.generation ?? 0) + 1, lines: 0, bytes: 0 };
    if (!isAdding) await emptyFile(client, name);
    let [lines, size]: [string[], number] = [[], 0];
    const send = async () => {
      await writeLines(client, name, done.lines, lines);
      done.lines += lines.length;
      done.bytes += size;
      [lines, size] = [[], 0];
    };
    const place = join(this.#folder, name);
    if (isAdding && withFileErrors('read', place, () => this.#fs.statSync(place).size) < done.bytes) throw lostLines();
    for (const line of reading(place, readLines(this.#fs, place, { start: done.bytes, number: 1 }))) {
      if (!line.isWhole) break;
      lines.push(line.text);
      size += line.length;
      if (lines.length === LINES_AT_ONCE || size >= BYTES_AT_ONCE) await send();
    }
    if (lines.length > 0) await send();
    if (done.lines < (known?.lines ?? 0)) throw lostLines();
    return done;
  }

  async #pieces(client: Client, name: string): Promise<void> {
    await emptyFile(client, name);
    const place = join(this.#folder, name);
    const fd = withFileErrors('read', place, () => openToRead(this.#fs, place));
    try {
      for (let position = 0; ; position++) {
        const bytes = Buffer.alloc(PIECE_BYTES);
        const read = withFileErrors('read', place, () => readFully(this.#fs, fd, bytes, position * PIECE_BYTES));
        if (read > 0) await writePiece(client, name, position, bytes.subarray(0, read));
        if (read < PIECE_BYTES) return;
      }
    } finally {
      quietly(() => this.#fs.closeSync(fd));
    }
  }

  #isThere(name: string): boolean {
    return this.#fs.lstatSync(join(this.#folder, name), { throwIfNoEntry: false }) !== undefined;
  }
}

/** The same; what the file system says is a FileError. */
function* reading<T>(place: string, items: Iterable<T>): Generator<T, void> {
  try {
    yield* items;
  } catch (error) {
    throw fileError(error, 'read', place);
  }
}

/** Something else took them away: what they say would be lost to everybody. */
function lostLines(): FileError {
  return new FileError(
    "This machine's copy of the register lost lines while it was changed, so the change was not made.",
    {
      code: 'register_taken',
      hint: 'Nothing of what was to be recorded counts. Try again: the copy is made anew.',
    },
  );
}

function changedMeanwhile(): FileError {
  return new FileError('Another machine changed the same while this one had lost its connection to the database.', {
    code: 'register_taken',
    hint: 'Nothing of what was to be recorded counts. Try again.',
  });
}

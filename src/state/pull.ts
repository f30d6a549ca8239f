/** Brings what other machines did into this machine's copy. The scope's lock on this machine is held meanwhile. Throws FileErrors. */
import { dirname, join } from 'node:path';
import type { Client, Database } from '../database/database.ts';
import { FileError } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { withFileErrors } from '../files/file-error.ts';
import type { FileSystem } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { type Copied, type CopiedLines, type CopyMarks, NOTHING } from './copy-mark.ts';
import { derivedFrom, isLasting, isMarker, kindOf, planFolderOf, scopeOf } from './shape.ts';
import { filesSince, hasVersion, readSharedLines, readSharedPieces, readVersion, type SharedFile } from './tables.ts';

export interface PullParts {
  fs: FileSystem;
  folder: string;
  marks: CopyMarks;
  database: Database;
}

/**
 * `into`: where the files of a plan are written that is new here. Throws FileError, `register_lost`, if the database does not know
 * what this copy is a copy of, or has lost part of it: whom somebody called since then would not be known.
 */
export async function pull({ fs, folder, marks, database }: PullParts, scope: string, into = scope): Promise<void> {
  const known = marks.read(scope);
  const { location } = database;
  // Whether it is certain that what is here is that copy, and all of it.
  const isCertain = !isBegun(marks, scope) && isIntact(fs, folder, known);
  const copied = await database.read(async (client) => {
    const version = await readVersion(client, scope);
    if (version?.mark === known.mark && isCertain) return known;
    if (known !== NOTHING && !(version && (await hasVersion(client, scope, known)))) return 'lost';
    const standing = isCertain ? known : NOTHING;
    const files = version === undefined ? [] : await filesSince(client, scope, standing.version);
    requireOwn(files, scope, location);
    if (hasLost(files, known, standing)) return 'lost';
    if (standing === NOTHING) {
      withFileErrors('write', folder, () => {
        if (known !== NOTHING) marks.write(scope, { ...known, isBeingMade: true });
        removeCopy(fs, folder, into, files);
      });
    }
    if (version === undefined) return NOTHING;
    const placeOf = (path: string) => join(folder, path.replace(scope, into));
    const pulling = new Pulling({ fs, client, placeOf, known, lost: () => lost(location, folder) });
    return { ...version, lines: await pulling.files(files, standing) };
  });
  if (copied === 'lost' || (copied === undefined && known !== NOTHING)) throw lost(location, folder);
  withFileErrors('write', folder, () => {
    if (copied !== undefined && copied !== known) marks.write(scope, copied);
    marks.end(scope);
  });
}

/** Whoever changes a plan may take down the wish that it stops. */
function isBegun(marks: CopyMarks, scope: string): boolean {
  return marks.isBegun(scope) || (isMarker(scope) && marks.isBegun(dirname(scope)));
}

/** A path that leads elsewhere would let whoever writes to the database write on every machine. */
function requireOwn(files: readonly SharedFile[], scope: string, location: string): void {
  for (const { path } of files) {
    if (kindOf(path) === 'own' || scopeOf(path) !== scope) throw stranger(location, path);
  }
}

export function stranger(location: string, name: string): FileError {
  const shown = JSON.stringify(name);
  return new FileError(`The register at ${location} names ${shown}, which is no part of a register: it is not used.`, {
    code: 'register_damaged',
    hint: 'Somebody else has written there. Ask whoever looks after the database.',
  });
}

function hasLost(files: readonly SharedFile[], known: Copied, standing: Copied): boolean {
  return Object.keys(known.lines).some((path) => {
    const file = files.find((other) => other.path === path);
    return isLasting(path) && (file === undefined ? standing === NOTHING : file.isRemoved);
  });
}

function lost(location: string, folder: string): FileError {
  return new FileError(`The register at ${location} does not hold what this machine has seen in it.`, {
    code: 'register_lost',
    hint: `It was emptied, or put back from a backup; what is known here is in ${folder}.`,
  });
}

/** Whether it was made to its end, and the files of lines are as long as they were. */
export function isIntact(fs: FileSystem, folder: string, { lines, isBeingMade }: Copied): boolean {
  if (isBeingMade) return false;
  return Object.entries(lines).every(
    ([path, { bytes }]) => fs.statSync(join(folder, path), { throwIfNoEntry: false })?.size === bytes,
  );
}

interface PullingParts {
  fs: FileSystem;
  client: Client;
  placeOf: (path: string) => string;
  /** What was here, and is there still. */
  known: Copied;
  lost: () => FileError;
}

class Pulling {
  readonly #fs: FileSystem;
  readonly #client: Client;
  readonly #parts: PullingParts;

  constructor(parts: PullingParts) {
    this.#fs = parts.fs;
    this.#client = parts.client;
    this.#parts = parts;
  }

  async files(files: readonly SharedFile[], known: Copied): Promise<Record<string, CopiedLines>> {
    const lines = { ...known.lines };
    // What lines speak of is there before them; and the plan as it began, which makes its folder that of a plan, comes last.
    const order = ['whole', 'lines', 'seed', 'own'];
    const rank = ({ path }: SharedFile) => (path.endsWith('/plan.json') ? order.length : order.indexOf(kindOf(path)));
    for (const file of files.toSorted((one, other) => rank(one) - rank(other))) {
      if (file.isRemoved) {
        this.#remove(file.path);
        delete lines[file.path];
      } else if (kindOf(file.path) === 'lines') {
        lines[file.path] = await this.#lines(file, lines[file.path]);
      } else {
        await this.#whole(file.path);
      }
    }
    return lines;
  }

  async #lines({ path, generation }: SharedFile, known: CopiedLines | undefined): Promise<CopiedLines> {
    const isAdded = known?.generation === generation;
    const place = this.#at(path);
    const done: CopiedLines = isAdded ? { ...known } : { generation, lines: 0, bytes: 0 };
    const file = this.#open(isAdded ? place : `${place}.new`, done.bytes, isAdded);
    try {
      for await (const line of readSharedLines(this.#client, path, done.lines)) {
        withFileErrors('write', place, () => file.append(`${line}\n`));
        done.lines++;
      }
      if (isLasting(path) && done.lines < (this.#parts.known.lines[path]?.lines ?? 0)) throw this.#parts.lost();
      done.bytes = withFileErrors('write', place, () => file.finish());
    } catch (error) {
      file.abandon();
      throw error;
    }
    // The guards' summary of other lines may say of people what these lines do not say any more.
    const stale = !isAdded && path === 'register.jsonl' ? this.#at('register.index') : undefined;
    if (!isAdded) this.#put(place, () => stale !== undefined && this.#fs.rmSync(stale, { force: true }));
    return done;
  }

  async #whole(path: string): Promise<void> {
    const place = this.#at(path);
    const file = this.#open(`${place}.new`, 0, false);
    try {
      for await (const bytes of readSharedPieces(this.#client, path)) {
        withFileErrors('write', place, () => file.appendBytes(bytes));
      }
      withFileErrors('write', place, () => file.finish());
    } catch (error) {
      file.abandon();
      throw error;
    }
    // Only the name of a forgotten plan is left, on each machine.
    const isForgotten = path.endsWith('/forgotten');
    this.#put(place, () => isForgotten && emptyPlan(this.#fs, dirname(place), ['forgotten', 'forgotten.new', 'lock']));
  }

  #open(place: string, committed: number, isKept: boolean): Appender {
    return withFileErrors('write', place, () => {
      makePrivateFolder(this.#fs, dirname(place));
      return new Appender(this.#fs, place, committed, isKept);
    });
  }

  /** In one step, in place of what was there. */
  #put(place: string, before: () => void): void {
    withFileErrors('write', place, () => {
      before();
      this.#fs.renameSync(`${place}.new`, place);
      syncFolder(this.#fs, dirname(place));
    });
  }

  #remove(path: string): void {
    // Also what a process left that was killed while it brought it.
    for (const gone of [path, `${path}.new`, ...derivedFrom(path)]) {
      withFileErrors('write', this.#at(gone), () => this.#fs.rmSync(this.#at(gone), { force: true }));
    }
  }

  #at(path: string): string {
    return this.#parts.placeOf(path);
  }
}

/** Removes what is here of a scope and not among `files`; of a plan everything, because one thing follows from another. */
function removeCopy(fs: FileSystem, folder: string, scope: string, files: readonly SharedFile[]): void {
  if (planFolderOf(scope) !== undefined || scope.endsWith('.new')) {
    const isGone = files.length === 0;
    if (isGone) fs.rmSync(join(folder, scope), { recursive: true, force: true });
    else emptyPlan(fs, join(folder, scope), ['lock', 'stop.json']);
    return;
  }
  const kept = new Set(files.filter(({ isRemoved }) => !isRemoved).map(({ path }) => path));
  for (const path of filesHere(fs, folder, scope)) if (!kept.has(path)) fs.rmSync(join(folder, path), { force: true });
}

/** The files that follow from a scope which is no plan; what another lock guards is not among them. */
function filesHere(fs: FileSystem, folder: string, scope: string): string[] {
  if (isMarker(scope)) return [scope];
  const inFolder = (name: string) => namesIn(fs, join(folder, name)).map((file) => `${name}/${file}`);
  const here = ['register.jsonl', 'register.index', 'register.import', 'campaigns', 'redials', 'plans'].flatMap(
    (name) => (name.includes('.') ? [name] : inFolder(name)),
  );
  return here.filter((path) => scopeOf(path) === scope && !path.endsWith('.lock'));
}

function emptyPlan(fs: FileSystem, folder: string, kept: readonly string[]): void {
  for (const name of namesIn(fs, folder)) {
    if (!kept.includes(name)) fs.rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function namesIn(fs: FileSystem, folder: string): string[] {
  return fs.statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : fs.readdirSync(folder).map(String);
}

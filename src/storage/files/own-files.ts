/** Which file is written under a name, and what that must not replace: the program's files, and those that the command reads. */
import { fstatSync, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { FileError, UsageError } from '../../errors.ts';
import { quietly } from './file-system.ts';

/** What belongs to the program in a folder that may be the operator's as well; `what` is in messages: `the register`. */
export interface OwnFolder {
  path: string;
  names: RegExp;
  what: string;
}

/** Where its lock lies, such files are the program's, wherever that is. */
export type LockedFiles = Omit<OwnFolder, 'path'> & { lock: string };

/** Folders in which files of the operator's are written. */
const WORK_FOLDER = /^\..+\.vagent$/i;

/** Throws UsageError if `out` is a file in one of the folders, or in one that has a lock, whatever its names. */
export function requireNotOwn(out: string, folders: readonly OwnFolder[], locked: readonly LockedFiles[]): void {
  const owner = ownerOf(out, folders, locked);
  if (owner === undefined) return;
  throw new UsageError(`${out} belongs to ${owner}, which would be lost: name another file.`);
}

/** Throws UsageError if writing `out` would replace what is read from one of `sources`, paths or `-`, under whatever name. */
export function requireNotRead(out: string, sources: readonly string[]): void {
  const source = sources.find((read) => isSame(out, read));
  if (source === undefined) return;
  throw new UsageError(`${out} would replace ${source === '-' ? 'standard input' : source}: name another file.`);
}

export function isSame(out: string, source: string): boolean {
  const read = identityOf(source);
  return resolve(out) === resolve(source) || (read !== undefined && identityOf(out) === read);
}

function ownerOf(out: string, folders: readonly OwnFolder[], locked: readonly LockedFiles[]): string | undefined {
  // What cannot be written is told where it is written.
  const target = quietly(() => targetOf(out));
  if (target === undefined) return undefined;
  const known = folders
    .map((folder) => ({ ...folder, id: identityOf(folder.path) }))
    .filter(({ id }) => id !== undefined);
  for (let path = target; dirname(path) !== path; path = dirname(path)) {
    const [folder, name] = [dirname(path), basename(path)];
    const id = identityOf(folder);
    const own =
      known.find((other) => other.id === id && other.names.test(name)) ??
      locked.find((other) => other.names.test(name) && statOf(join(folder, other.lock))?.isFile());
    if (own !== undefined) return own.what;
    if (WORK_FOLDER.test(name) && path !== target) return 'a file that is being written';
  }
  // A file with several names may be one of the program's under another.
  if ((statOf(target)?.nlink ?? 1) === 1) return undefined;
  return known.find((folder) => filesIn(folder).some((file) => isSame(target, file)))?.what;
}

function filesIn({ path, names }: OwnFolder): string[] {
  return readdirSync(path)
    .filter((name) => names.test(name))
    .flatMap((name) => {
      const own = join(path, name);
      return statOf(own)?.isDirectory() ? filesIn({ path: own, names: /./, what: '' }) : [own];
    });
}

/** Undefined for what has no content to lose, such as a pipe. */
function identityOf(path: string): string | undefined {
  const stat = statOf(path);
  return stat?.isFile() || stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** A path that cannot be examined cannot be read or replaced either, and that is reported there. */
function statOf(path: string): Stats | undefined {
  return quietly(() => (path === '-' ? fstatSync(0) : statSync(path)));
}

/** The most links in a chain, as in the system's own limit. */
const MAX_LINKS = 40;

/** The file that a name stands for, with links followed, whether it exists or not. A device or a pipe cannot be replaced. */
export function targetOf(named: string): string {
  const standing = statSync(named, { throwIfNoEntry: false });
  if (standing !== undefined && !standing.isFile()) {
    const hint = standing.isDirectory() ? undefined : 'Name a file, or redirect standard output.';
    throw new FileError(`Cannot write ${named}: it is not an ordinary file.`, { hint });
  }
  if (standing !== undefined) return realpathSync(named);
  let path = named;
  for (let links = 0; links < MAX_LINKS; links++) {
    path = join(realpathSync(dirname(path)), basename(path));
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
    const target = readlinkSync(path);
    // Not `join`: the part before a `..` may be a link.
    path = isAbsolute(target) ? target : `${dirname(path)}${sep}${target}`;
  }
  throw new FileError(`Cannot write ${named}: its links do not end.`);
}

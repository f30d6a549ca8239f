/** Which file is written under a name. */
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { FileError } from '../../errors.ts';

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

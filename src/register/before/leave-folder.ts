/**
 * Opens the rows of a folder in which an earlier vagent kept files: whoever comes first brings them over. They stay as
 * they are, but for a last line that keeps an earlier vagent from going on with them. Throws FileErrors.
 */
import { join } from 'node:path';
import { FileError } from '../../errors.ts';
import type { Rows, Sql } from '../../storage/database/sql.ts';
import {
  type FileSystem,
  fileError,
  openToRead,
  systemFiles,
  withFileErrors,
} from '../../storage/files/file-system.ts';
import { readLines } from '../../storage/files/json-lines.ts';
import { withLock } from '../../storage/files/lock.ts';
import { SECOND } from '../../text/units.ts';
import { serviceKey } from '../service-key.ts';
import type { OldFiles } from './old-files.ts';
import { type OldSent, oldLine } from './old-lines.ts';
import { type Bringing, bringOver, REGISTER } from './requests.ts';
import { namesIn, oldPlansIn, registerIn, seal, standingOf } from './seal.ts';

export interface Leaving {
  folder: string;
  /** What this process is doing, shown to others who wait. */
  command: string;
  /** Opens the rows; `begin` is for the transaction that makes the tables. */
  open: (begin: (sql: Sql) => Promise<void>) => Rows;
  bringPlans: Bringing;
}

/** Milliseconds to wait for an earlier vagent. */
const LOCK_TIMEOUT = 10 * SECOND;

export async function openLeaving({ folder, command, open, bringPlans }: Leaving): Promise<Rows> {
  const locks = withFileErrors('read', folder, () => locksIn(folder));
  return await holding(locks, command, async () => {
    const old = oldFolder(systemFiles, folder);
    let isBrought = false;
    const rows = open(async (sql) => {
      isBrought = true;
      await bringOver(old, sql, bringPlans);
    });
    await rows.write(async () => {});
    const isSealed = withFileErrors('read', folder, () => standingOf(systemFiles, folder)) === 'sealed';
    if (isSealed) return rows;
    if (!isBrought) await requireKnown(rows, folder);
    withFileErrors('write', registerIn(folder), () => seal(systemFiles, folder));
    return rows;
  });
}

/** What an earlier vagent locks: a plan before the register. */
function locksIn(folder: string): string[] {
  const names = oldPlansIn(systemFiles, folder);
  const ofPlans = names.filter((name) => /^\d/.test(name)).map((name) => `plans/${name}/lock`);
  const ofAll = names.length > 0 ? ['plans/lock', ...ofPlans, 'plans/opted-out.lock'] : [];
  return [...ofAll, 'register.lock'].map((lock) => join(folder, lock));
}

async function holding<T>([lock, ...others]: readonly string[], command: string, body: () => Promise<T>): Promise<T> {
  if (lock === undefined) return await body();
  const options = { timeoutMs: LOCK_TIMEOUT, command, file: lock };
  return await withLock(systemFiles, lock, options, () => holding(others, command, body));
}

/**
 * A program may have been killed after it had brought everything over, and before it said so. But if the last request
 * is not there, an earlier vagent was used beside the database, and whom it called is not known there.
 */
async function requireKnown(rows: Rows, folder: string): Promise<void> {
  const last = await lastSent(folder);
  if (last === undefined) return;
  const asked = 'select entry from requests where service_key = $1 and sent_at = $2 limit 1';
  const known = await rows.read((sql) => sql.all(asked, [serviceKey(last.intent.service), last.at]));
  if (known.length > 0) return;
  throw new FileError(`${registerIn(folder)} has requests of an earlier version that are not in vagent.db beside it.`, {
    code: 'register_damaged',
    reason: { kind: 'sent_beside', folder },
  });
}

async function lastSent(folder: string): Promise<OldSent | undefined> {
  let last: OldSent | undefined;
  const old = oldFolder(systemFiles, folder);
  if (!(await old.names('')).has(REGISTER)) return undefined;
  for await (const text of old.lines(REGISTER)) {
    const line = oldLine(text);
    if (line?.event === 'sent') last = line;
  }
  return last;
}

/** Old files in a folder of this machine. */
export function oldFolder(fs: FileSystem, folder: string): OldFiles {
  const nameOf = (path: string) => join(folder, path);
  return {
    nameOf,
    names: async (path) => withFileErrors('read', nameOf(path), () => namesIn(fs, nameOf(path))),
    async *lines(path) {
      try {
        for (const { text, isWhole } of readLines(fs, nameOf(path))) yield isWhole ? `${text}\n` : text;
      } catch (error) {
        throw fileError(error, 'read', nameOf(path));
      }
    },
    async bytes(path) {
      return withFileErrors('read', nameOf(path), () => {
        const fd = openToRead(fs, nameOf(path));
        try {
          return fs.readFileSync(fd);
        } finally {
          fs.closeSync(fd);
        }
      });
    },
  };
}

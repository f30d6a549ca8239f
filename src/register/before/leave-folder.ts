/**
 * Opens the rows of a folder in which an earlier vagent may have kept files: whoever comes first brings them over. They stay as
 * they are, but for a last line of `register.jsonl`: an earlier vagent takes it for a damaged entry, and calls nobody; whoever
 * looks into the file reads where the register is now. Throws FileErrors.
 */
import { constants, lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileError, systemCode } from '../../errors.ts';
import type { Rows, Sql } from '../../storage/database/sql.ts';
import { makePrivateFolder, replaceFile, syncFolder } from '../../storage/files/durable.ts';
import {
  systemFiles as fs,
  O_NOFOLLOW,
  openOrdinary,
  openToRead,
  quietly,
  readFully,
  withFileErrors,
  writeFully,
} from '../../storage/files/file-system.ts';
import { withLock } from '../../storage/files/lock.ts';
import { SECOND } from '../../text/units.ts';
import { serviceKey } from '../service-key.ts';
import type { Bringing } from './bring-over.ts';
import { damagedRegister, namesIn, oldFolder } from './old-files.ts';
import { removeOldTables } from './shared-form.ts';

const BEGINNING = '{"moved_to":"vagent.db",';
const NOTE =
  'The register is kept in this database since then. Whoever reads this as a damaged line has an earlier vagent, ' +
  'which knows of nobody who was called since: install the newer one.';
const SEAL = `${BEGINNING}"note":"${NOTE}"}\n`;
/** What an earlier vagent may have added since: outcomes of what it had sent before. */
const LOOKED_AT = 1 << 16;
/** Milliseconds to wait for an earlier vagent. */
const LOCK_TIMEOUT = 10 * SECOND;

export interface Leaving {
  folder: string;
  /** The file of the rows. */
  database: string;
  /** What this process is doing, shown to others who wait. */
  command: string;
  /** Opens the rows; `begin` is for the transaction that makes the tables. */
  open: (begin?: (sql: Sql) => Promise<void>) => Rows;
  bringPlans: Bringing;
}

export async function openLeaving({ folder, database, command, open, bringPlans }: Leaving): Promise<Rows> {
  const standing = withFileErrors('read', folder, () => standingOf(folder));
  if (standing === 'none') return open();
  if (standing === 'sealed') {
    if (lstatSync(database, { throwIfNoEntry: false }) === undefined) throw movedAndGone(folder);
    return open(async () => {
      throw movedAndGone(folder);
    });
  }
  const { bringOver } = await import('./bring-over.ts');
  const locks = withFileErrors('read', folder, () => locksIn(folder));
  return await holding(locks, command, async () => {
    let isBrought = false;
    const rows = open(async (sql) => {
      isBrought = true;
      await bringOver(oldFolder(folder), sql, bringPlans);
    });
    await rows.write(async () => {});
    if (withFileErrors('read', folder, () => standingOf(folder)) === 'sealed') return rows;
    if (!isBrought) await requireKnown(rows, folder);
    withFileErrors('write', registerIn(folder), () => seal(folder));
    return rows;
  });
}

function registerIn(folder: string): string {
  return join(folder, 'register.jsonl');
}

function movedAndGone(folder: string): Error {
  return damagedRegister(
    `${registerIn(folder)} says that the register has moved to vagent.db beside it, and that is gone`,
    'Put vagent.db back, with the files beside it: whom anybody called since stands there alone. Nobody is called until then.',
  );
}

/** Whether an earlier vagent has left something in a folder, and that is already brought over. Throws system errors. */
function standingOf(folder: string): 'none' | 'left' | 'sealed' {
  let fd: number;
  try {
    fd = openToRead(fs, registerIn(folder));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return oldPlansIn(folder).length > 0 ? 'left' : 'none';
    throw error;
  }
  try {
    return `\n${endOf(fd, LOOKED_AT)}`.includes(`\n${BEGINNING}`) ? 'sealed' : 'left';
  } finally {
    fs.closeSync(fd);
  }
}

/** So many bytes, or all if there are fewer. */
function endOf(fd: number, most: number): Buffer {
  const { size } = fs.fstatSync(fd);
  const bytes = Buffer.alloc(Math.min(most, size));
  readFully(fs, fd, bytes, size - bytes.length);
  return bytes;
}

/** Folders of plans, and the list of those who opted out. Throws system errors. */
function oldPlansIn(folder: string): string[] {
  return [...namesIn(join(folder, 'plans'))].filter((name) => /^([1-9]\d{0,14}|opted-out\.jsonl)$/.test(name));
}

/** What an earlier vagent locks: a plan before the register. */
function locksIn(folder: string): string[] {
  const names = oldPlansIn(folder);
  const ofPlans = names.filter((name) => /^\d/.test(name)).map((name) => `plans/${name}/lock`);
  const ofAll = names.length > 0 ? ['plans/lock', ...ofPlans, 'plans/opted-out.lock'] : [];
  return [...ofAll, 'register.lock'].map((lock) => join(folder, lock));
}

async function holding<T>([lock, ...others]: readonly string[], command: string, body: () => Promise<T>): Promise<T> {
  if (lock === undefined) return await body();
  const options = { timeoutMs: LOCK_TIMEOUT, command, file: lock };
  return await withLock(fs, lock, options, () => holding(others, command, body));
}

/**
 * A program may have been killed after it had brought everything over, and before it said so. But if the last request
 * is not there, an earlier vagent was used beside the database, and whom it called is not known there.
 */
async function requireKnown(rows: Rows, folder: string): Promise<void> {
  const { lastSent } = await import('./bring-over.ts');
  const last = await lastSent(oldFolder(folder));
  if (last === undefined) return;
  const asked = 'select entry from requests where service_key = $1 and sent_at = $2 limit 1';
  const known = await rows.read((sql) => sql.all(asked, [serviceKey(last.service), last.at]));
  if (known.length > 0) return;
  throw new FileError(`${registerIn(folder)} has requests of an earlier version that are not in vagent.db beside it.`, {
    code: 'register_damaged',
    reason: { kind: 'sent_beside', folder },
  });
}

/** Adds the line, durably; also where there was no register, but plans. Throws system errors. */
function seal(folder: string): void {
  makePrivateFolder(fs, folder);
  const fd = openOrdinary(fs, registerIn(folder), constants.O_RDWR | constants.O_CREAT | O_NOFOLLOW);
  try {
    const isWhole = ['', '\n'].includes(endOf(fd, 1).toString());
    writeFully(fs, fd, Buffer.from(`${isWhole ? '' : '\n'}${SEAL}`), fs.fstatSync(fd).size);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  syncFolder(fs, folder);
}

// What is removed once all of it is in rows, when somebody asks for that ------------------------------------------------

/** An earlier vagent's files, by the folder that holds them; folders of plans are removed with all that is in them. */
const FILES: Readonly<Record<string, RegExp>> = {
  '': /^register\.(index|import|lock|jsonl\.new)(\.new)?$/,
  campaigns: /^[1-9]\d{0,14}\.(jsonl|rows\.jsonl|phones|summary\.json)(\.new)?$/,
  redials: /^[1-9]\d{0,14}\.json(\.new)?$/,
  plans: /^([1-9]\d{0,14}(\.new)?|lock|opted-out\.(jsonl|lock|count\.json(\.new)?))$/,
};

/**
 * Removes what an earlier vagent kept, and returns how many files that were; of tables, nothing is counted. Of a register one
 * line is left, which keeps that vagent from beginning anew. Throws FileErrors.
 */
export async function tidy(rows: Rows, stateFolder: string): Promise<number> {
  if (!rows.isShared) return withFileErrors('write', dirname(rows.location), () => tidyFolder(dirname(rows.location)));
  await rows.write(removeOldTables);
  const copies = join(stateFolder, 'registers');
  return withFileErrors('write', copies, () => {
    const removed = remove(join(copies, rows.location.replaceAll(/[^\w.-]+/g, '_')));
    quietly(() => rmdirSync(copies));
    return removed;
  });
}

/** Nothing is removed where it is not certain that all was brought over. */
function tidyFolder(folder: string): number {
  if (standingOf(folder) !== 'sealed') return 0;
  let removed = 0;
  for (const [name, files] of Object.entries(FILES)) {
    for (const file of namesIn(join(folder, name))) if (files.test(file)) removed += remove(join(folder, name, file));
    // Somebody else may keep something there as well.
    if (name !== '') quietly(() => rmdirSync(join(folder, name)));
  }
  replaceFile(fs, registerIn(folder), SEAL);
  return removed;
}

/** A file, or a folder with all that is in it; how many files that is. */
function remove(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  const count = stat.isDirectory() ? readdirSync(path, { recursive: true }).length : 1;
  rmSync(path, { recursive: true, force: true });
  return count;
}

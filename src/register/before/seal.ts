/**
 * The last line of a `register.jsonl` that was brought over. An earlier vagent takes it for a damaged entry, and calls
 * nobody; whoever looks into the file reads where the register is now.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.ts';
import { makePrivateFolder, replaceFile, syncFolder } from '../../storage/files/durable.ts';
import {
  type FileSystem,
  O_NOFOLLOW,
  openOrdinary,
  openToRead,
  readFully,
  writeFully,
} from '../../storage/files/file-system.ts';
import { damagedRegister } from './old-files.ts';

const BEGINNING = '{"moved_to":"vagent.db",';
const LINE = `${BEGINNING}"note":"The register is kept in this database since then. Whoever reads this as a damaged line has an earlier vagent, which knows of nobody who was called since: install the newer one."}\n`;
/** What an earlier vagent may have added since: outcomes of what it had sent before. */
const LOOKED_AT = 1 << 16;

export function movedAndGone(folder: string): Error {
  return damagedRegister(
    `${registerIn(folder)} says that the register has moved to vagent.db beside it, and that is gone`,
    'Put vagent.db back, with the files beside it: whom anybody called since stands there alone. Nobody is called until then.',
  );
}

export function registerIn(folder: string): string {
  return join(folder, 'register.jsonl');
}

/** Whether an earlier vagent has left something in a folder, and that is already brought over. Throws system errors. */
export function standingOf(fs: FileSystem, folder: string): 'none' | 'left' | 'sealed' {
  let fd: number;
  try {
    fd = openToRead(fs, registerIn(folder));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return oldPlansIn(fs, folder).length > 0 ? 'left' : 'none';
    throw error;
  }
  try {
    const { size } = fs.fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(LOOKED_AT, size));
    readFully(fs, fd, bytes, size - bytes.length);
    return `\n${bytes}`.includes(`\n${BEGINNING}`) ? 'sealed' : 'left';
  } finally {
    fs.closeSync(fd);
  }
}

/** Folders of plans, and the list of those who opted out. Throws system errors. */
export function oldPlansIn(fs: FileSystem, folder: string): string[] {
  return [...namesIn(fs, join(folder, 'plans'))].filter((name) => /^([1-9]\d{0,14}|opted-out\.jsonl)$/.test(name));
}

/** None where there is no such folder. Throws system errors. */
export function namesIn(fs: FileSystem, folder: string): ReadonlySet<string> {
  try {
    return new Set(fs.readdirSync(folder).map(String));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return new Set();
  }
}

/** Adds the line, durably; also where there was no register, but plans. Throws system errors. */
export function seal(fs: FileSystem, folder: string): void {
  makePrivateFolder(fs, folder);
  const fd = openOrdinary(fs, registerIn(folder), constants.O_RDWR | constants.O_CREAT | O_NOFOLLOW);
  try {
    const { size } = fs.fstatSync(fd);
    const last = Buffer.alloc(1);
    const isWhole = size === 0 || (readFully(fs, fd, last, size - 1) === 1 && last.toString() === '\n');
    writeFully(fs, fd, Buffer.from(`${isWhole ? '' : '\n'}${LINE}`), size);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  syncFolder(fs, folder);
}

/** Leaves nothing of the old register but this line. Throws system errors. */
export function leaveSeal(fs: FileSystem, folder: string): void {
  replaceFile(fs, registerIn(folder), LINE);
}

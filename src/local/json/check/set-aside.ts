/** Copies of damaged files, kept beside them, and the files without their damaged parts. */
import { join } from 'node:path';
import { Appender } from '../../../files/appender.ts';
import { writeFully } from '../../../files/bytes.ts';
import type { FileSystem } from '../../../files/file-system.ts';
import { syncFolder } from '../../../files/folder.ts';
import { openToRead } from '../../../files/open.ts';
import { sizeOf } from '../extents.ts';
import { SET_ASIDE } from '../root.ts';
import { suspectLines } from './suspect-lines.ts';

/** Copies a file beside itself, whatever it holds, and returns the copy's name; a missing file gets an empty copy. */
export function setAsideCopy(fs: FileSystem, folder: string, file: string): string {
  let number = 1;
  while (sizeOf(fs, join(folder, `${file}${SET_ASIDE}${number}`)) !== undefined) number++;
  const copy = `${file}${SET_ASIDE}${number}`;
  const path = join(folder, file);
  const fd = fs.openSync(join(folder, copy), 'wx', 0o600);
  try {
    if (sizeOf(fs, path) !== undefined) copyBytes(fs, path, fd);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(join(folder, copy), { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  syncFolder(fs, join(folder, copy, '..'));
  return copy;
}

const COPY_BYTES = 1 << 20;

function copyBytes(fs: FileSystem, from: string, to: number): void {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  const fd = openToRead(fs, from);
  try {
    let position = 0;
    for (let read = fs.readSync(fd, buffer, 0, COPY_BYTES, 0); read > 0; ) {
      writeFully(fs, to, buffer.subarray(0, read), position);
      position += read;
      read = fs.readSync(fd, buffer, 0, COPY_BYTES, position);
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Replaces a file by its sound lines. */
export function rewrite(fs: FileSystem, path: string, bytes: number, broken: Set<number>): void {
  const beside = `${path}.new`;
  const file = new Appender(fs, beside, 0);
  try {
    for (const { number, text } of suspectLines(fs, path, bytes)) if (!broken.has(number)) file.append(`${text}\n`);
    file.finish();
  } catch (error) {
    file.abandon();
    fs.rmSync(beside, { force: true });
    throw error;
  }
  fs.renameSync(beside, path);
  syncFolder(fs, join(path, '..'));
}

/** Replaces the register by one with other lines, in one step: after a kill or a power cut it is the old one or the new one. */
import { dirname } from 'node:path';
import { Appender } from '../files/appender.ts';
import type { FileSystem } from '../files/file-system.ts';
import { syncFolder } from '../files/folder.ts';
import { readLines } from '../files/json-lines.ts';

/** `replaced` returns the texts that come in place of a line. `end` is the register's size in whole lines. */
export function rewriteRegister(
  fs: FileSystem,
  path: string,
  end: number,
  replaced: (text: string) => Iterable<string>,
  /** What follows at the end. */
  added: () => Iterable<string> = () => [],
): void {
  const beside = `${path}.new`;
  const file = new Appender(fs, beside, 0);
  try {
    if (end > 0) {
      for (const { text } of readLines(fs, path, undefined, end)) {
        for (const line of replaced(text)) file.append(`${line}\n`);
      }
    }
    for (const line of added()) file.append(`${line}\n`);
    file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
  fs.renameSync(beside, path);
  syncFolder(fs, dirname(path));
}

/** The number of the entry that a line as it is written here belongs to; undefined for a line that was edited by hand. */
export function entryAtStart(text: string): number | undefined {
  const [, entry] = /^\{"entry":(\d{1,15}),/.exec(text) ?? [];
  return entry === undefined ? undefined : Number(entry);
}

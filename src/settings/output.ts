/** What holds for every file that the operator names to be written. */
import { UsageError } from '../errors.ts';
import { isSame, requireNotOwn, requireNotRead } from '../files/own-files.ts';
import type { Work } from '../files/work-folder.ts';
import { LOCKED_FILES, ownFolders } from './own-folders.ts';
import type { Settings } from './settings.ts';

export interface Output extends Work {
  /**
   * Throws UsageError if the program keeps the file, or the command reads it, or writes it otherwise. `alsoRead`: files that what the
   * command works on was made from.
   */
  requireFree(named: string, alsoRead?: readonly string[]): void;
}

export interface OutputParts {
  settings: Settings;
  /** The files that the command line names. */
  files: () => { read: readonly string[]; written: readonly string[] } | undefined;
  command: () => string;
}

export function outputOf({ settings, files, command }: OutputParts): Output {
  return {
    get command() {
      return command();
    },
    requireFree(named, alsoRead = []) {
      const { read = [], written = [] } = files() ?? {};
      requireNotRead(named, [...read, ...alsoRead]);
      if (written.filter((other) => isSame(named, other)).length > 1) {
        throw new UsageError(`${named} is to be written twice: name two files.`);
      }
      requireNotOwn(named, ownFolders(settings), LOCKED_FILES);
    },
  };
}

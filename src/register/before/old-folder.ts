/** Old files in a folder of this machine. */
import { join } from 'node:path';
import { fileError, withFileErrors } from '../../storage/files/file-error.ts';
import { type FileSystem, openToRead } from '../../storage/files/file-system.ts';
import { readLines } from '../../storage/files/json-lines.ts';
import type { OldFiles } from './old-files.ts';
import { namesIn } from './seal.ts';

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

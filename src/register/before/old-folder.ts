/** Old files in a folder of this machine. */
import { join } from 'node:path';
import { fileError } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { LineChunks } from '../../files/json-lines.ts';
import { openToRead } from '../../files/open.ts';
import { linesIn, type OldFiles } from './old-files.ts';
import { namesIn } from './seal.ts';

export function oldFolder(fs: FileSystem, folder: string): OldFiles {
  const nameOf = (path: string) => join(folder, path);
  const reading = <T>(path: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw fileError(error, 'read', nameOf(path));
    }
  };
  return {
    nameOf,
    async names(path) {
      return reading(path, () => namesIn(fs, nameOf(path)));
    },
    async *lines(path) {
      const chunks = reading(path, () => new LineChunks(fs, nameOf(path), 0));
      const next = () => reading(path, () => chunks.next());
      try {
        for (let bytes = next(); bytes !== undefined; bytes = next()) yield linesIn(bytes.toString()).lines;
        if (chunks.rest.length > 0) yield [chunks.rest.toString()];
      } finally {
        chunks.close();
      }
    },
    async bytes(path) {
      return reading(path, () => {
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

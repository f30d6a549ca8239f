/** The sizes of the store's files, and the sizes that the root requires. */
import { systemCode } from '../../errors.ts';
import { fileError } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { segmentPath } from './call-log.ts';
import { queuePath } from './queues.ts';
import { damagedFile, type Root } from './root.ts';

/** Throws FileError with the name of the first file that is missing or shorter than was committed. */
export function requireExtents(fs: FileSystem, folder: string, { segments, queues }: Root): void {
  const files = [
    ...segments.map(({ seq, bytes }) => ({ path: segmentPath(folder, seq), bytes })),
    ...queues.flatMap(({ campaign_id, contacts, retries }) => [
      { path: queuePath(folder, campaign_id, 'contacts'), bytes: contacts.bytes },
      { path: queuePath(folder, campaign_id, 'retries'), bytes: retries.bytes },
    ]),
  ];
  for (const { path, bytes } of files) {
    if (bytes > 0 && (sizeOf(fs, path) ?? 0) < bytes) throw damagedFile(path, 'is missing or cut off');
  }
}

/** Bytes of a file; undefined if it does not exist. */
export function sizeOf(fs: FileSystem, path: string): number | undefined {
  try {
    return fs.statSync(path).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', path);
  }
}

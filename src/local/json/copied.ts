/** A store that is made as a whole, of organizations that were kept elsewhere. */
import { join } from 'node:path';
import { FileError } from '../../errors.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, quietly } from '../../storage/files/file-system.ts';
import { withLock } from '../../storage/files/lock.ts';
import { type IssuedIdsOptions, ORGANIZATIONS_FOLDER } from './issued-ids.ts';
import { isNew, LOCK_NAME, ROOT_NAME, UNFINISHED } from './root.ts';

/** In the order in which they are moved: whoever sees the root sees everything. */
const MOVED = [ORGANIZATIONS_FOLDER, 'campaigns', 'calls', ROOT_NAME];

/**
 * Makes it beside the place of its files, in a folder of its own, and moves it there at the end, the root last. What was cut off
 * before is nothing, and is begun anew. `body` makes it in the folder that it is given. Throws FileError; then there is nothing.
 */
export async function madeAsAWhole(options: IssuedIdsOptions, body: (folder: string) => Promise<void>): Promise<void> {
  const { fs, folder } = options;
  const own = join(folder, UNFINISHED);
  try {
    makePrivateFolder(fs, folder);
    await withLock(fs, join(folder, LOCK_NAME), options, async () => {
      if (!isNew(fs, folder)) throw new FileError(`There is a store at ${folder} already. Nothing was changed.`);
      fs.rmSync(own, { recursive: true, force: true });
      try {
        makePrivateFolder(fs, own);
        await body(own);
        move(fs, own, folder);
      } finally {
        quietly(() => fs.rmSync(own, { recursive: true, force: true }));
      }
    });
  } catch (error) {
    throw fileError(error, 'write the store at', folder, 'Nothing was made.');
  }
}

/** Back again, if it fails. */
function move(fs: FileSystem, own: string, folder: string): void {
  const names = fs.readdirSync(own);
  const moved: string[] = [];
  try {
    syncFolder(fs, own);
    for (const name of MOVED.filter((one) => names.includes(one))) {
      // What stands there before the root is there after a power cut, too.
      if (name === ROOT_NAME) syncFolder(fs, folder);
      fs.renameSync(join(own, name), join(folder, name));
      moved.push(name);
    }
    syncFolder(fs, folder);
  } catch (error) {
    for (const name of moved.reverse()) quietly(() => fs.renameSync(join(folder, name), join(own, name)));
    throw error;
  }
}

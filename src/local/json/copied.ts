/** A store that is made as a whole, of organizations that were kept elsewhere. */
import { join } from 'node:path';
import { callsSinceReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, quietly } from '../../storage/files/file-system.ts';
import { withLock } from '../../storage/files/lock.ts';
import { callsOf, contactsOf, retriesOf } from '../copy.ts';
import { linesOf, type OnCopied, type Snapshot } from '../store.ts';
import { type IssuedIdsOptions, ORGANIZATIONS_FOLDER } from './issued-ids.ts';
import { type OpenTransaction, openTransaction } from './organization.ts';
import { writeContacts, writeRowsOf } from './queues.ts';
import { isNew, LOCK_NAME, newRoot, ROOT_NAME, type Root, UNFINISHED, writeRoot } from './root.ts';

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

interface CopiedOptions {
  fs: FileSystem;
  /** The organization's. */
  folder: string;
  segmentEntries?: number | undefined;
}

/** Into a folder that nobody reads yet. Throws system errors, and FileErrors. */
export async function writeCopy(options: CopiedOptions, from: Snapshot, onCopied: OnCopied): Promise<void> {
  const { fs, folder, segmentEntries } = options;
  makePrivateFolder(fs, folder);
  const root = newRoot(structuredClone(from.state));
  const open = openTransaction({ fs, folder, root, segmentEntries });
  try {
    await copyCampaigns(options, from, root, open);
    const total = callsSinceReset(from.state);
    let done = 0;
    for await (const calls of callsOf(from)) {
      for (const call of calls) open.appendCall(call);
      done += calls.length;
      onCopied(done, total);
    }
    open.finish();
  } catch (error) {
    open.abandon();
    throw error;
  }
  writeRoot(fs, folder, root);
}

async function copyCampaigns(
  { fs, folder }: CopiedOptions,
  from: Snapshot,
  root: Root,
  open: OpenTransaction,
): Promise<void> {
  for (const campaign of from.state.campaigns) {
    const { campaign_id, next_contact } = campaign;
    const extent = writeContacts(fs, folder, campaign_id, await contactsOf(from, campaign), next_contact);
    const rows = await from.rowsOf(campaign_id);
    root.queues.push({ ...extent, ...(rows !== undefined && { has_rows: true }) });
    const queues = open.queuesOf(campaign_id);
    for (const retry of await retriesOf(from, campaign_id)) queues.addRetry(retry);
    if (rows !== undefined) writeRowsOf(fs, folder, campaign_id, linesOf(rows));
  }
}

/** Writes the files of an organization that was kept elsewhere. */
import { callsSinceReset } from '../../engine/state.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { makePrivateFolder } from '../../files/folder.ts';
import { linesOf } from '../../files/rows.ts';
import { callsOf, contactsOf, retriesOf } from '../copying.ts';
import type { OnCopied, Snapshot } from '../store.ts';
import { SEGMENT_ENTRIES } from './call-log.ts';
import { ContactsWriter, writeRowsOf } from './queues.ts';
import { newRoot, type Root, rootText, writeRoot } from './root.ts';
import { OpenTransaction } from './transaction.ts';

export interface CopiedOptions {
  fs: FileSystem;
  /** The organization's. */
  folder: string;
  segmentEntries?: number | undefined;
}

/** Into a folder that nobody reads yet. Throws system errors, and FileErrors. */
export async function writeCopy(options: CopiedOptions, from: Snapshot, onCopied: OnCopied): Promise<void> {
  const { fs, folder, segmentEntries = SEGMENT_ENTRIES } = options;
  makePrivateFolder(fs, folder);
  const root = newRoot(structuredClone(from.state));
  const open = new OpenTransaction(fs, folder, root, segmentEntries, undefined);
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
  writeRoot(fs, folder, rootText(root));
}

async function copyCampaigns(
  { fs, folder }: CopiedOptions,
  from: Snapshot,
  root: Root,
  open: OpenTransaction,
): Promise<void> {
  for (const campaign of from.state.campaigns) {
    const { campaign_id, next_contact } = campaign;
    const contacts = new ContactsWriter(fs, folder, campaign_id, next_contact);
    try {
      for await (const contact of contactsOf(from, campaign)) contacts.add(contact);
    } catch (error) {
      contacts.abandon();
      throw error;
    }
    const rows = await from.rowsOf(campaign_id);
    root.queues.push({ ...contacts.finish(), ...(rows !== undefined && { has_rows: true }) });
    const queues = open.queuesOf(campaign_id);
    for (const retry of await retriesOf(from, campaign_id)) queues.addRetry(retry);
    if (rows !== undefined) writeRowsOf(fs, folder, campaign_id, linesOf(rows));
  }
}

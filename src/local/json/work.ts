/** What a transaction writes to the files of an organization, before its root names it. */
import type { FileSystem } from '../../storage/files/file-system.ts';
import { type Change, Transaction } from '../transaction.ts';
import { callLogWriter } from './call-log.ts';
import type { IssuedIds } from './issued-ids.ts';
import { CampaignFiles, type Places, writeRowsOf } from './queues.ts';
import { queueOf, type Root } from './root.ts';

interface Opening {
  fs: FileSystem;
  folder: string;
  root: Root;
  segmentEntries?: number | undefined;
  /** Undefined where nobody is given any. */
  ids?: IssuedIds;
  places?: Places;
}

/** Carries the changes out on a root, which then names everything that was written: all of it is durable. */
export async function carryOut(opening: Opening, changes: readonly Change[]): Promise<void> {
  const { fs, folder, root, segmentEntries, ids } = opening;
  const calls = callLogWriter(fs, folder, root, segmentEntries);
  const files = new CampaignFiles(opening);
  const transaction = new Transaction({
    state: root.state,
    read: async (wanted) => wanted.map((one) => files.read(one)),
    async write(piece) {
      for (const [campaignId, contacts] of piece.contacts) files.add(campaignId, contacts);
      for (const { entry } of piece.calls) calls.append(entry);
      for (const [campaignId, retries] of piece.retries) files.addRetries(campaignId, retries);
      for (const [campaignId, file] of piece.rows) {
        writeRowsOf(fs, folder, campaignId, file);
        queueOf(root, campaignId).has_rows = true;
      }
    },
    issueIds: async (change) => (ids === undefined ? change() : await ids.issue(root.state, change)),
  });
  try {
    await transaction.run(changes);
    calls.finish();
    files.finish(transaction.queues.values());
  } catch (error) {
    calls.abandon();
    files.abandon();
    throw error;
  }
}

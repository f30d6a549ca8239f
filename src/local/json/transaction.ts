/** The writes of one transaction to the files of the JSON store: none is committed before the root names it. */
import type { Campaign } from '../../engine/state.ts';
import type { FileSystem } from '../../storage/files/file-system.ts';
import type { Transaction } from '../store.ts';
import { callLogWriter } from './call-log.ts';
import type { IssuedIds } from './issued-ids.ts';
import { CampaignFiles, type Places, writeContacts, writeRowsOf } from './queues.ts';
import { queueOf, type Root } from './root.ts';

const DIALS_A_TURN = 5_000;

export interface Opening {
  fs: FileSystem;
  folder: string;
  root: Root;
  segmentEntries: number | undefined;
  /** Undefined where nobody is given any. */
  ids?: IssuedIds;
  places?: Places;
}

export interface OpenTransaction extends Transaction {
  /** Makes everything written durable, for the root to name. */
  finish(): void;
  abandon(): void;
}

export function openTransaction({
  fs,
  folder,
  root,
  segmentEntries,
  ids,
  places = new Map(),
}: Opening): OpenTransaction {
  const { state } = root;
  const calls = callLogWriter(fs, folder, root, segmentEntries);
  const opened = new Map<number, CampaignFiles>();
  return {
    state,
    appendCall: (entry) => calls.append(entry),
    addContacts(campaignId, contacts) {
      root.queues.push(writeContacts(fs, folder, campaignId, contacts));
    },
    async keepRows(campaignId, file) {
      const queue = root.queues.find(({ campaign_id }) => campaign_id === campaignId);
      // It may have been reset meanwhile.
      if (queue === undefined) return;
      writeRowsOf(fs, folder, campaignId, file);
      queue.has_rows = true;
    },
    queuesOf(campaignId) {
      const known = opened.get(campaignId);
      if (known !== undefined) return known;
      const campaign = state.campaigns.find(({ campaign_id }) => campaign_id === campaignId) as Campaign;
      const queues = new CampaignFiles({ fs, folder, extent: queueOf(root, campaignId), campaign, known: places });
      opened.set(campaignId, queues);
      return queues;
    },
    issueIds: async (change) => (ids === undefined ? change() : await ids.issue(state, change)),
    // Files are read when they are needed; so often an interrupt gets the chance to arrive.
    prepare: async () => DIALS_A_TURN,
    finish() {
      calls.finish();
      for (const queues of opened.values()) queues.finish();
    },
    abandon() {
      calls.abandon();
      for (const queues of opened.values()) queues.abandon();
    },
  };
}

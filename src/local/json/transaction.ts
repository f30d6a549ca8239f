/** The writes of one transaction to the files of the JSON store: none is committed before the root names it. */
import type { Contact, DocumentedCall } from '../../contract.ts';
import type { CampaignQueues } from '../../engine/campaigns.ts';
import type { Campaign, State } from '../../engine/state.ts';
import type { FileSystem } from '../../storage/files/file-system.ts';
import type { Transaction } from '../store.ts';
import { CallLogWriter } from './call-log.ts';
import type { IssuedIds } from './issued-ids.ts';
import { CampaignFiles, type Places, writeContacts, writeRowsOf } from './queues.ts';
import { queueOf, type Root } from './root.ts';

const DIALS_A_TURN = 5_000;

export class OpenTransaction implements Transaction {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #root: Root;
  readonly #ids: IssuedIds | undefined;
  readonly #calls: CallLogWriter;
  readonly #queues = new Map<number, CampaignFiles>();
  readonly #places: Places;

  constructor(
    fs: FileSystem,
    folder: string,
    root: Root,
    segmentEntries: number,
    ids: IssuedIds | undefined,
    places: Places = new Map(),
  ) {
    this.#fs = fs;
    this.#folder = folder;
    this.#root = root;
    this.#ids = ids;
    this.#places = places;
    this.#calls = new CallLogWriter(fs, folder, root, segmentEntries);
  }

  get state(): State {
    return this.#root.state;
  }

  appendCall(entry: DocumentedCall): void {
    this.#calls.append(entry);
  }

  addContacts(campaignId: number, contacts: readonly Contact[]): void {
    this.#root.queues.push(writeContacts(this.#fs, this.#folder, campaignId, contacts));
  }

  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    const queue = this.#root.queues.find(({ campaign_id }) => campaign_id === campaignId);
    // It may have been reset meanwhile.
    if (queue === undefined) return;
    writeRowsOf(this.#fs, this.#folder, campaignId, file);
    queue.has_rows = true;
  }

  queuesOf(campaignId: number): CampaignQueues {
    let queues = this.#queues.get(campaignId);
    if (queues === undefined) {
      const campaign = this.state.campaigns.find(({ campaign_id }) => campaign_id === campaignId) as Campaign;
      queues = new CampaignFiles(this.#fs, this.#folder, queueOf(this.#root, campaignId), campaign, this.#places);
      this.#queues.set(campaignId, queues);
    }
    return queues;
  }

  async issueIds<T>(change: () => T): Promise<T> {
    return this.#ids === undefined ? change() : await this.#ids.issue(this.state, change);
  }

  /** Files are read when they are needed; so often an interrupt gets the chance to arrive. */
  async prepare(): Promise<number> {
    return DIALS_A_TURN;
  }

  /** Makes everything written durable, for the root to name. */
  finish(): void {
    this.#calls.finish();
    for (const queues of this.#queues.values()) queues.finish();
  }

  abandon(): void {
    this.#calls.abandon();
    for (const queues of this.#queues.values()) queues.abandon();
  }
}

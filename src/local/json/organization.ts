/**
 * One organization of the JSON store: transactions over the small state that may append call log entries and contacts,
 * snapshots, and pages. A commit writes and syncs the data files, then replaces the root: one rename commits them all, and
 * readers need no lock.
 *
 * Failures are FileErrors; after one, the store on disk is what it was before the transaction or what it committed.
 */
import { join } from 'node:path';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import { type Campaign, type State, stateAfterReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import { makePrivateFolder, requireLasting } from '../../storage/files/durable.ts';
import { type FileSystem, fileError, withFileErrors } from '../../storage/files/file-system.ts';
import { type LockOptions, withLock } from '../../storage/files/lock.ts';
import type { Organization } from '../organizations.ts';
import {
  type Change,
  type CheckOptions,
  damaged,
  damagedFile,
  type Remark,
  type Snapshot,
  type StoreReport,
  type Transaction,
} from '../store.ts';
import { callLogWriter, callPage, segmentPath } from './call-log.ts';
import { type IssuedIds, ownFolder } from './issued-ids.ts';
import {
  CampaignFiles,
  type Places,
  queuePath,
  readContacts,
  readRowsOf,
  readWaiting,
  writeContacts,
  writeRowsOf,
} from './queues.ts';
import {
  copyOf,
  foreignFlaw,
  isNew,
  isUnfinished,
  LOCK_NAME,
  newRoot,
  queueOf,
  type ReadRoot,
  ROOT_NAME,
  type Root,
  readRoot,
  writeRoot,
} from './root.ts';

export interface OrganizationOptions extends LockOptions {
  fs: FileSystem;
  folder: string;
  organizationId: number;
  /** The state with which it is created; undefined if it must be there. */
  initial: (() => State) | undefined;
  /** The most calls in one file of the log. */
  segmentEntries?: number | undefined;
  /** Of the store. */
  ids: IssuedIds;
}

export class JsonOrganization implements Organization {
  readonly #options: OrganizationOptions;
  #newest: ReadRoot | undefined;
  readonly #places: Places = new Map();

  constructor(options: OrganizationOptions) {
    this.#options = options;
  }

  /** Needs no lock: one root is one snapshot. */
  async snapshot(): Promise<Snapshot | undefined> {
    const { fs, folder, initial } = this.#options;
    const root = this.#readNewest()?.root ?? (initial && newRoot(initial()));
    if (root === undefined) return void this.#options.ids.requireNotGone(this.#options.organizationId);
    const extentOf = (campaignId: number) => root.queues.find(({ campaign_id }) => campaign_id === campaignId);
    return {
      state: root.state,
      callPage: async (filter, limit, offset) => this.#callPage(root, filter, limit, offset),
      contactsOf: async (campaignId) => {
        const extent = extentOf(campaignId);
        if (extent === undefined) return [];
        return { [Symbol.iterator]: () => readContacts(fs, folder, extent) };
      },
      rowsOf: async (campaignId) =>
        withFileErrors('read', `the rows of campaign ${campaignId}`, () =>
          readRowsOf(fs, folder, campaignId, extentOf(campaignId)?.has_rows),
        ),
      waitingOf: async (campaignId) => readWaiting(fs, folder, queueOf(root, campaignId)),
    };
  }

  /**
   * A page of the log that a root commits. After a reset the segments are missing, or other ones have the same names: then the
   * page is worthless, and is read again from the new log.
   */
  async #callPage(root: Root, filter: CallFilter, limit: number, offset: number): Promise<CallPage> {
    const { fs, folder } = this.#options;
    const wasReset = () => this.#readNewest()?.root.resets !== root.resets && root.segments.length > 0;
    try {
      const page = callPage(fs, folder, root, filter, limit, offset);
      if (!wasReset()) return page;
    } catch (error) {
      if (!wasReset()) throw error;
    }
    const anew = this.#readNewest()?.root;
    return anew === undefined ? { calls: [], total: 0 } : this.#callPage(anew, filter, limit, offset);
  }

  async reset(fresh: State): Promise<void> {
    await this.#locked(async (before) => {
      const { fs, folder } = this.#options;
      const state = before === undefined ? fresh : stateAfterReset(fresh, before.state);
      const root = newRoot(state, (before?.resets ?? 0) + 1);
      writeRoot(fs, folder, root);
      try {
        for (const data of ['calls', 'campaigns']) fs.rmSync(join(folder, data), { recursive: true, force: true });
      } catch (cause) {
        throw new FileError(`The store at ${folder} was reset, but its old files could not all be removed.`, {
          hint: 'Nothing reads them any more: remove them by hand.',
          cause,
        });
      }
    });
  }

  async glance(): Promise<'new' | 'unfinished' | 'sound'> {
    const { fs, folder } = this.#options;
    if (isUnfinished(fs, folder) && isNew(fs, folder)) return 'unfinished';
    const read = this.#readNewest();
    if (read === undefined) return 'new';
    requireExtents(fs, folder, read.root);
    return 'sound';
  }

  async check(options: CheckOptions): Promise<StoreReport> {
    const { checkStore } = await import('./check/check-store.ts');
    return this.#named(await checkStore({ ...this.#options, ...options }));
  }

  /** With the files of a further organization named from the folder of the first. */
  #named(report: StoreReport): StoreReport {
    const name = ownFolder(this.#options.organizationId);
    const named = (remarks: Remark[]) => remarks.map((remark) => ({ ...remark, file: join(name, remark.file) }));
    return name === '' ? report : { ...report, problems: named(report.problems), leftovers: named(report.leftovers) };
  }

  /**
   * Takes the lock, creating the store if there is none; `body` gets the root as it was. System errors are thrown as
   * FileErrors.
   */
  async #locked(body: (before: Root | undefined) => Promise<void>): Promise<void> {
    const { fs, folder, initial } = this.#options;
    try {
      if (this.#readNewest() === undefined) {
        if (initial === undefined) throw damaged(`${folder} is missing`);
        makePrivateFolder(fs, folder);
      }
      await withLock(fs, join(folder, LOCK_NAME), this.#options, async () => {
        const before = this.#readNewest()?.root;
        if (before === undefined) {
          if (initial === undefined) throw damaged(`${folder} has lost its root`);
          const first = newRoot(initial());
          // If it may not last, the store counts as not created, and no change has happened.
          requireLasting(`create the store at ${folder}`, () => writeRoot(fs, folder, first));
        }
        await body(before);
      });
    } catch (error) {
      this.#newest = undefined;
      throw fileError(error, 'write the store at', folder, 'The store is as it was before.');
    }
  }

  /** Of a folder no other program plays what falls due, so nothing is to be skipped. */
  async transact(changes: readonly Change[]): Promise<true> {
    const { fs, folder } = this.#options;
    await this.#locked(async () => {
      const read = this.#readNewest();
      if (read === undefined) throw damaged(`${folder} has lost its root`);
      const root = copyOf(read);
      const open = openTransaction({ ...this.#options, root, places: this.#places });
      try {
        for (const change of changes) await change(open);
        open.finish();
        this.#newest = { root, text: writeRoot(fs, folder, root, read.text) };
      } catch (error) {
        open.abandon();
        throw error;
      }
    });
    return true;
  }

  #readNewest(): ReadRoot | undefined {
    const { fs, folder, organizationId } = this.#options;
    const read = readRoot(fs, folder, this.#newest);
    const flaw = read && foreignFlaw(read.root, organizationId);
    if (flaw !== undefined) throw damagedFile(join(folder, ROOT_NAME), flaw);
    this.#newest = read;
    return read;
  }
}

/** Throws FileError with the name of the first file that is missing or shorter than was committed. */
function requireExtents(fs: FileSystem, folder: string, { segments, queues }: Root): void {
  const files = [
    ...segments.map(({ seq, bytes }) => [segmentPath(folder, seq), bytes] as const),
    ...queues.flatMap(({ campaign_id, contacts, retries }) => [
      [queuePath(folder, campaign_id, 'contacts'), contacts.bytes] as const,
      [queuePath(folder, campaign_id, 'retries'), retries.bytes] as const,
    ]),
  ];
  for (const [path, bytes] of files) {
    const size = withFileErrors('read', path, () => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    if (size < bytes) throw damagedFile(path, 'is missing or cut off');
  }
}

const DIALS_A_TURN = 5_000;

export interface Opening {
  fs: FileSystem;
  folder: string;
  root: Root;
  segmentEntries?: number | undefined;
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

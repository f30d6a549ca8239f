/**
 * The JSON store: transactions over the small state that may append call log entries and contacts, snapshots, and pages. A
 * commit writes and syncs the data files, then replaces the root: one rename commits them all, and readers need no lock.
 *
 * Failures are FileErrors; after one, the store on disk is what it was before the transaction or what it committed.
 */
import { join } from 'node:path';
import type { CallFilter, CallPage } from '../../engine/handlers.ts';
import { type State, stateAfterReset } from '../../engine/state.ts';
import { FileError, InputError, isAnswer } from '../../errors.ts';
import { fileError, withFileErrors } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { makePrivateFolder } from '../../files/folder.ts';
import { type LockOptions, withLock } from '../../files/lock.ts';
import { NOT_DURABLE } from '../../files/replace.ts';
import type { CheckOptions, Remark, Snapshot, Store, StoreReport, Transaction } from '../store.ts';
import { SEGMENT_ENTRIES } from './call-log.ts';
import { callPage } from './call-pages.ts';
import { requireExtents } from './extents.ts';
import { type IssuedIds, ownFolder } from './issued-ids.ts';
import { type Places, readContacts, readRowsOf, readWaiting, writeRowsOf } from './queues.ts';
import {
  copyOf,
  damaged,
  damagedFile,
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
  rootText,
  writeRoot,
} from './root.ts';
import { OpenTransaction } from './transaction.ts';

export interface JsonStoreOptions extends LockOptions {
  fs: FileSystem;
  folder: string;
  /** The state with which a new store is created. */
  initial: () => State;
  /** The most calls in one file of the log. */
  segmentEntries?: number | undefined;
  /** Of the store and its neighbours; without, the store counts for itself. */
  ids?: IssuedIds;
  /** Whose store it is; by default the first organization's. */
  organizationId?: number | undefined;
}

interface Job {
  change: (transaction: Transaction) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export class JsonStore implements Store {
  readonly dialsOfCommit = Number.POSITIVE_INFINITY;
  readonly #options: JsonStoreOptions;
  #newest: ReadRoot | undefined;
  #waiting: Job[] = [];
  #isDraining = false;
  readonly #places: Places = new Map();

  constructor(options: JsonStoreOptions) {
    this.#options = options;
  }

  get location(): string {
    return this.#options.folder;
  }

  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  /** Needs no lock: one root is one snapshot. */
  async snapshot(): Promise<Snapshot> {
    const { fs, folder } = this.#options;
    const root = this.#readNewest()?.root ?? newRoot(this.#options.initial());
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
    return (await this.snapshot()).callPage(filter, limit, offset);
  }

  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    await this.#locked(async (root) => {
      const { fs, folder } = this.#options;
      // It may have been reset meanwhile.
      if (root?.queues.some(({ campaign_id }) => campaign_id === campaignId) !== true) return;
      writeRowsOf(fs, folder, campaignId, file);
      const copy = copyOf(this.#newest as ReadRoot);
      queueOf(copy, campaignId).has_rows = true;
      this.#write(copy);
    });
  }

  async reset(fresh: State): Promise<void> {
    await this.#locked(async (before) => {
      const { fs, folder } = this.#options;
      const state = before === undefined ? fresh : stateAfterReset(fresh, before.state);
      const root = newRoot(state, (before?.resets ?? 0) + 1);
      writeRoot(fs, folder, rootText(root));
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

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      try {
        await this.#locked(() => this.#commit(jobs));
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    this.#isDraining = false;
  }

  /**
   * Takes the lock, creating the store if there is none; `body` gets the root as it was. System errors are thrown as
   * FileErrors.
   */
  async #locked(body: (before: Root | undefined) => Promise<void>): Promise<void> {
    const { fs, folder } = this.#options;
    try {
      if (this.#readNewest() === undefined) makePrivateFolder(fs, folder);
      await withLock(fs, join(folder, LOCK_NAME), this.#options, async () => {
        const before = this.#readNewest()?.root;
        if (before === undefined) this.#create();
        await body(before);
      });
    } catch (error) {
      this.#newest = undefined;
      throw fileError(error, 'write the store at', folder, 'The store is as it was before.');
    }
  }

  /** Writes the first root. If it may not last, the store counts as not created, and no change has happened. */
  #create(): void {
    const { fs, folder } = this.#options;
    try {
      writeRoot(fs, folder, rootText(newRoot(this.#options.initial())));
    } catch (error) {
      if (!isNotDurable(error)) throw error;
      const hint = 'The store is as it was before.';
      throw new FileError(`Cannot create the store at ${folder}: it would not outlast a power cut.`, {
        hint,
        cause: error,
      });
    }
  }

  async #commit(jobs: Job[]): Promise<void> {
    const { fs, folder, segmentEntries = SEGMENT_ENTRIES } = this.#options;
    const read = this.#readNewest();
    if (read === undefined) throw damaged(`${folder} has lost its root`);
    const root = copyOf(read);
    const open = new OpenTransaction(fs, folder, root, segmentEntries, this.#options.ids, this.#places);
    const settled: (() => void)[] = [];
    const refusals: (() => void)[] = [];
    try {
      for (const { change, resolve, reject } of jobs) {
        try {
          const value = await change(open);
          settled.push(() => resolve(value as never));
        } catch (error) {
          if (!(error instanceof InputError || isAnswer(error))) throw error;
          refusals.push(() => reject(error));
        }
      }
      open.finish();
      this.#write(root);
    } catch (error) {
      open.abandon();
      // The change was written, though it may not last: a refused change is reported as refused, not as made.
      if (isNotDurable(error)) for (const refuse of refusals) refuse();
      throw error;
    }
    for (const settle of [...settled, ...refusals]) settle();
  }

  #write(root: Root): void {
    const text = rootText(root);
    if (text === this.#newest?.text) return;
    writeRoot(this.#options.fs, this.#options.folder, text);
    this.#newest = { root, text };
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

function isNotDurable(error: unknown): boolean {
  return error instanceof FileError && error.code === NOT_DURABLE;
}

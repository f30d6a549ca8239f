/**
 * The JSON store: transactions over the small state that may append call log entries and contacts, snapshots, and pages.
 * A commit writes and syncs the data files, then replaces the root: one rename commits them all, and readers need no lock.
 *
 * Failures are FileErrors; after one, the store on disk is what it was before the transaction or what it committed.
 */
import { join } from 'node:path';
import type { Contact, DocumentedCall } from '../contract.ts';
import type { CampaignQueues } from '../engine/campaigns.ts';
import type { CallFilter } from '../engine/handlers.ts';
import type { State } from '../engine/state.ts';
import { FileError, InputError, isAnswer } from '../errors.ts';
import { type FileSystem, fileError, makePrivateFolder, NOT_DURABLE } from '../files.ts';
import { type LockOptions, withLock } from '../lock.ts';
import { CallLogWriter, callPage } from './call-log.ts';
import { CampaignFiles, readContacts, writeContacts } from './queues.ts';
import { damaged, LOCK_NAME, newRoot, type ReadRoot, type Root, readRoot, writeRoot } from './root.ts';

/** What a transaction may do. Nothing of it is seen by anyone before the commit. */
export interface Transaction {
  readonly state: State;
  appendCall(entry: DocumentedCall): void;
  addContacts(campaignId: number, contacts: readonly Contact[]): void;
  queuesOf(campaignId: number): CampaignQueues;
}

/** One committed state of everything. */
export interface Snapshot {
  readonly state: State;
  callPage(filter: CallFilter, limit: number, offset: number): { calls: DocumentedCall[]; total: number };
  /** In the order they were sent. */
  contactsOf(campaignId: number): Contact[];
}

export interface StoreOptions extends LockOptions {
  fs: FileSystem;
  folder: string;
  /** The state of a store that does not exist yet. */
  initial: () => State;
}

interface Job {
  change: (transaction: Transaction) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export class Store {
  readonly #options: StoreOptions;
  #newest: ReadRoot | undefined;
  #waiting: Job[] = [];
  #isDraining = false;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /**
   * Runs `change` under the store's lock and commits what it did; the promise resolves once that is durable. Changes that
   * wait at the same time share one commit. A change that is refused (an InputError, or an error that is the service's
   * answer) must have changed nothing; any other error drops the whole commit.
   */
  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  /** The newest committed state. Needs no lock; a store that does not exist yet is seen as it will be created. */
  snapshot(): Snapshot {
    const root = this.#readNewest()?.root ?? newRoot(this.#options.initial());
    return {
      state: root.state,
      callPage: (filter, limit, offset) => this.#callPage(root, filter, limit, offset),
      contactsOf: (campaignId) => {
        const extent = root.queues.find(({ campaign_id }) => campaign_id === campaignId);
        return extent === undefined ? [] : readContacts(this.#options.fs, this.#options.folder, extent);
      },
    };
  }

  /**
   * A page of the log that a root commits. After a reset the segments are gone, or are other ones under the same names: what
   * was read is then no page of anything, and is read again from the new log.
   */
  #callPage(root: Root, filter: CallFilter, limit: number, offset: number): ReturnType<Snapshot['callPage']> {
    const { fs, folder } = this.#options;
    const wasReset = () => this.#readNewest()?.root.resets !== root.resets && root.segments.length > 0;
    try {
      const page = callPage(fs, folder, root, filter, limit, offset);
      if (!wasReset()) return page;
    } catch (error) {
      if (!wasReset()) throw error;
    }
    return this.snapshot().callPage(filter, limit, offset);
  }

  /** Replaces everything by `state`. */
  async reset(state: State): Promise<void> {
    await this.#locked(async () => {
      const { fs, folder } = this.#options;
      const root = newRoot(state, (this.#readNewest()?.root.resets ?? 0) + 1);
      writeRoot(fs, folder, serialize(root));
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

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // What is asked in this turn of the event loop joins the same commit.
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

  /** Takes the lock, creating the store where there is none; system errors come out as FileErrors. */
  async #locked(body: () => Promise<void>): Promise<void> {
    const { fs, folder } = this.#options;
    try {
      if (this.#readNewest() === undefined) makePrivateFolder(fs, folder);
      await withLock(fs, join(folder, LOCK_NAME), this.#options, async () => {
        if (this.#readNewest() === undefined) this.#create();
        await body();
      });
    } catch (error) {
      this.#newest = undefined;
      throw fileError(error, 'write the store at', folder, 'The store is as it was before.');
    }
  }

  /** The first root: where it is not sure to last, nothing that was asked for has happened yet. */
  #create(): void {
    const { fs, folder } = this.#options;
    try {
      writeRoot(fs, folder, serialize(newRoot(this.#options.initial())));
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
    const { fs, folder } = this.#options;
    const read = this.#readNewest();
    if (read === undefined) throw damaged(`${folder} has lost its root`);
    const root = JSON.parse(read.text) as Root;
    const open = new OpenTransaction(fs, folder, root);
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
      const text = serialize(root);
      if (text !== read.text) {
        writeRoot(fs, folder, text);
        this.#newest = { root, text };
      }
    } catch (error) {
      open.abandon();
      // Written, if not for sure: who was refused is told so, and not that their change was made.
      if (isNotDurable(error)) for (const refuse of refusals) refuse();
      throw error;
    }
    for (const settle of [...settled, ...refusals]) settle();
  }

  #readNewest(): ReadRoot | undefined {
    this.#newest = readRoot(this.#options.fs, this.#options.folder, this.#newest);
    return this.#newest;
  }
}

function isNotDurable(error: unknown): boolean {
  return error instanceof FileError && error.code === NOT_DURABLE;
}

function serialize(root: Root): string {
  return `${JSON.stringify(root)}\n`;
}

class OpenTransaction implements Transaction {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #root: Root;
  readonly #calls: CallLogWriter;
  readonly #queues = new Map<number, CampaignFiles>();

  constructor(fs: FileSystem, folder: string, root: Root) {
    this.#fs = fs;
    this.#folder = folder;
    this.#root = root;
    this.#calls = new CallLogWriter(fs, folder, root);
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

  queuesOf(campaignId: number): CampaignQueues {
    let queues = this.#queues.get(campaignId);
    if (queues === undefined) {
      const extent = this.#root.queues.find(({ campaign_id }) => campaign_id === campaignId);
      if (extent === undefined) throw damaged(`campaign ${campaignId} has no contacts`);
      queues = new CampaignFiles(this.#fs, this.#folder, extent);
      this.#queues.set(campaignId, queues);
    }
    return queues;
  }

  finish(): void {
    this.#calls.finish();
    for (const queues of this.#queues.values()) queues.finish();
  }

  abandon(): void {
    this.#calls.abandon();
    for (const queues of this.#queues.values()) queues.abandon();
  }
}

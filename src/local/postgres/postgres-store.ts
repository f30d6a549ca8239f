/**
 * What one organization keeps in PostgreSQL: transactions over its state, snapshots, and pages. Changes that wait at the same time
 * share a commit. Failures are FileErrors; after one, the store is what it was before or what it committed.
 */
import { randomUUID } from 'node:crypto';
import type { Client, Database } from '../../database/database.ts';
import { type State, stateAfterReset } from '../../engine/state.ts';
import { FileError, InputError, isAnswer } from '../../errors.ts';
import type { CheckOptions, Snapshot, Store, StoreReport, Transaction } from '../store.ts';
import { keepRows } from './campaign-rows.ts';
import { damaged } from './damage.ts';
import { create, deleteRows, insertAgents, readCommitId, readKept, replaceState } from './organization-rows.ts';
import type { Kept } from './rows.ts';
import { snapshotOver } from './snapshot.ts';
import { type GiveIds, OpenTransaction } from './transaction.ts';
import { insertWalletChanges, openingOf } from './wallet.ts';

export interface PostgresStoreOptions {
  database: Database;
  organizationId: number;
  /** The most dials that are played in one commit. */
  dialsOfCommit: number;
  /** The state with which it is created; undefined if it must be there. */
  initial: (() => State) | undefined;
}

interface Job {
  change: (transaction: Transaction) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export class PostgresStore implements Store {
  readonly dialsOfCommit: number;
  readonly #database: Database;
  readonly #organizationId: number;
  readonly #initial: (() => State) | undefined;
  #waiting: Job[] = [];
  #isDraining = false;
  /** What the last transaction left; whoever has the organization's row, and finds this commit in it, need not read all of it. */
  #kept: Kept | undefined;
  /** The newest state that was shown to anybody; nobody changes it. */
  #shown: { commitId: string; state: State } | undefined;
  /** Whether anybody has asked for a state since the last commit. */
  #isRead = false;

  constructor({ database, organizationId, initial, dialsOfCommit }: PostgresStoreOptions) {
    this.dialsOfCommit = dialsOfCommit;
    this.#database = database;
    this.#organizationId = organizationId;
    this.#initial = initial;
  }

  get location(): string {
    return this.#database.location;
  }

  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async snapshot(): Promise<Snapshot> {
    const kept = await this.#newest();
    const state = kept ?? this.#first();
    const read = <T>(body: (client: Client) => Promise<T>, none: T) =>
      kept === undefined ? Promise.resolve(none) : this.#database.read(body).then((found) => found ?? none);
    return snapshotOver(state, read);
  }

  /** The newest committed state; undefined if nothing was ever committed. */
  async #newest(): Promise<State | undefined> {
    this.#isRead = true;
    const commitId = await this.#database.ask((client) => readCommitId(client, this.#organizationId));
    if (commitId === undefined) return undefined;
    if (commitId !== this.#shown?.commitId) {
      const kept = await this.#database.read((client) => readKept(client, this.#organizationId));
      if (kept === undefined) return undefined;
      this.#shown = { commitId: kept.commitId, state: kept.state };
    }
    return this.#shown.state;
  }

  #first(): State {
    if (this.#initial !== undefined) return this.#initial();
    throw damaged(`organization ${this.#organizationId} is missing`);
  }

  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    await this.#database.write((client) => keepRows(client, campaignId, file));
  }

  async reset(fresh: State): Promise<void> {
    await this.#database.change(async (client) => {
      const before = await readKept(client, this.#organizationId, true);
      if (before === undefined) return await create(client, fresh);
      // There may be millions of rows.
      await client.query('set local statement_timeout = 0');
      await deleteRows(client, this.#organizationId);
      await replaceState(client, stateAfterReset(fresh, before.state));
      await insertWalletChanges(client, this.#organizationId, [openingOf(fresh)]);
      await insertAgents(client, fresh);
    });
  }

  async glance(): Promise<'new' | 'sound'> {
    return (await this.#newest()) === undefined ? 'new' : 'sound';
  }

  async check(_options: CheckOptions): Promise<StoreReport> {
    const { checkTables } = await import('./check.ts');
    const report = await this.#database.read((client) => checkTables(client, this.#organizationId));
    if (report !== undefined) return report;
    throw new FileError(`There is no store at ${this.location} yet.`, { reason: { kind: 'store_unreadable' } });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      try {
        for (const settle of await this.#commit(jobs)) settle();
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    this.#isDraining = false;
  }

  async transactIfFree<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<{ result: T } | undefined> {
    const done = await this.#database.change(async (client, hasMigrated) => {
      const commitId = await readCommitId(client, this.#organizationId, 'for update skip locked');
      if (commitId === undefined) return undefined;
      const open = await this.#open(client, commitId, hasMigrated);
      const result = await change(open);
      open.bookChange();
      await open.finish(randomUUID());
      return { result };
    });
    this.#keep();
    return done;
  }

  async #commit(jobs: readonly Job[]): Promise<(() => void)[]> {
    const settled = await this.#database.change(async (client, hasMigrated) => {
      // Nobody else changes the organization until the end of the transaction.
      const commitId = await readCommitId(client, this.#organizationId, 'for update');
      const open = await this.#open(client, commitId, hasMigrated);
      const settling: (() => void)[] = [];
      for (const { change, resolve, reject } of jobs) {
        try {
          const value = await change(open);
          open.bookChange();
          settling.push(() => resolve(value as never));
        } catch (error) {
          if (!(error instanceof InputError || isAnswer(error))) throw error;
          settling.push(() => reject(error));
        }
      }
      await open.finish(randomUUID());
      return settling;
    });
    this.#keep();
    return settled;
  }

  /** For whoever has the organization's row, in which this commit is named; it is made if there is none. */
  async #open(client: Client, commitId: string | undefined, hasMigrated: boolean): Promise<OpenTransaction> {
    const known = this.#kept;
    this.#kept = undefined;
    let kept = commitId !== undefined && known?.commitId === commitId ? known : undefined;
    kept ??= await readKept(client, this.#organizationId);
    if (kept === undefined) {
      await create(client, this.#first());
      kept = (await readKept(client, this.#organizationId)) as Kept;
    }
    const opened = kept;
    // Ids are counted aside, unless what counts them is as new as the transaction: nobody else sees it yet.
    const isNew = hasMigrated || commitId === undefined;
    const giveIds: GiveIds = (body) => (isNew ? body(client) : this.#database.writeAside(body));
    return new OpenTransaction(client, opened, giveIds, () => {
      this.#kept = opened;
    });
  }

  /** After a commit: who reads gets the state that was committed, and not one that the next transaction is changing. */
  #keep(): void {
    if (!this.#isRead || this.#kept === undefined) return;
    this.#isRead = false;
    const { commitId, state } = this.#kept;
    this.#shown = { commitId, state: structuredClone(state) };
  }
}

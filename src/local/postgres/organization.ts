/**
 * What one organization keeps in PostgreSQL: transactions over its state, and snapshots. Failures are FileErrors; after one, the
 * store is what it was before or what it committed.
 */
import { randomUUID } from 'node:crypto';
import { type State, stateAfterReset } from '../../engine/state.ts';
import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/connection.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Organization } from '../organizations.ts';
import { type Change, damaged, type Snapshot, type StoreReport } from '../store.ts';
import { type Kept, readKept } from './kept.ts';
import { create, deleteRows, insertBeginning, readCommitId, replaceState } from './rows.ts';
import { snapshotOver } from './snapshot.ts';
import { OpenTransaction } from './transaction.ts';

export interface OrganizationOptions {
  database: Database;
  organizationId: number;
  /** The most dials that are played in one commit. */
  dialsOfCommit: number;
  /** The state with which it is created; undefined if it must be there. */
  initial: (() => State) | undefined;
}

export class PostgresOrganization implements Organization {
  readonly #options: OrganizationOptions;
  readonly #database: Database;
  /** What the last transaction left; whoever has the organization's row, and finds this commit in it, need not read all of it. */
  #kept: Kept | undefined;
  /** The newest state that was shown to anybody; nobody changes it. */
  #shown: { commitId: string; state: State } | undefined;
  /** Whether anybody has asked for a state since the last commit. */
  #isRead = false;

  constructor(options: OrganizationOptions) {
    this.#options = options;
    this.#database = options.database;
  }

  async snapshot(): Promise<Snapshot | undefined> {
    const kept = await this.#newest();
    const state = kept ?? this.#options.initial?.();
    const read = <T>(body: (client: Client) => Promise<T>, none: T) =>
      kept === undefined ? Promise.resolve(none) : this.#database.read(body).then((found) => found ?? none);
    return state && snapshotOver(state, read);
  }

  /** The newest committed state; undefined if nothing was ever committed. */
  async #newest(): Promise<State | undefined> {
    this.#isRead = true;
    const commitId = await this.#database.ask((client) => readCommitId(client, this.#options.organizationId));
    if (commitId === undefined) return undefined;
    if (commitId !== this.#shown?.commitId) {
      const kept = await this.#database.read((client) => readKept(client, this.#options.organizationId));
      if (kept === undefined) return undefined;
      this.#shown = { commitId: kept.commitId, state: kept.state };
    }
    return this.#shown.state;
  }

  #first(): State {
    if (this.#options.initial !== undefined) return this.#options.initial();
    throw damaged(`organization ${this.#options.organizationId} is missing`);
  }

  async reset(fresh: State): Promise<void> {
    await this.#database.change(async (client) => {
      const before = await readKept(client, this.#options.organizationId, true);
      if (before === undefined) return await create(client, fresh);
      // There may be millions of rows.
      await client.query('set local statement_timeout = 0');
      await deleteRows(client, this.#options.organizationId);
      await replaceState(client, stateAfterReset(fresh, before.state));
      await insertBeginning(client, fresh);
    });
  }

  async glance(): Promise<'new' | 'sound'> {
    return (await this.#newest()) === undefined ? 'new' : 'sound';
  }

  async check(): Promise<StoreReport> {
    const { checkTables } = await import('./check.ts');
    const report = await this.#database.read((client) => checkTables(client, this.#options.organizationId));
    if (report !== undefined) return report;
    throw new FileError(`There is no store at ${this.#database.location} yet.`, {
      reason: { kind: 'store_unreadable' },
    });
  }

  /** False where another program is changing it, and that is to be skipped. */
  async transact(changes: readonly Change[], isToSkip: boolean): Promise<boolean> {
    const isDone = await this.#database.change(async (client, hasMigrated) => {
      // Nobody else changes the organization until the end of the transaction.
      const lock = isToSkip ? 'for update skip locked' : 'for update';
      const commitId = await readCommitId(client, this.#options.organizationId, lock);
      if (isToSkip && commitId === undefined) return false;
      const open = await this.#open(client, commitId, hasMigrated);
      for (const change of changes) {
        await change(open);
        open.bookChange();
      }
      await open.finish(randomUUID());
      return true;
    });
    this.#keep();
    return isDone;
  }

  /** For whoever has the organization's row, in which this commit is named; it is made if there is none. */
  async #open(client: Client, commitId: string | undefined, hasMigrated: boolean): Promise<OpenTransaction> {
    const known = this.#kept;
    this.#kept = undefined;
    let kept = commitId !== undefined && known?.commitId === commitId ? known : undefined;
    kept ??= await readKept(client, this.#options.organizationId);
    if (kept === undefined) {
      await create(client, this.#first());
      kept = (await readKept(client, this.#options.organizationId)) as Kept;
    }
    const opened = kept;
    // Ids are counted aside, unless what counts them is as new as the transaction: nobody else sees it yet.
    const isNew = hasMigrated || commitId === undefined;
    return new OpenTransaction({
      client,
      kept: opened,
      mayHold: this.#options.dialsOfCommit,
      giveIds: (body) => (isNew ? body(client) : this.#database.writeAside(body)),
      onFinished: () => {
        this.#kept = opened;
      },
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

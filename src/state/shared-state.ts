/**
 * A state folder that several machines share through a database. Each has a copy of the files, which is read as if it were the machine's
 * own; a change is made in the copy while the database's lock is held, and counts when the database has it. The intent to send something
 * is in the database before it is sent, so no other machine sends the same. A copy of which that is not certain is made anew.
 */

import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../database/database.ts';
import { VagentError } from '../errors.ts';
import { withFileErrors } from '../files/file-error.ts';
import { type FileSystem, systemFiles } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { type LockOptions, withLock } from '../files/lock.ts';
import { type Copied, CopyMarks, NOTHING } from './copy-mark.ts';
import { isIntact, pull, stranger } from './pull.ts';
import { type Change, changesOf, Push } from './push.ts';
import { isMarker, isPartOf, isScope, lockOf, markerOf, PLANS, planFolderOf, scopeOf } from './shape.ts';
import type { Publish, StateFolder } from './state-folder.ts';
import { readVersions, SHARED, type Version } from './tables.ts';
import { TouchedFiles } from './touched-files.ts';

export interface SharedStateOptions {
  /** postgres://user@host:port/database?schema=name, without a password. */
  url: string;
  /** The folder of this machine's copies of registers: this one has a folder of its own in it. */
  folder: string;
  /** The person at work: `user@host`. */
  by: string;
  fs?: FileSystem;
}

/** Milliseconds that a reader waits for a process of this machine that brings the same here, and between two looks. */
const PULL_TIMEOUT = 10_000;
const PULL_PAUSE = 20;
const PULL_LOCK: LockOptions = { timeoutMs: 0, command: 'copying', file: 'The copy of the register' };
const PULL_LOCK_WAITING: LockOptions = { ...PULL_LOCK, timeoutMs: PULL_TIMEOUT };
const PLANS_LOCK = `${PLANS}/lock`;

export class SharedState implements StateFolder {
  readonly path: string;
  readonly fs: FileSystem;
  /** Host, port, database and schema: no user, and no password. */
  readonly location: string;
  readonly #system: FileSystem;
  readonly #database: Database;
  readonly #marks: CopyMarks;
  readonly #touched: TouchedFiles;
  readonly #by: string;
  /** In this process one changes a scope at a time: those who wait would take the connections that the first one needs. */
  readonly #queues = new Map<string, Promise<unknown>>();

  /** Throws InputError. */
  constructor({ url, folder, by, fs = systemFiles }: SharedStateOptions) {
    this.#database = new Database(url, SHARED);
    this.location = this.#database.location;
    this.path = join(folder, this.location.replaceAll(/[^\w.-]+/g, '_'));
    this.#system = fs;
    this.#touched = new TouchedFiles(fs);
    this.fs = this.#touched.fs;
    this.#marks = new CopyMarks(fs, this.path);
    this.#by = by;
  }

  requireWritable(): Promise<void> {
    return this.#database.requireWritable();
  }

  async refresh(part: 'register' | 'plans'): Promise<void> {
    const versions = (await this.#database.ask(readVersions)) ?? new Map<string, Version>();
    for (const scope of versions.keys()) if (!isScope(scope)) throw stranger(this.location, scope);
    const here = withFileErrors('read', this.path, () => [...this.#marks.scopes, ...this.#plansHere()]);
    const scopes = new Set([...versions.keys(), ...here]);
    for (const scope of scopes) {
      if (isPartOf(scope, part)) await this.#bring(scope, versions.get(scope));
    }
  }

  async locked<T>(lock: string, options: LockOptions, body: (publish: Publish) => Promise<T>): Promise<T> {
    const scope = scopeOf(lock);
    const { timeoutMs, file } = options;
    const who = `process ${process.pid} of ${this.#by}`;
    return await this.#inTurn(scope, () =>
      this.#database.holding(scope, { timeoutMs, who, what: file ?? 'The register' }, async () => {
        // A new plan gets a number that no other has.
        if (scope === PLANS) await this.refresh('plans');
        if (this.#isUnconfirmed(scope)) await this.#withLock(PLANS_LOCK, PULL_LOCK_WAITING, () => this.#pull(scope));
        return await this.#withLock(lock, options, async () => {
          // All plans together have no file: each is a scope of its own.
          if (scope !== PLANS) await this.#pull(scope);
          return await this.#change(scope, body);
        });
      }),
    );
  }

  async marking(file: string, body: () => void): Promise<void> {
    body();
    const touched = this.#changes().get(file)?.touched ?? new Set();
    // Also if nothing was changed: the database may have been gone when it was made.
    await this.#push(new Map([[file, { files: new Map([[file, 'replaced']]), touched }]]));
  }

  /** What is not published after all stands in this copy only: then it is made anew before it is used again. */
  async #change<T>(scope: string, body: (publish: Publish) => Promise<T>): Promise<T> {
    withFileErrors('write', this.path, () => this.#marks.begin(scope));
    let failure: unknown;
    const publish = async () => {
      if (failure !== undefined) throw failure;
      try {
        await this.#publish(scope);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    let result: T;
    try {
      result = await body(publish);
    } catch (error) {
      // What a failed change leaves in a folder of one's own, it leaves here.
      if (failure === undefined) await publish().catch(() => {});
      if (failure === undefined) this.#marks.end(scope);
      throw error;
    }
    await publish();
    this.#marks.end(scope);
    return result;
  }

  /** What one lock guards, plans that were made under it, and marks that were removed under it. */
  async #publish(scope: string): Promise<void> {
    const isIncluded = (other: string) => {
      return other === scope || isMarker(other) || (scope === PLANS && planFolderOf(other) !== undefined);
    };
    const changes = [...this.#changes()].filter(([other]) => isIncluded(other));
    if (changes.length > 0) await this.#push(new Map(changes));
  }

  async #push(changes: ReadonlyMap<string, Change>): Promise<void> {
    // Also if it fails: what they hold is not certain then, and is not handed over later.
    for (const { touched } of changes.values()) this.#touched.forget(touched);
    const push = new Push(this.#system, this.path, this.#by);
    const copied = await this.#database.change(async (client) => {
      const done: [string, Copied][] = [];
      // In one order, so that no two machines wait for one another.
      for (const [scope, { files }] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
        done.push([scope, await push.scope(client, scope, files, this.#marks.read(scope))]);
      }
      return done;
    });
    withFileErrors('write', this.path, () => {
      for (const [scope, mark] of copied) this.#marks.write(scope, mark);
    });
  }

  #changes(): Map<string, Change> {
    return withFileErrors('read', this.path, () => changesOf(this.#system, this.path, this.#touched));
  }

  /** Makes the copy of a scope what the database has; undefined if it has none. */
  async #bring(scope: string, version: Version | undefined): Promise<void> {
    const lock = lockOf(scope);
    for (let waited = 0; ; waited += PULL_PAUSE) {
      const { mark, isBeingMade } = this.#marks.read(scope);
      const isSame = mark === (version?.mark ?? '');
      const isUnconfirmed = this.#isUnconfirmed(scope);
      if (isSame && !isUnconfirmed && this.#isCertain(scope)) return;
      if (lock === undefined) return await this.#pull(scope);
      try {
        const isNewPlan = planFolderOf(scope) !== undefined && !this.#isThere(scope);
        // Whoever makes a plan here holds the lock of all plans.
        const held = isNewPlan || isUnconfirmed ? PLANS_LOCK : lock;
        return await this.#withLock(held, PULL_LOCK, () => this.#pull(scope));
      } catch (error) {
        // A process of this machine holds it: it goes on from that version, or brings the same here.
        if (!(error instanceof VagentError) || error.code !== 'file_locked') throw error;
        if (isSame && !isBeingMade) return;
        if (waited >= PULL_TIMEOUT) throw error;
      }
      await delay(PULL_PAUSE);
    }
  }

  #isCertain(scope: string): boolean {
    return withFileErrors('read', this.path, () => {
      return !this.#marks.isBegun(scope) && isIntact(this.#system, this.path, this.#marks.read(scope));
    });
  }

  async #pull(scope: string): Promise<void> {
    const parts = { fs: this.#system, folder: this.path, marks: this.#marks, database: this.#database };
    if (planFolderOf(scope) === undefined) return await pull(parts, scope);
    const marker = markerOf(scope);
    // Whoever did not end a change of the plan may have taken down the wish, here and nowhere else.
    if (marker !== undefined && this.#marks.isBegun(scope)) await pull(parts, marker);
    if (this.#isThere(scope)) return await pull(parts, scope);
    // Nobody finds half of it.
    const beside = `${scope}.new`;
    await pull(parts, scope, beside);
    withFileErrors('write', this.path, () => {
      const [from, to] = [join(this.path, beside), join(this.path, scope)];
      if (this.#isThere(beside)) this.#system.renameSync(from, to);
      syncFolder(this.#system, dirname(to));
    });
  }

  /** Plans that nobody else may know of: somebody makes them just now, or was stopped before all were told. */
  #plansHere(): string[] {
    const folder = join(this.path, PLANS);
    if (this.#system.statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return this.#system
      .readdirSync(folder)
      .map((name) => `${PLANS}/${name}`)
      .filter((scope) => this.#isUnconfirmed(scope));
  }

  #isUnconfirmed(scope: string): boolean {
    if (planFolderOf(scope) === undefined) return false;
    return withFileErrors('read', this.path, () => this.#isThere(scope) && this.#marks.read(scope) === NOTHING);
  }

  #isThere(path: string): boolean {
    return this.#system.lstatSync(join(this.path, path), { throwIfNoEntry: false }) !== undefined;
  }

  async #withLock<T>(lock: string, options: LockOptions, body: () => Promise<T>): Promise<T> {
    const path = join(this.path, lock);
    withFileErrors('write', path, () => makePrivateFolder(this.#system, dirname(path)));
    return await withLock(this.#system, path, options, body);
  }

  async #inTurn<T>(scope: string, body: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(scope) ?? Promise.resolve();
    const turn = before.then(body);
    this.#queues.set(
      scope,
      turn.catch(() => {}),
    );
    return await turn;
  }
}

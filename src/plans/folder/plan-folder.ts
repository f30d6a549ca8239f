/**
 * A plan in its folder. Reading takes no lock and writes nothing. A change is a group of events: they are appended to the journal,
 * applied in memory, and then `plan.json` is replaced, which makes the journal's part count; the records of the contacts that
 * changed are kept beside it and written in place. After a kill or a power cut the plan is the one before or the one after.
 *
 * Failures are FileErrors. After one while writing, nothing has changed, unless the disk did not even let that be undone.
 */
import type { Contact } from '../../contract.ts';
import { NotFoundError } from '../../errors.ts';
import { fileError, withFileErrors } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { type OriginalRows, readRows } from '../../files/rows.ts';
import type { StateFolder } from '../../state/state-folder.ts';
import { hoursOf } from '../calendar.ts';
import type { Journal } from '../calls-of-contacts.ts';
import { cancelled } from '../ending.ts';
import { type PlanEvent, rowsOf } from '../events.ts';
import { readKept } from '../log/log-position.ts';
import type { LoadedPlan, OpenWave } from '../plan.ts';
import { ContactReader } from './contacts-file.ts';
import { damaged } from './damage.ts';
import { eventAt, eventsAt, readEvents } from './journal.ts';
import { PlanPaths } from './paths.ts';
import { OpenSession, type PlanSession } from './session.ts';
import { isThere, readStanding, type Standing } from './standing.ts';
import { clearStop, hasStop, readStop, type StopWish, writeStop } from './stop-marker.ts';

export interface PlanFolderOptions {
  state: StateFolder;
  planId: number;
  /** What this process is doing, for others who wait for the lock. */
  command: string;
}

/** Milliseconds that `change` waits for another process, unless it is told. */
const LOCK_TIMEOUT = 10_000;

export class PlanFolder {
  readonly planId: number;
  readonly paths: PlanPaths;
  readonly #state: StateFolder;
  readonly #fs: FileSystem;
  readonly #command: string;
  /** What was read last: texts of contacts are found by it. */
  #standing: Standing | undefined;

  constructor({ state, planId, command }: PlanFolderOptions) {
    this.planId = planId;
    this.paths = PlanPaths.of(state.path, planId);
    this.#state = state;
    this.#fs = state.fs;
    this.#command = command;
  }

  /** For what a run keeps beside the plan. */
  get fs(): FileSystem {
    return this.#fs;
  }

  /** The plan as it is now. Throws NotFoundError if there is none, and FileError, `plan_damaged` if its files do not fit. */
  load(): LoadedPlan {
    return this.#read().loaded;
  }

  /**
   * Runs `body` while nobody else can change the plan; it works on what it is given, and commits events. Waits at most
   * `timeoutMs` for another process. A wish to stop that was left is fulfilled first.
   */
  async change<T>(body: (session: PlanSession) => Promise<T>, timeoutMs = LOCK_TIMEOUT): Promise<T> {
    const { folder } = this.paths;
    try {
      // Locking would make the lock's file where there is no plan.
      if (!isThere(this.#fs, this.paths, this.planId)) throw this.#notFound();
      const options = { timeoutMs, command: this.#command, file: `Plan ${this.planId}` };
      return await this.#state.locked(`plans/${this.planId}/lock`, options, async (publish) => {
        const session = new OpenSession(this.#fs, this.paths, this.#read(), publish);
        await this.#fulfilStop(session);
        return await body(session);
      });
    } catch (error) {
      throw fileError(error, 'write', folder);
    }
  }

  /** From now on no wave is begun, whoever runs the plan; durable when it returns. The next `change` makes it `stopped`, or `cancelled`. */
  async requestStop(wish: StopWish): Promise<void> {
    await this.#state.marking(`plans/${this.planId}/stop.json`, () =>
      withFileErrors('write', this.paths.stop, () => writeStop(this.#fs, this.paths, wish)),
    );
  }

  /** Brings here what others did to the plan. */
  async refresh(): Promise<void> {
    await this.#state.refresh('plans');
  }

  /** Also by somebody at another machine. */
  async isStopRequested(): Promise<boolean> {
    await this.refresh();
    return withFileErrors('read', this.paths.stop, () => hasStop(this.#fs, this.paths));
  }

  /** The contacts of rows, in the order of `rows`, as they will be sent. */
  contactsOf(rows: Iterable<number>): Contact[] {
    return withFileErrors('read', this.paths.contacts, () => this.#contacts().of(rows));
  }

  /** One by one, in the order of the rows. */
  *eachContact(): Generator<Contact, void> {
    try {
      yield* this.#contacts().all();
    } catch (error) {
      throw fileError(error, 'read', this.paths.contacts);
    }
  }

  /** The rows of the file in the order of the contacts; undefined if they were not kept. */
  originalRows(): OriginalRows | undefined {
    const { plan } = this.#known().loaded;
    if (plan.columns === undefined) return undefined;
    const { rows } = this.paths;
    return withFileErrors('read', rows, () => {
      if (this.#fs.statSync(rows, { throwIfNoEntry: false }) === undefined)
        throw damaged(this.planId, `${rows} is missing`);
      return readRows(this.#fs, rows, plan.contacts);
    });
  }

  /** What happened, from a byte of the journal on, where a line begins. */
  *events(fromByte = 0): Generator<PlanEvent, void> {
    for (const { event } of this.#reading(() => readEvents(this.#fs, this.#journal(), fromByte))) yield event;
  }

  /** What happened, for readers that look at it more than once. */
  get history(): Journal {
    return {
      entries: () => this.#reading(() => readEvents(this.#fs, this.#journal())),
      eventsAt: (starts) => this.#reading(() => eventsAt(this.#fs, this.#journal(), starts)),
    };
  }

  /** The rows of a wave, in the order in which they are called. */
  rowsOfWave({ wave, journalAt }: Pick<OpenWave, 'wave' | 'journalAt'>): number[] {
    const { journal } = this.paths;
    const event = withFileErrors('read', journal, () => eventAt(this.#fs, this.#journal(), journalAt));
    if (event.event === 'handed' && event.wave === wave) return [...rowsOf(event.rows)];
    throw damaged(this.planId, `${journal} does not have wave ${wave} where it was written`);
  }

  *#reading<T>(read: () => Iterable<T>): Generator<T, void> {
    try {
      yield* read();
    } catch (error) {
      throw fileError(error, 'read', this.paths.journal);
    }
  }

  #journal() {
    const { loaded, applied } = this.#known();
    return { paths: this.paths, planId: this.planId, contacts: loaded.plan.contacts, applied };
  }

  #contacts(): ContactReader {
    return new ContactReader(this.#fs, this.paths, this.planId, this.#known().loaded.roster.fixed);
  }

  #known(): Standing {
    return this.#standing ?? this.#read();
  }

  #read(): Standing {
    const { folder } = this.paths;
    const standing = withFileErrors('read', folder, () => readStanding(this.#fs, this.paths, this.planId, hoursOf));
    if (standing === undefined) throw this.#notFound();
    const ahead = readKept(this.#fs, this.paths.log)?.ahead ?? standing.loaded.plan.clockAhead;
    if (ahead !== undefined) standing.loaded.ahead = ahead;
    this.#standing = standing;
    return standing;
  }

  #notFound(): NotFoundError {
    return new NotFoundError(`There is no plan ${this.planId}.`, { code: 'plan_not_found' });
  }

  async #fulfilStop(session: PlanSession): Promise<void> {
    const wish = readStop(this.#fs, this.paths);
    if (wish === undefined) return;
    const { position, roster } = session.loaded;
    const { state } = position;
    const { at, reason, isForGood } = wish;
    if (state !== 'done' && state !== 'cancelled' && isForGood) await session.commit(cancelled(roster, at, reason));
    else if (state === 'open' || state === 'waiting') await session.commit([{ event: 'stopped', at, reason }]);
    clearStop(this.#fs, this.paths);
  }
}

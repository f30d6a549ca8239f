/** A change of a plan, by the one process that holds its lock. */
import { FileError } from '../../errors.ts';
import { fileError } from '../../files/file-error.ts';
import { type FileSystem, quietly } from '../../files/file-system.ts';
import { syncFolder } from '../../files/folder.ts';
import { NOT_DURABLE } from '../../files/replace.ts';
import type { Publish } from '../../state/state-folder.ts';
import { applyEvent } from '../apply.ts';
import type { PlanEvent } from '../events.ts';
import type { LoadedPlan } from '../plan.ts';
import { recordBytes } from '../roster.ts';
import { appendEvents, cutBack } from './journal.ts';
import type { PlanPaths } from './paths.ts';
import { type Changed, changedOf, sumsOf, writeChanged, writeInPlace } from './records.ts';
import { type FileMark, writeRoot } from './root.ts';
import type { Standing } from './standing.ts';

export interface PlanSession {
  loaded: LoadedPlan;
  /** The part of the journal that `loaded` follows from. */
  readonly journalBytes: number;
  /**
   * Makes events part of the plan, all or none, and applies them to `loaded`; durable, and known to all, when it resolves. Throws
   * FileErrors; then nothing was changed, and the session is over.
   */
  commit(events: readonly PlanEvent[]): Promise<void>;
}

export class OpenSession implements PlanSession {
  readonly loaded: LoadedPlan;
  readonly #fs: FileSystem;
  readonly #paths: PlanPaths;
  readonly #contactsFile: FileMark;
  readonly #stride: number;
  /** What belongs to the root on the disk and may not be in place yet. */
  #pending: Changed | undefined;
  #journalBytes: number;
  #failure: unknown;
  readonly #publish: Publish;

  constructor(fs: FileSystem, paths: PlanPaths, standing: Standing, publish: Publish) {
    const { loaded, pending, journalBytes, contactsFile } = standing;
    this.#fs = fs;
    this.#paths = paths;
    this.#pending = pending;
    this.#journalBytes = journalBytes;
    this.#contactsFile = contactsFile;
    this.#stride = recordBytes(loaded.roster.dials);
    this.loaded = loaded;
    this.#publish = publish;
  }

  get journalBytes(): number {
    return this.#journalBytes;
  }

  async commit(events: readonly PlanEvent[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (events.length === 0) return;
    try {
      this.#commit(events);
      await this.#publish();
    } catch (error) {
      // What is in memory may now be ahead of the disk.
      this.#failure = fileError(error, 'write', this.#paths.folder, 'The plan is as it was before.');
      throw this.#failure;
    }
  }

  #commit(events: readonly PlanEvent[]): void {
    // `changed.bin` is about to be replaced.
    this.#settle();
    const before = this.#journalBytes;
    const { starts, end } = appendEvents(this.#fs, this.#paths, before, events);
    let isLasting: boolean;
    try {
      for (const [at, event] of events.entries()) applyEvent(event, this.loaded, starts[at] as number);
      this.#writeChanged(end);
      isLasting = this.#writeRoot(end);
    } catch (error) {
      quietly(() => cutBack(this.#fs, this.#paths.journal, before));
      throw error;
    }
    this.#journalBytes = end;
    // The change is made, even if these records have to be put in place by the next one.
    if (isLasting) quietly(() => this.#settle());
  }

  #writeChanged(applied: number): void {
    const { roster } = this.loaded;
    const rows = roster.takeChanged();
    if (rows.length === 0) return;
    this.#pending = changedOf(applied, rows, roster.records, this.#stride);
    writeChanged(this.#fs, this.#paths, this.#pending);
  }

  /** Whether the new root outlasts a power cut for sure; if not, the journal makes up for it. */
  #writeRoot(applied: number): boolean {
    const { plan, position, roster } = this.loaded;
    const { counts } = roster;
    const root = { plan, position, applied, counts, contacts_file: this.#contactsFile, sums: sumsOf(roster) };
    try {
      writeRoot(this.#fs, this.#paths, root);
      return true;
    } catch (error) {
      if (error instanceof FileError && error.code === NOT_DURABLE) return false;
      throw error;
    }
  }

  #settle(): void {
    if (this.#pending === undefined) return;
    // As long as the root may fall back to the one before, the records must not go ahead of it.
    syncFolder(this.#fs, this.#paths.folder);
    writeInPlace(this.#fs, this.#paths, this.#pending, this.#stride);
    this.#pending = undefined;
  }
}

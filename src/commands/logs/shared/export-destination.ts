/** Where an export goes: standard output, or a file that appears when it is complete and can be resumed until then. */
import {
  type Checkpoint,
  type CheckpointProgress,
  CheckpointWriter,
  type ExportIdentity,
  readCheckpoint,
  removeCheckpoint,
} from '../../../calls/checkpoint.ts';
import { type ExportOptions, exportWriter } from '../../../calls/export.ts';
import type { CallLogEntry } from '../../../contract.ts';
import type { FileInProgress } from '../../../files/in-progress.ts';
import type { WorkFolder } from '../../../files/work-folder.ts';
import type { Page } from '../../../paging/pages.ts';
import type { Io } from '../../../terminal/io.ts';
import { TextIndex } from '../../../text/text-index.ts';

/** How the calls are written. `isSpooled`: the columns of the CSV are known only after the last call. */
export interface ExportLayout extends ExportOptions {
  isSpooled: boolean;
}

export interface Destination {
  /** Calls written, including those of an earlier run. */
  readonly rows: number;
  /** Writes the `wanted` calls of a page. */
  page(page: Page, wanted: readonly CallLogEntry[]): Promise<void>;
  finish(): Promise<void>;
  /** Called when the export was cut off: keeps what a later run can continue with, and notes it. */
  leave(): void;
}

export interface DestinationOptions {
  /** The name on the command line. */
  out: string;
  /** The folder in which the file is made; undefined for standard output. */
  work: WorkFolder | undefined;
  layout: ExportLayout;
  identity: ExportIdentity;
  since: number | undefined;
  earlier: Checkpoint | undefined;
}

/** The files of the work folder: the calls so far, and how far the export is. */
const ROWS = 'rows';
const CHECKPOINT = 'checkpoint';

/** What an earlier run left for this file, or undefined with a note. Throws UsageError, FileError. */
export function readEarlier(work: WorkFolder, out: string, identity: ExportIdentity, io: Io): Checkpoint | undefined {
  const isLeft = work.left(CHECKPOINT) !== undefined;
  const earlier = isLeft ? readCheckpoint(work.file(CHECKPOINT), identity, '--resume') : undefined;
  if (earlier !== undefined && (work.left(ROWS) ?? 0) >= earlier.progress.bytes) {
    io.note(`Continuing after ${earlier.progress.rows} calls.`);
    return earlier;
  }
  io.note(`There is nothing to continue for ${out}: starting from the beginning.`);
  return undefined;
}

/** Loads the modules for files only when there is a file. */
export async function openDestination(options: DestinationOptions, io: Io): Promise<Destination> {
  const { work } = options;
  if (work === undefined) return new Stream(options.layout, io);
  const files = await import('../../../files/in-progress.ts');
  const openRows = (kept: number) => new files.FileInProgress(work, ROWS, kept);
  return new ResumableFile({ ...options, work, openRows }, io);
}

class Stream implements Destination {
  readonly #io: Io;
  readonly #writer: ReturnType<typeof exportWriter>;
  rows = 0;

  constructor(layout: ExportLayout, io: Io) {
    this.#io = io;
    this.#writer = exportWriter(layout);
  }

  async page(_page: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    await this.#io.data(await this.#writer.rows(wanted));
    this.rows += wanted.length;
  }

  async finish(): Promise<void> {
    await this.#io.data(await this.#writer.end());
  }

  leave(): void {}
}

/** What is opened with the first page: an earlier run's work stays as it is until the service has answered. */
interface Opened {
  file: FileInProgress;
  /** Undefined once a page had a call_id that contains the API key, because the key is never stored. */
  checkpoint: CheckpointWriter | undefined;
}

interface ResumableOptions extends DestinationOptions {
  work: WorkFolder;
  /** Opens the file of calls, keeping its first bytes. */
  openRows: (kept: number) => FileInProgress;
}

class ResumableFile implements Destination {
  readonly #io: Io;
  readonly #options: ResumableOptions;
  readonly #progress: CheckpointProgress;
  readonly #writer: ReturnType<typeof exportWriter>;
  #opened: Opened | undefined;
  rows: number;

  constructor(options: ResumableOptions, io: Io) {
    const { layout, earlier } = options;
    const redact = (text: string) => io.redactor.redact(text);
    this.#io = io;
    this.#options = options;
    this.#progress = earlier?.progress ?? { bytes: 0, offset: 0, rows: 0, total: undefined, seen: new TextIndex() };
    this.#writer = exportWriter({ ...(layout.isSpooled ? SPOOL : layout), redact }, this.#progress.rows);
    this.rows = this.#progress.rows;
  }

  async page({ keys, total, next }: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    const opened = this.#open();
    opened.file.write(await this.#writer.rows(wanted));
    const rows = this.rows + wanted.length;
    const bytes = opened.file.flush();
    const ids = keys.join('\n');
    if (this.#io.redactor.redact(ids) !== ids) {
      opened.checkpoint?.remove();
      opened.checkpoint = undefined;
    }
    opened.checkpoint?.page({ bytes, offset: next, rows, total, ids: keys });
    this.rows = rows;
  }

  async finish(): Promise<void> {
    const { file, checkpoint } = this.#open();
    const { layout, work } = this.#options;
    file.write(await this.#writer.end());
    if (layout.isSpooled) {
      file.flush();
      const { spoolToCsv } = await import('../../../calls/all-columns.ts');
      await spoolToCsv(file.beside, work, layout, (text) => this.#io.redactor.redact(text));
      file.abandon();
    } else {
      file.finish();
    }
    checkpoint?.remove();
  }

  leave(): void {
    if (this.#opened === undefined) return;
    const { file, checkpoint } = this.#opened;
    if (checkpoint === undefined) {
      file.abandon();
      return;
    }
    file.leave();
    checkpoint.leave();
    const { out } = this.#options;
    this.#io.note(`${this.rows} calls are kept beside ${out}: the same command with --resume continues after them.`);
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const { work, openRows, identity, since, earlier } = this.#options;
    const path = work.file(CHECKPOINT);
    if (earlier === undefined) removeCheckpoint(path);
    const file = openRows(this.#progress.bytes);
    try {
      const first = { export: identity, since };
      const checkpoint =
        earlier === undefined ? CheckpointWriter.begin(path, first) : CheckpointWriter.goOn(path, earlier);
      this.#opened = { file, checkpoint };
      return this.#opened;
    } catch (error) {
      if (earlier === undefined) file.abandon();
      else file.leave();
      throw error;
    }
  }
}

/** Rows are stored as NDJSON while the columns are not known. */
const SPOOL: ExportOptions = { format: 'ndjson', columns: undefined, hasHeader: true, isExcel: false };

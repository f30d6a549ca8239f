/** Where an export goes: standard output, or a file that is whole or not there, with what a later run needs to go on. */
import { basename, dirname, join } from 'node:path';
import {
  type Checkpoint,
  type CheckpointProgress,
  CheckpointWriter,
  checkpointPath,
  type ExportIdentity,
  readCheckpoint,
} from '../../calls/checkpoint.ts';
import { type ExportOptions, exportWriter } from '../../calls/export.ts';
import type { Page } from '../../calls/pages.ts';
import { type CallLogEntry, totalOf } from '../../contract.ts';
import { FileInProgress, quietly, systemFiles } from '../../files.ts';
import type { Io } from '../../io.ts';

/** How the calls are written. `isSpooled`: the columns of the CSV are those that the calls turn out to have. */
export interface Form extends ExportOptions {
  isSpooled: boolean;
}

export interface Destination {
  /** Calls written, those of an earlier run included. */
  readonly rows: number;
  /** A page, and those of its calls that are to be written. */
  page(page: Page, wanted: readonly CallLogEntry[]): Promise<void>;
  finish(): Promise<void>;
  /** The export was cut off: what can be gone on with is kept, and said. */
  leave(): void;
}

export interface DestinationOptions {
  out: string;
  form: Form;
  identity: ExportIdentity;
  since: number | undefined;
  earlier: Checkpoint | undefined;
}

/** What an earlier run to the file left, or undefined, said, where that is nothing. Throws UsageError, FileError. */
export function readEarlier(out: string, form: Form, identity: ExportIdentity, io: Io): Checkpoint | undefined {
  const earlier = readCheckpoint(checkpointPath(out), identity);
  if (earlier !== undefined && FileInProgress.left(rowsFile(out, form)) >= earlier.progress.bytes) {
    io.note(`Going on after ${earlier.progress.rows} calls.`);
    return earlier;
  }
  io.note(`There is nothing to go on with for ${out}: beginning anew.`);
  return undefined;
}

/**
 * Runs an export to a file while nobody else may: two would write into one file. Throws FileError, where the file cannot be
 * written or who is writing it.
 */
export async function alone<T>(out: string, command: string, run: () => Promise<T>): Promise<T> {
  FileInProgress.requireWritable(out);
  const { withLock } = await import('../../lock.ts');
  const lock = join(dirname(out), `.${basename(out)}.lock`);
  return withLock(systemFiles, lock, { timeoutMs: 0, command, file: out }, async () => {
    try {
      return await run();
    } finally {
      quietly(() => systemFiles.rmSync(lock, { force: true }));
    }
  });
}

export function openDestination(options: DestinationOptions, io: Io): Destination {
  return options.out === '-' ? new Stream(options.form, io) : new ResumableFile(options, io);
}

class Stream implements Destination {
  readonly #io: Io;
  readonly #writer: ReturnType<typeof exportWriter>;
  rows = 0;

  constructor(form: Form, io: Io) {
    this.#io = io;
    this.#writer = exportWriter(form);
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

/** What is open from the first page on: until the service has answered, an earlier run's work stays as it is. */
interface Opened {
  file: FileInProgress;
  /** Undefined once a page had a call_id with the key in it, which is kept nowhere. */
  checkpoint: CheckpointWriter | undefined;
}

class ResumableFile implements Destination {
  readonly #io: Io;
  readonly #options: DestinationOptions;
  readonly #progress: CheckpointProgress;
  readonly #writer: ReturnType<typeof exportWriter>;
  #opened: Opened | undefined;
  rows: number;

  constructor(options: DestinationOptions, io: Io) {
    const { form, earlier } = options;
    const redact = (text: string) => io.redactor.redact(text);
    this.#io = io;
    this.#options = options;
    this.#progress = earlier?.progress ?? { bytes: 0, offset: 0, rows: 0, total: undefined, seen: new Set<string>() };
    this.#writer = exportWriter({ ...(form.isSpooled ? SPOOL : form), redact }, this.#progress.rows);
    this.rows = this.#progress.rows;
  }

  async page({ calls, response, next }: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    const opened = this.#open();
    opened.file.write(await this.#writer.rows(wanted));
    const rows = this.rows + wanted.length;
    const ids = calls.map(({ call_id }) => call_id);
    const bytes = opened.file.flush();
    if (this.#io.redactor.redact(ids.join('\n')) !== ids.join('\n')) {
      opened.checkpoint?.remove();
      opened.checkpoint = undefined;
    }
    opened.checkpoint?.page({ bytes, offset: next, rows, total: totalOf(response), ids });
    this.rows = rows;
  }

  async finish(): Promise<void> {
    const { file, checkpoint } = this.#open();
    const { form, out } = this.#options;
    file.write(await this.#writer.end());
    if (form.isSpooled) {
      file.flush();
      const { spoolToCsv } = await import('../../calls/all-columns.ts');
      await spoolToCsv(file.beside, out, form, (text) => this.#io.redactor.redact(text));
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
    this.#io.note(`${this.rows} calls are kept beside ${out}: the same command with --resume goes on after them.`);
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const { out, form, identity, since } = this.#options;
    const file = FileInProgress.open(rowsFile(out, form), this.#progress.bytes);
    try {
      const checkpoint = new CheckpointWriter(checkpointPath(out), { export: identity, since }, this.#progress);
      this.#opened = { file, checkpoint };
      return this.#opened;
    } catch (error) {
      file.abandon();
      throw error;
    }
  }
}

/** Rows wait as NDJSON where the columns are not known before the last of them. */
const SPOOL: ExportOptions = { format: 'ndjson', columns: undefined, hasHeader: true, isExcel: false };

function rowsFile(out: string, { isSpooled }: Form): string {
  return isSpooled ? `${out}.rows` : out;
}

/** Where an export goes: standard output, or a file that is whole or not there, with what a later run needs to go on. */
import {
  type Checkpoint,
  CheckpointWriter,
  checkpointPath,
  type ExportIdentity,
  readCheckpoint,
} from '../../calls/checkpoint.ts';
import { type ExportOptions, exportWriter } from '../../calls/export.ts';
import type { CallLogEntry } from '../../contract.ts';
import { FileInProgress } from '../../files.ts';
import type { Io } from '../../io.ts';

/** How the calls are written. `isSpooled`: the columns of the CSV are those that the calls turn out to have. */
export interface Form extends ExportOptions {
  isSpooled: boolean;
}

export interface Destination {
  /** Calls written, those of an earlier run included. */
  readonly rows: number;
  /** `read`: all calls of a page; `wanted`: those to write; `next`: where the reading would go on. */
  page(read: readonly CallLogEntry[], wanted: readonly CallLogEntry[], next: number): Promise<void>;
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

  async page(_read: readonly CallLogEntry[], wanted: readonly CallLogEntry[]): Promise<void> {
    await this.#io.data(await this.#writer.rows(wanted));
    this.rows += wanted.length;
  }

  async finish(): Promise<void> {
    await this.#io.data(await this.#writer.end());
  }

  leave(): void {}
}

class ResumableFile implements Destination {
  readonly #io: Io;
  readonly #out: string;
  readonly #form: Form;
  readonly #file: FileInProgress;
  readonly #checkpoint: CheckpointWriter;
  readonly #writer: ReturnType<typeof exportWriter>;
  #pages = 0;
  rows: number;

  constructor({ out, form, identity, since, earlier }: DestinationOptions, io: Io) {
    const progress = earlier?.progress ?? { bytes: 0, offset: 0, rows: 0, seen: new Set<string>() };
    this.#io = io;
    this.#out = out;
    this.#form = form;
    this.rows = progress.rows;
    this.#writer = exportWriter(form.isSpooled ? SPOOL : form, progress.rows);
    this.#file = FileInProgress.open(rowsFile(out, form), progress.bytes);
    this.#checkpoint = new CheckpointWriter(checkpointPath(out), { export: identity, since }, progress);
    this.#pages = progress.offset;
  }

  async page(read: readonly CallLogEntry[], wanted: readonly CallLogEntry[], next: number): Promise<void> {
    this.#write(await this.#writer.rows(wanted));
    this.rows += wanted.length;
    this.#pages = next;
    const ids = read.map(({ call_id }) => call_id);
    this.#checkpoint.page({ bytes: this.#file.flush(), offset: next, rows: this.rows, ids });
  }

  async finish(): Promise<void> {
    this.#write(await this.#writer.end());
    if (this.#form.isSpooled) {
      this.#file.flush();
      const { spoolToCsv } = await import('../../calls/all-columns.ts');
      await spoolToCsv(this.#file.beside, this.#out, this.#form, (text) => this.#io.redactor.redact(text));
      this.#file.abandon();
    } else {
      this.#file.finish();
    }
    this.#checkpoint.remove();
  }

  leave(): void {
    if (this.#pages === 0) {
      this.#file.abandon();
      this.#checkpoint.remove();
      return;
    }
    this.#file.leave();
    this.#checkpoint.leave();
    this.#io.note(
      `${this.rows} calls are kept beside ${this.#out}: the same command with --resume goes on after them.`,
    );
  }

  #write(text: string): void {
    this.#file.write(this.#io.redactor.redact(text));
  }
}

/** Rows wait as NDJSON where the columns are not known before the last of them. */
const SPOOL: ExportOptions = { format: 'ndjson', columns: undefined, hasHeader: true, isExcel: false };

function rowsFile(out: string, { isSpooled }: Form): string {
  return isSpooled ? `${out}.rows` : out;
}

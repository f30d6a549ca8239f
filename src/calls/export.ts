/**
 * Exports a log, page by page, to a stream or to a file that appears when it is complete and that a later run can go on with until
 * then. Its rows are kept beside it, and in a checkpoint how far they have come: one line that identifies the export, then one
 * line for each page. After a run was cut off, even by `kill -9`, the next one continues from the last whole line.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CallLogEntry, listFields } from '../contract.ts';
import { FileError, InterruptedError, UsageError, VagentError } from '../errors.ts';
import { Appender } from '../storage/files/appender.ts';
import { quietly, systemFiles, withFileErrors } from '../storage/files/file-system.ts';
import { FileInProgress, type WorkFolder } from '../storage/files/in-progress.ts';
import { readLines } from '../storage/files/json-lines.ts';
import { type RowLayout, RowWriter } from '../text/formats.ts';
import { parsed, readJson } from '../text/json.ts';
import { TextIndex } from '../text/text-index.ts';
import { INCOMPLETE, type Page } from './paging/pages.ts';

/** What must be the same for one run to continue another's work. */
type ExportIdentity = Record<string, unknown>;

/** What was done by the end of a page. */
interface PageDone {
  /** Bytes of the file that hold the calls up to here. */
  bytes: number;
  /** The offset in the service's log at which reading continues. */
  offset: number;
  /** Calls written to the file. */
  rows: number;
  /** How many calls the service counted by then, if it reported a number. */
  total?: number | undefined;
}

interface PageLine extends PageDone {
  ids: string[];
}

interface FirstLine {
  export: ExportIdentity;
  /** Where the export begins in time, in milliseconds since the epoch. */
  since?: number | undefined;
}

/** An export as an earlier run has left it. */
export interface Begun extends PageDone {
  since: number | undefined;
  /** Every call that was read, whether written or left out. */
  seen: TextIndex;
  /** Bytes of the checkpoint's whole lines; 0 if there is none. */
  whole: number;
}

export function notBegun(since: number | undefined): Begun {
  return { bytes: 0, offset: 0, rows: 0, total: undefined, since, seen: new TextIndex(), whole: 0 };
}

interface ExportOptions {
  /** Undefined if every call is wanted. */
  select: ((call: CallLogEntry) => boolean) | undefined;
  /** Whether the export is kept although the service shows fewer calls than it counts. */
  mayBeShort: boolean;
  signal: AbortSignal;
}

/**
 * Returns the error that the service counts more calls than it shows, if that may be; throws it otherwise, InterruptedError, and
 * the errors of the service and of files. What was written until then is left as the target can.
 */
export async function exportCalls(
  reading: AsyncIterable<Page>,
  target: ExportStream | ResumableFile,
  { select, mayBeShort, signal }: ExportOptions,
): Promise<VagentError | undefined> {
  let shortfall: VagentError | undefined;
  try {
    for await (const page of reading) {
      // Pages of the local engine never wait, so without this an interrupt would never arrive.
      await nextTurn();
      if (signal.aborted) throw new InterruptedError();
      await target.page(page, select === undefined ? page.calls : page.calls.filter(select));
    }
  } catch (error) {
    if (!(mayBeShort && error instanceof VagentError && error.code === INCOMPLETE)) throw error;
    shortfall = error;
  }
  await target.finish();
  return shortfall;
}

export class ExportStream extends RowWriter {
  readonly #put: (text: string) => Promise<void>;

  constructor(layout: RowLayout, put: (text: string) => Promise<void>) {
    super(layout);
    this.#put = put;
  }

  async page(_page: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    await this.#put(await this.rows(wanted));
  }

  async finish(): Promise<void> {
    await this.#put(await this.end());
  }

  leave(): boolean {
    return false;
  }
}

// A file that can be continued -----------------------------------------------------------------------------------------

/** The files of the work folder. */
const ROWS = 'rows';
const CHECKPOINT = 'checkpoint';

/**
 * Undefined if no page is left there. Throws UsageError if what is left belongs to another export, FileError if it cannot be read.
 * `asked` begins that error's message.
 */
export function readBegun(work: WorkFolder, identity: ExportIdentity, asked: string): Begun | undefined {
  if (work.left(CHECKPOINT) === undefined) return undefined;
  const path = work.file(CHECKPOINT);
  const lines = withFileErrors('read', path, () => [...readLines(systemFiles, path)]).filter(({ isWhole }) => isWhole);
  const [first, ...pages] = lines;
  if (first === undefined) return undefined;
  const damaged = new FileError(`${path} is damaged.`, { reason: { kind: 'checkpoint_damaged' } });
  const { export: written, since } = (parsed(first.text) ?? {}) as Partial<FirstLine>;
  if (written === undefined) throw damaged;
  if (JSON.stringify(written) !== JSON.stringify(identity)) {
    throw new UsageError(`${asked}: the export that was cut off was another one.`, {
      reason: { kind: 'other_export', earlier: JSON.stringify(written) },
    });
  }
  const begun = notBegun(since);
  for (const { text, start, length } of pages) {
    const value = parsed(text);
    if (!isPageAfter(begun, value)) throw damaged;
    const { ids, bytes, offset, rows, total } = value;
    Object.assign(begun, { bytes, offset, rows, total, whole: start + length });
    for (const id of ids) begun.seen.add(id);
  }
  return begun.whole > 0 && (work.left(ROWS) ?? 0) >= begun.bytes ? begun : undefined;
}

/** A page can only add to what the pages before it had. */
function isPageAfter(before: PageDone, value: unknown): value is PageLine {
  const { ids, bytes, rows, offset } = (value ?? {}) as Record<string, unknown>;
  const isFrom = (number: unknown, least: number) => Number.isSafeInteger(number) && Number(number) >= least;
  const isSound = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  // If calls disappeared from the log, reading continues at an earlier offset.
  return isSound && isFrom(bytes, before.bytes) && isFrom(rows, before.rows) && isFrom(offset, 0);
}

interface FileOptions {
  work: WorkFolder;
  layout: RowLayout;
  /** Whether a CSV has every field that any call has: then its columns are known only after the last one. */
  hasAllColumns: boolean;
  identity: ExportIdentity;
  begun: Begun;
}

export class ResumableFile {
  readonly #options: FileOptions;
  readonly #writer: RowWriter;
  /** Opened with the first page: an earlier run's work stays as it is until the service has answered. */
  #rows: FileInProgress | undefined;
  /** Undefined once a page had a call_id that contains the API key, because the key is never stored. */
  #checkpoint: Appender | undefined;
  /** Whether the file is made of all rows at the end, and how many texts were cut off in that. */
  readonly #isSpooled: boolean;
  #cut: number | undefined;

  constructor(options: FileOptions) {
    const { layout, hasAllColumns, begun } = options;
    this.#options = options;
    // A workbook is made of lines of JSON as well.
    this.#isSpooled = hasAllColumns || layout.sheet !== undefined;
    this.#writer = new RowWriter(hasAllColumns ? { ...layout, format: 'ndjson', isExcel: false } : layout, begun.rows);
  }

  /** Calls written, including those of an earlier run. */
  get count(): number {
    return this.#writer.count;
  }

  /** Texts that a spreadsheet cuts off. */
  get cut(): number {
    return this.#cut ?? this.#writer.cut;
  }

  /** Writes the `wanted` calls of a page. */
  async page({ keys, total, next }: Page, wanted: readonly CallLogEntry[]): Promise<void> {
    const rows = this.#open();
    rows.write(await this.#writer.rows(wanted));
    const bytes = rows.flush();
    const ids = keys.join('\n');
    if (this.#options.layout.redact(ids) !== ids) this.#dropCheckpoint();
    this.#record({ bytes, offset: next, rows: this.count, total, ids: keys });
  }

  async finish(): Promise<void> {
    const rows = this.#open();
    rows.write(await this.#writer.end());
    if (this.#isSpooled) {
      rows.flush();
      await this.#writeFrom(rows.beside);
      rows.abandon();
    } else {
      rows.finish();
    }
    this.#dropCheckpoint();
  }

  /** Called when the export was cut off. True if something is kept that a later run can go on with. */
  leave(): boolean {
    if (this.#checkpoint === undefined) this.#rows?.abandon();
    else this.#rows?.leave();
    this.#checkpoint?.abandon();
    return this.#checkpoint !== undefined;
  }

  #open(): FileInProgress {
    if (this.#rows !== undefined) return this.#rows;
    const { work, identity, begun } = this.#options;
    const isNew = begun.whole === 0;
    const path = work.file(CHECKPOINT);
    if (isNew) this.#removeCheckpoint();
    const rows = new FileInProgress(work, ROWS, begun.bytes);
    try {
      // The lines that an earlier run has left are not rewritten, so none of them can be lost.
      this.#checkpoint = withFileErrors('write', path, () => new Appender(systemFiles, path, begun.whole));
      if (isNew) this.#record({ export: identity, since: begun.since });
    } catch (error) {
      this.#checkpoint = undefined;
      if (isNew) rows.abandon();
      else rows.leave();
      throw error;
    }
    this.#rows = rows;
    return rows;
  }

  #record(line: FirstLine | PageLine): void {
    withFileErrors('write', this.#options.work.file(CHECKPOINT), () => {
      this.#checkpoint?.append(`${JSON.stringify(line)}\n`);
      this.#checkpoint?.flush();
    });
  }

  #dropCheckpoint(): void {
    if (this.#checkpoint === undefined) return;
    this.#checkpoint.abandon();
    this.#checkpoint = undefined;
    this.#removeCheckpoint();
  }

  #removeCheckpoint(): void {
    quietly(() => systemFiles.rmSync(this.#options.work.file(CHECKPOINT), { force: true }));
  }

  async #writeFrom(spool: string): Promise<void> {
    const { layout, work, hasAllColumns } = this.#options;
    const columns = hasAllColumns ? allColumns(spool) : layout.columns;
    const file = new FileInProgress(work);
    try {
      if (layout.sheet === undefined) await this.#writeRows(spool, columns, file);
      else {
        const { workbookOf } = await import('../text/workbook/write-workbook.ts');
        const bytes = workbookOf(batchesIn(spool), { ...layout, columns, sheet: layout.sheet });
        let next = await bytes.next();
        for (; !next.done; next = await bytes.next()) file.write(next.value);
        this.#cut = next.value.cut;
      }
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  async #writeRows(spool: string, columns: readonly string[], file: FileInProgress): Promise<void> {
    const { layout } = this.#options;
    const writer = new RowWriter({ ...layout, columns });
    const put = (text: string) => file.write(layout.redact(text));
    for (const batch of batchesIn(spool)) put(await writer.rows(batch));
    put(await writer.end());
    this.#cut = writer.cut;
  }
}

/** The documented columns come first, then the others in the order in which they first appeared. */
function allColumns(spool: string): string[] {
  const columns = new Set<string>(listFields.calls);
  for (const calls of batchesIn(spool))
    for (const call of calls) for (const name of Object.keys(call)) columns.add(name);
  return [...columns];
}

/** Calls that are written again at a time. */
const BATCH = 1000;

function* batchesIn(spool: string): Generator<(CallLogEntry & Record<string, unknown>)[], void> {
  let batch: (CallLogEntry & Record<string, unknown>)[] = [];
  for (const { text } of readLines(systemFiles, spool)) {
    batch.push(readJson(text) as (typeof batch)[number]);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

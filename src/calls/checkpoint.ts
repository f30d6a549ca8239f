/**
 * How far an export has come, in a file beside it: one line that identifies the export, then one line for each page. After a
 * run was cut off, even by `kill -9`, the next one continues from the last whole line.
 */
import { FileError, UsageError } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { withFileErrors } from '../files/file-error.ts';
import { quietly, systemFiles } from '../files/file-system.ts';
import { readLines } from '../files/json-lines.ts';
import { TextIndex } from '../text/text-index.ts';

/** What must be the same for one run to continue another's work. */
export type ExportIdentity = Record<string, unknown>;

export interface CheckpointProgress {
  /** Bytes of the file that hold the calls up to here. */
  bytes: number;
  /** The offset in the service's log at which reading continues. */
  offset: number;
  /** Calls written to the file. */
  rows: number;
  /** How many calls the service counted by then, if it reported a number. */
  total: number | undefined;
  /** Every call that was read, whether written or left out. */
  seen: TextIndex;
}

interface FirstLine {
  export: ExportIdentity;
  since: number | undefined;
}

interface PageLine {
  bytes: number;
  offset: number;
  rows: number;
  total: number | undefined;
  ids: string[];
}

export interface Checkpoint {
  progress: CheckpointProgress;
  /** The instant that `--since` meant when the export began, in milliseconds since the epoch. */
  since: number | undefined;
  /** Bytes of its whole lines. */
  whole: number;
}

/**
 * Undefined if no page is recorded yet. Throws UsageError if it belongs to another export, FileError if it cannot be read.
 * `flag` is the flag that asks for it.
 */
export function readCheckpoint(path: string, identity: ExportIdentity, flag: string): Checkpoint | undefined {
  const lines = withFileErrors('read', path, () => [...readLines(systemFiles, path)]).filter(({ isWhole }) => isWhole);
  const [first, ...pages] = lines;
  if (first === undefined) return undefined;
  const { export: written, since } = parsed(first.text, path, isFirstLine);
  if (JSON.stringify(written) !== JSON.stringify(identity)) {
    throw new UsageError(`${flag}: the export that was cut off was another one.`, {
      reason: { kind: 'other_export', earlier: JSON.stringify(written) },
    });
  }
  const last = pages.at(-1);
  if (last === undefined) return undefined;
  const progress: CheckpointProgress = { bytes: 0, offset: 0, rows: 0, total: undefined, seen: new TextIndex() };
  for (const { text } of pages) {
    const { ids, bytes, offset, rows, total } = parsed(text, path, (value) => isPageAfter(progress, value));
    Object.assign(progress, { bytes, offset, rows, total });
    for (const id of ids) progress.seen.add(id);
  }
  return { progress, since, whole: last.start + last.length };
}

function isFirstLine(value: unknown): value is FirstLine {
  return typeof value === 'object' && value !== null && 'export' in value;
}

/** A page can only add to what the pages before it had. */
function isPageAfter(before: CheckpointProgress, value: unknown): value is PageLine {
  if (typeof value !== 'object' || value === null) return false;
  const { ids, ...numbers } = value as Record<string, unknown>;
  const isFrom = (name: string, least: number) => Number.isSafeInteger(numbers[name]) && Number(numbers[name]) >= least;
  // If calls disappeared from the log, reading continues at an earlier offset.
  return (
    Array.isArray(ids) &&
    ids.every((id) => typeof id === 'string') &&
    isFrom('bytes', before.bytes) &&
    isFrom('rows', before.rows) &&
    isFrom('offset', 0)
  );
}

/** Called when the file that it describes is about to be overwritten. */
export function removeCheckpoint(path: string): void {
  quietly(() => systemFiles.rmSync(path, { force: true }));
}

function parsed<T>(line: string, path: string, isSound: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Reported below.
  }
  if (isSound(value)) return value;
  throw new FileError(`${path} is damaged.`, { reason: { kind: 'checkpoint_damaged' } });
}

export class CheckpointWriter {
  readonly #path: string;
  readonly #file: Appender;

  private constructor(path: string, whole: number) {
    this.#path = path;
    this.#file = this.#writing(() => new Appender(systemFiles, path, whole));
  }

  static begin(path: string, first: FirstLine): CheckpointWriter {
    const writer = new CheckpointWriter(path, 0);
    writer.#append(first);
    return writer;
  }

  /** Continues the file that an earlier run has left. Its lines are not rewritten, so none of them can be lost. */
  static goOn(path: string, { whole }: Checkpoint): CheckpointWriter {
    return new CheckpointWriter(path, whole);
  }

  page(line: PageLine): void {
    this.#append(line);
  }

  /** Closes it and leaves it for a later run. */
  leave(): void {
    this.#file.abandon();
  }

  remove(): void {
    this.#file.abandon();
    removeCheckpoint(this.#path);
  }

  #append(line: FirstLine | PageLine): void {
    this.#writing(() => {
      this.#file.append(`${JSON.stringify(line)}\n`);
      this.#file.flush();
    });
  }

  #writing<T>(act: () => T): T {
    return withFileErrors('write', this.#path, act);
  }
}

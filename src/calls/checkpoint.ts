/**
 * How far an export has come, in a file beside it: a line for what is exported, then a line a page. A run that was cut off,
 * even by `kill -9`, is gone on with from the last line that is whole.
 */
import { FileError, UsageError } from '../errors.ts';
import { Appender, fileError, quietly, systemFiles } from '../files.ts';

/** What must be the same for one run to go on with another's work. */
export type ExportIdentity = Record<string, unknown>;

export interface CheckpointProgress {
  /** Bytes of the file that hold the calls up to here. */
  bytes: number;
  /** Where the reading of the service's log goes on. */
  offset: number;
  /** Calls written to the file. */
  rows: number;
  /** How many calls the service counted by then, if it says. */
  total: number | undefined;
  /** Every call that was read, written or left out. */
  seen: Set<string>;
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
  /** What `--since` meant when the export began, in milliseconds since the epoch. */
  since: number | undefined;
}

export function checkpointPath(out: string): string {
  return `${out}.checkpoint`;
}

/** Undefined where there is none. Throws UsageError where it is of another export, FileError where it cannot be read. */
export function readCheckpoint(path: string, identity: ExportIdentity): Checkpoint | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [first, ...pages] = wholeLines(text);
  if (first === undefined) return undefined;
  const { export: written, since } = parsed(first, path, isFirstLine);
  if (JSON.stringify(written) !== JSON.stringify(identity)) {
    throw new UsageError('--resume: the export that was cut off was another one.', {
      hint: `It was ${JSON.stringify(written)}. Leave --resume out to begin anew.`,
    });
  }
  const progress: CheckpointProgress = { bytes: 0, offset: 0, rows: 0, total: undefined, seen: new Set() };
  for (const line of pages) {
    const { ids, bytes, offset, rows, total } = parsed(line, path, (value) => isPageAfter(progress, value));
    Object.assign(progress, { bytes, offset, rows, total });
    for (const id of ids) progress.seen.add(id);
  }
  return { progress, since };
}

function isFirstLine(value: unknown): value is FirstLine {
  return typeof value === 'object' && value !== null && 'export' in value;
}

/** A page only ever adds to what was there. */
function isPageAfter(before: CheckpointProgress, value: unknown): value is PageLine {
  if (typeof value !== 'object' || value === null) return false;
  const { ids, ...numbers } = value as Record<string, unknown>;
  return (
    Array.isArray(ids) &&
    ids.every((id) => typeof id === 'string') &&
    (['bytes', 'offset', 'rows'] as const).every(
      (name) => Number.isSafeInteger(numbers[name]) && Number(numbers[name]) >= before[name],
    )
  );
}

function readIfThere(path: string): string | undefined {
  if (systemFiles.statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return systemFiles.readFileSync(path, 'utf8');
  } catch (error) {
    throw fileError(error, 'read', path);
  }
}

/** A line that was being written when the process died has no end. */
function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

function parsed<T>(line: string, path: string, isSound: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Said below.
  }
  if (isSound(value)) return value;
  throw new FileError(`${path} is damaged.`, { hint: 'Leave --resume out to begin anew.' });
}

export class CheckpointWriter {
  readonly #path: string;
  readonly #file: Appender;

  /** Begins anew: what is carried over from an earlier run is one line. */
  constructor(path: string, first: FirstLine, { seen, ...here }: CheckpointProgress) {
    this.#path = path;
    try {
      const text = `${JSON.stringify(first)}\n${pageLine({ ...here, ids: [...seen] })}`;
      const beside = `${path}.new`;
      const file = new Appender(systemFiles, beside, 0);
      file.append(text);
      const bytes = file.finish();
      systemFiles.renameSync(beside, path);
      this.#file = new Appender(systemFiles, path, bytes);
    } catch (error) {
      throw fileError(error, 'write', path);
    }
  }

  page(line: PageLine): void {
    try {
      this.#file.append(pageLine(line));
      this.#file.flush();
    } catch (error) {
      throw fileError(error, 'write', this.#path);
    }
  }

  /** Closes it; a later run reads it. */
  leave(): void {
    this.#file.abandon();
  }

  remove(): void {
    this.#file.abandon();
    quietly(() => systemFiles.rmSync(this.#path, { force: true }));
  }
}

function pageLine(line: PageLine): string {
  return `${JSON.stringify(line)}\n`;
}

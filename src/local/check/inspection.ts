/**
 * One look at the files of a store, whatever state they are in: what is said of them on the way, and reading that tells what
 * is wrong instead of throwing. Nothing is written, and a file of any size is read a chunk at a time.
 */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemCode } from '../../errors.ts';
import { type FileSystem, fileError } from '../../files.ts';
import { CUT_OFF, type SuspectLine, suspectLines } from './suspect-lines.ts';

/** Something about a file, named from the store's folder. */
export interface Remark {
  file: string;
  /** From 1; null where it is about the whole file. */
  line: number | null;
  /** The rest of a sentence about it. */
  message: string;
}

export interface InspectionOptions {
  fs: FileSystem;
  folder: string;
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Hears of every call that was read, of so many in all. */
  onCall(done: number, total: number): void;
}

/** A store with more of them is wrecked, and nobody reads on; they are counted all the same. */
const MAX_PROBLEMS = 1000;

/** Lines between two looks at whether the operator interrupts. */
const LINES_A_TURN = 5000;

export class Inspection {
  readonly options: InspectionOptions;
  readonly problems: Remark[] = [];
  /** What no root names and no command reads. */
  readonly leftovers: Remark[] = [];
  problemCount = 0;
  #linesSinceTurn = 0;

  constructor(options: InspectionOptions) {
    this.options = options;
  }

  problem(file: string, line: number | null, message: string): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ file, line, message });
  }

  /** What is wrong with a line; that the last one of a short file is cut goes without saying. */
  brokenLine(file: { name: string; isShort: boolean }, line: number, fault: string): void {
    if (!file.isShort || fault !== CUT_OFF) this.problem(file.name, line, fault);
  }

  leftover(file: string, message: string): void {
    this.leftovers.push({ file, line: null, message });
  }

  /** Whether a file lacks bytes that were committed. What lies beyond them is a leftover. */
  isShort(file: string, bytes: number): boolean {
    const size = sizeOf(this.options.fs, join(this.options.folder, file));
    if (bytes === 0 && size === undefined) return false;
    if (size === undefined) this.problem(file, null, 'is missing');
    else if (size < bytes) this.problem(file, null, `has ${size} bytes, where ${bytes} were committed`);
    else if (size > bytes) this.leftover(file, `has ${size - bytes} bytes beyond what was committed`);
    return size === undefined || size < bytes;
  }

  /** The committed lines of a file; a file that is missing has none. */
  *linesOf(file: string, bytes: number): Generator<SuspectLine, void> {
    const path = join(this.options.folder, file);
    try {
      yield* suspectLines(this.options.fs, path, bytes);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw fileError(error, 'read', path);
    }
  }

  /** To be awaited after each line, where it is defined: a promise for every one of a million would cost too much. */
  turn(): Promise<void> | undefined {
    if (++this.#linesSinceTurn < LINES_A_TURN) return undefined;
    this.#linesSinceTurn = 0;
    return this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.options.signal.throwIfAborted();
  }
}

/** Bytes of a file; undefined where there is none. */
export function sizeOf(fs: FileSystem, path: string): number | undefined {
  try {
    return fs.statSync(path).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', path);
  }
}

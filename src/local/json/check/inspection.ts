/**
 * One pass over the files of a store in any state: it collects the problems, and its reading functions report what is wrong
 * instead of throwing. It writes nothing, and reads files of any size in chunks.
 */
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { systemCode } from '../../../errors.ts';
import { type FileSystem, fileError, withFileErrors } from '../../../storage/files/file-system.ts';
import { type Line, readLines } from '../../../storage/files/json-lines.ts';
import type { CheckOptions, Remark } from '../../store.ts';

export interface InspectionOptions extends CheckOptions {
  fs: FileSystem;
  folder: string;
}

/** A file of lines, and what was found of it. */
export interface SuspectFile {
  /** Named from the store's folder. */
  name: string;
  /** So many were committed. */
  bytes: number;
  /** Whether bytes are missing at its end. */
  isShort: boolean;
  /** Whether nothing is missing or damaged so far. */
  isWhole: boolean;
}

/** The damage of a last line without its line break. */
const CUT_OFF = 'is cut off';

/** A store with more problems is wrecked; further ones are counted but not described. */
const MAX_PROBLEMS = 1000;

/** Lines between two checks for an interrupt. */
const LINES_A_TURN = 5000;

export class Inspection {
  readonly options: InspectionOptions;
  readonly problems: Remark[] = [];
  /** Files that no root names and no command reads. */
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

  leftover(file: string, message: string): void {
    this.leftovers.push({ file, line: null, message });
  }

  /** A file of which so many bytes were committed. Further bytes after them are a leftover. */
  suspectFile(name: string, bytes: number): SuspectFile {
    const path = join(this.options.folder, name);
    const size = withFileErrors('read', path, () => this.options.fs.statSync(path, { throwIfNoEntry: false })?.size);
    const isShort = (size ?? 0) < bytes;
    if (isShort)
      this.problem(name, null, size === undefined ? 'is missing' : `has ${size} bytes, but ${bytes} were committed`);
    else if (size !== undefined && size > bytes)
      this.leftover(name, `has ${size - bytes} bytes beyond what was committed`);
    return { name, bytes, isShort, isWhole: !isShort };
  }

  /**
   * Goes through the committed lines of a file; a missing file has none. `look` gets the value of each, undefined if it has none
   * of this kind, and says what else is wrong with it.
   */
  async eachLine<T>(
    file: SuspectFile,
    schema: z.ZodMiniType<T>,
    kind: string,
    look: (value: T | undefined, line: Line) => string | undefined,
  ): Promise<void> {
    for (const line of this.#linesOf(file)) {
      const { value, damage } = readValue(line, schema, kind);
      const wrong = look(value, line) ?? damage;
      if (wrong !== undefined) this.brokenLine(file, line.number, wrong);
      // A promise for each of a million lines would cost too much.
      if (++this.#linesSinceTurn >= LINES_A_TURN) await this.#rest();
    }
  }

  *#linesOf({ name, bytes }: SuspectFile): Generator<Line, void> {
    const path = join(this.options.folder, name);
    try {
      yield* readLines(this.options.fs, path, undefined, bytes);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw fileError(error, 'read', path);
    }
  }

  /** Reports a damaged line. That the last line of a short file is cut off goes without saying. */
  brokenLine(file: SuspectFile, line: number, damage: string): void {
    file.isWhole = false;
    if (!file.isShort || damage !== CUT_OFF) this.problem(file.name, line, damage);
  }

  async #rest(): Promise<void> {
    this.#linesSinceTurn = 0;
    await nextTurn();
    this.options.signal.throwIfAborted();
  }
}

/** The value of a line, or what is wrong with it; `kind` is what it should be. */
function readValue<T>(
  { text, isUtf8, isWhole }: Line,
  schema: z.ZodMiniType<T>,
  kind: string,
): { value?: T; damage?: string } {
  if (!isWhole) return { damage: CUT_OFF };
  if (!isUtf8) return { damage: 'is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { damage: 'is not JSON' };
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const field = result.error.issues[0]?.path.join('.') ?? '';
  return { damage: field === '' ? `is not a ${kind}` : `is not a ${kind}: its ${field} is wrong` };
}

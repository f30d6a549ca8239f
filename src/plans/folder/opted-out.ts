/**
 * The phones whose people opted out: no plan of that service and organization calls them again. `opted-out.jsonl` holds a line
 * for each; how many there were is kept beside it, because a list that has lost lines must not let those people be called.
 * Throws FileErrors.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileError, systemCode } from '../../errors.ts';
import { Appender } from '../../files/appender.ts';
import { fileError, withFileErrors } from '../../files/file-error.ts';
import type { FileSystem } from '../../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../../files/folder.ts';
import { readLines } from '../../files/json-lines.ts';
import { readText } from '../../files/open.ts';
import { replaceFile } from '../../files/replace.ts';
import type { StateFolder } from '../../state/state-folder.ts';
import { plansFolder } from './paths.ts';

export interface OptedOutOptions {
  state: StateFolder;
  /** What this process is doing, for others who wait for the lock. */
  command: string;
  /** The same text for every spelling of its address. */
  service: string;
  organizationId: number;
}

interface Line {
  service: string;
  organization_id: number;
  /** `phoneKeyOfDigits` of the number. */
  phone: number;
}

const LOCK_TIMEOUT = 10_000;

export class OptedOut {
  readonly #options: OptedOutOptions;
  readonly #path: string;
  readonly #countPath: string;
  #phones: Set<number> | undefined;

  constructor(options: OptedOutOptions) {
    this.#options = options;
    this.#path = join(plansFolder(options.state.path), 'opted-out.jsonl');
    this.#countPath = join(plansFolder(options.state.path), 'opted-out.count.json');
  }

  /** `phone` is `phoneKeyOfDigits` of a number. The file is read once. */
  has(phone: number): boolean {
    return this.#known().has(phone);
  }

  /** Durable when it resolves. Those that are known already are not written again. */
  async add(phones: Iterable<number>): Promise<void> {
    const wanted = new Set(phones);
    if (wanted.size === 0) return;
    const { state, command, service, organizationId } = this.#options;
    const { fs } = state;
    const folder = plansFolder(state.path);
    try {
      makePrivateFolder(fs, folder);
      const lock = { timeoutMs: LOCK_TIMEOUT, command, file: this.#path };
      await state.locked('plans/opted-out.lock', lock, async () => {
        const { phones: known, end, count, counted } = this.#read();
        this.#phones = known;
        const fresh = [...wanted].filter((phone) => !known.has(phone));
        const lines = fresh.map((phone) => `${JSON.stringify({ service, organization_id: organizationId, phone })}\n`);
        if (lines.length > 0) this.#append(end, lines);
        for (const phone of fresh) known.add(phone);
        // Also after a process that was stopped in between.
        if (count + lines.length > counted) writeCount(fs, this.#countPath, count + lines.length);
      });
    } catch (error) {
      throw fileError(error, 'write', this.#path);
    }
  }

  #append(end: number, lines: readonly string[]): void {
    const { fs, path } = this.#options.state;
    const file = new Appender(fs, this.#path, end);
    try {
      for (const line of lines) file.append(line);
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
    syncFolder(fs, plansFolder(path));
  }

  #known(): Set<number> {
    this.#phones ??= withFileErrors('read', this.#path, () => this.#read().phones);
    return this.#phones;
  }

  /**
   * The phones of this service and organization; where the last whole line ends: what follows was cut off; and the lines that
   * there are and that were counted.
   */
  #read(): { phones: Set<number>; end: number; count: number; counted: number } {
    const { state, service, organizationId } = this.#options;
    const { fs } = state;
    const phones = new Set<number>();
    // Before the lines: another process counts them after it has written them.
    const counted = readCount(fs, this.#countPath);
    let [end, count] = [0, 0];
    try {
      for (const { text, number, start, length, isWhole } of readLines(fs, this.#path)) {
        if (!isWhole) break;
        const line = parse(text);
        if (line === undefined) throw damagedLine(this.#path, number);
        if (line.service === service && line.organization_id === organizationId) phones.add(line.phone);
        end = start + length;
        count = number;
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    if (count < counted) throw linesLost(this.#path, this.#countPath, { count, counted });
    return { phones, end, count, counted };
  }
}

const countSchema = z.object({ lines: z.int().check(z.minimum(0)) });

/** How many lines were counted last; 0 if none were. */
function readCount(fs: FileSystem, path: string): number {
  let text: string;
  try {
    text = readText(fs, path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return 0;
  }
  try {
    return countSchema.parse(JSON.parse(text)).lines;
  } catch (cause) {
    throw new FileError(`${path} does not say how many numbers opted out.`, {
      code: 'opted_out_damaged',
      hint: 'Nobody is called until it is mended: remove it if the list beside it is whole.',
      cause,
    });
  }
}

function writeCount(fs: FileSystem, path: string, lines: number): void {
  replaceFile(fs, path, `${JSON.stringify({ lines })}\n`);
}

function linesLost(path: string, countPath: string, { count, counted }: { count: number; counted: number }): FileError {
  return new FileError(`${path} has ${count} of ${counted} lines, so it is not known who opted out.`, {
    code: 'opted_out_damaged',
    hint: `Nobody is called until the file is back as it was. If the lines were taken out on purpose, remove ${countPath}.`,
  });
}

function parse(text: string): Line | undefined {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    return typeof line?.phone === 'number' ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}

function damagedLine(path: string, line: number): FileError {
  return new FileError(`${path}: line ${line} is damaged, so it is not known who opted out.`, {
    code: 'opted_out_damaged',
    hint: 'Nobody is called until it is mended: correct the line, or put the file back as it was.',
  });
}

/**
 * The phones whose people opted out: nothing of that service calls them again, whatever organization they said it to, because
 * the people who are called do not see the organization. `plans/opted-out.jsonl` holds a line for each; how many there were is kept
 * beside it, because a list that has lost lines must not let those people be called. A line without a phone says that an organization
 * of the local engine began anew: its people were never called. Throws FileErrors.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileError, systemCode } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { fileError, withFileErrors } from '../files/file-error.ts';
import type { FileSystem } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { readLines } from '../files/json-lines.ts';
import { readText } from '../files/open.ts';
import { replaceFile } from '../files/replace.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { phoneKeyOfDigits } from '../text/phone.ts';
import { serviceKey } from './service-key.ts';

export interface OptedOutOptions {
  state: StateFolder;
  /** What this process is doing, for others who wait for the lock. */
  command: string;
  /** The base URL, or of the local engine the key of its store. */
  service: string;
  isLocal: boolean;
  /** Who is told it now. */
  organizationId: number;
}

interface Line {
  /** The same text for every spelling of its address. */
  service: string;
  organization_id: number;
  /** `phoneKeyOfDigits` of the number; null where the organization began anew. */
  phone: number | null;
}

const LOCK_TIMEOUT = 10_000;

export class OptedOut {
  readonly #options: OptedOutOptions;
  readonly #folder: string;
  readonly #service: string;
  readonly #countPath: string;
  readonly path: string;
  #phones: ReadonlySet<number> | undefined;

  constructor(options: OptedOutOptions) {
    this.#options = options;
    this.#folder = join(options.state.path, 'plans');
    this.#service = options.isLocal ? options.service : serviceKey(options.service);
    this.#countPath = join(this.#folder, 'opted-out.count.json');
    this.path = join(this.#folder, 'opted-out.jsonl');
  }

  /** `phone` is `phoneKeyOfDigits` of a number. The file is read once. */
  has(phone: number): boolean {
    return this.phones().has(phone);
  }

  /** Keys of phones (`phoneKeyOfDigits`). The file is read once. */
  phones(): ReadonlySet<number> {
    this.#phones ??= this.phonesNow();
    return this.#phones;
  }

  /** The same, with what other processes have added by now. */
  phonesNow(): ReadonlySet<number> {
    return withFileErrors('read', this.path, () => this.#read().phones);
  }

  /** Durable when it resolves. Those that are known already are not written again. */
  async add(phones: Iterable<number>): Promise<void> {
    const wanted = new Set(phones);
    if (wanted.size > 0) await this.#write((known) => [...wanted].filter((phone) => !known.has(phone)));
  }

  /** For an organization of the local engine whose calls were deleted: nobody has told it anything yet. Durable when it resolves. */
  async beginAnew(): Promise<void> {
    if (this.phonesNow().size > 0) await this.#write(() => [null]);
  }

  async #write(lines: (known: ReadonlySet<number>) => readonly Line['phone'][]): Promise<void> {
    const { state, command, organizationId } = this.#options;
    const { fs } = state;
    try {
      makePrivateFolder(fs, this.#folder);
      const lock = { timeoutMs: LOCK_TIMEOUT, command, file: this.path };
      await state.locked('plans/opted-out.lock', lock, async () => {
        const { phones: known, end, count, counted } = this.#read();
        const fresh = lines(known).map(
          (phone) => `${JSON.stringify({ service: this.#service, organization_id: organizationId, phone })}\n`,
        );
        if (fresh.length > 0) this.#append(end, fresh);
        this.#phones = undefined;
        // Also after a process that was stopped in between.
        if (count + fresh.length > counted) writeCount(fs, this.#countPath, count + fresh.length);
      });
    } catch (error) {
      throw fileError(error, 'write', this.path);
    }
  }

  #append(end: number, lines: readonly string[]): void {
    const { fs } = this.#options.state;
    const file = new Appender(fs, this.path, end);
    try {
      for (const line of lines) file.append(line);
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
    syncFolder(fs, this.#folder);
  }

  /**
   * The phones of this service; where the last whole line ends: what follows was cut off; and the lines that
   * there are and that were counted.
   */
  #read(): { phones: Set<number>; end: number; count: number; counted: number } {
    const { fs } = this.#options.state;
    const toldTo = new Map<number, number>();
    // Before the lines: another process counts them after it has written them.
    const counted = readCount(fs, this.#countPath);
    let [end, count] = [0, 0];
    try {
      for (const { text, number, start, length, isWhole } of readLines(fs, this.path)) {
        if (!isWhole) break;
        const line = parse(text);
        if (line === undefined) throw damagedLine(this.path, number);
        if (line.service === this.#service) take(line, toldTo);
        end = start + length;
        count = number;
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    if (count < counted) throw linesLost(this.path, this.#countPath, { count, counted });
    return { phones: new Set(toldTo.keys()), end, count, counted };
  }
}

/** `toldTo`: of each phone, the organization that was told. */
function take({ phone, organization_id }: Line, toldTo: Map<number, number>): void {
  // The rules of spellings may be other ones than when it was written.
  if (phone !== null) toldTo.set(phoneKeyOfDigits(phone), organization_id);
  else for (const [key, told] of toldTo) if (told === organization_id) toldTo.delete(key);
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
    return typeof line?.phone === 'number' || line?.phone === null ? (line as Line) : undefined;
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

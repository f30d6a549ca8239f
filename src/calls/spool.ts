/**
 * Keeps calls on disk in the order in which they arrive and returns them by their time, so that they need not fit into memory.
 */
import type { CallLogEntry } from '../contract.ts';
import { FileError } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { readFully } from '../files/bytes.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { openToRead } from '../files/open.ts';
import { readJson } from '../text/json.ts';
import { instantOf } from './select.ts';

/** Calls returned at a time. */
const BATCH = 100;

interface SpooledCall {
  /** When the call was made, in milliseconds since the epoch. */
  at: number;
  /** Byte offset in the file. */
  start: number;
  bytes: number;
}

export class Spool {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #file: Appender;
  readonly #calls: SpooledCall[] = [];
  #size = 0;

  /** Replaces a file that exists at `path`. */
  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#file = new Appender(fs, path, 0);
  }

  get count(): number {
    return this.#calls.length;
  }

  /** `json` is the text of the call as `byTime` returns it. */
  add(call: CallLogEntry, json: string): void {
    const bytes = Buffer.byteLength(json);
    this.#calls.push({ at: instantOf(call) ?? 0, start: this.#size, bytes });
    this.#size += bytes;
    this.#file.append(json);
  }

  /** The oldest first, after those whose time cannot be read. */
  *byTime(): Generator<CallLogEntry[]> {
    this.#file.flush();
    this.#calls.sort((one, other) => one.at - other.at);
    const fd = openToRead(this.#fs, this.#path);
    try {
      for (let at = 0; at < this.#calls.length; at += BATCH) {
        yield this.#calls.slice(at, at + BATCH).map((call) => this.#read(fd, call));
      }
    } finally {
      quietly(() => this.#fs.closeSync(fd));
    }
  }

  /** Closes and removes the file. */
  remove(): void {
    this.#file.abandon();
    quietly(() => this.#fs.rmSync(this.#path, { force: true }));
  }

  #read(fd: number, { start, bytes }: SpooledCall): CallLogEntry {
    const json = Buffer.allocUnsafe(bytes);
    const read = readFully(this.#fs, fd, json, start);
    try {
      return readJson(json.toString('utf8', 0, read)) as CallLogEntry;
    } catch (cause) {
      throw new FileError(`${this.#path} does not hold what was written to it.`, { cause });
    }
  }
}

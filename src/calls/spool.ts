/** Calls put down on disk in the order in which they come, and given back by their time: no memory need hold them all. */
import type { CallLogEntry } from '../contract.ts';
import { FileError } from '../errors.ts';
import { Appender, type FileSystem, quietly } from '../files.ts';
import { instantOf } from './select.ts';

/** Calls that are given back at a time. */
const BATCH = 100;

interface Place {
  /** When the call was made, in milliseconds since the epoch. */
  at: number;
  /** Where in the file it stands. */
  start: number;
  bytes: number;
}

export class Spool {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #file: Appender;
  readonly #places: Place[] = [];
  #size = 0;

  /** What stood at `path` is replaced. */
  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#file = new Appender(fs, path, 0);
  }

  get count(): number {
    return this.#places.length;
  }

  /** `json` is the call as it is to be given back. */
  add(call: CallLogEntry, json: string): void {
    const bytes = Buffer.byteLength(json);
    this.#places.push({ at: instantOf(call) ?? 0, start: this.#size, bytes });
    this.#size += bytes;
    this.#file.append(json);
  }

  /** The oldest first, after those whose time cannot be read. */
  *byTime(): Generator<CallLogEntry[]> {
    this.#file.flush();
    this.#places.sort((one, other) => one.at - other.at);
    const fd = this.#fs.openSync(this.#path, 'r');
    try {
      for (let at = 0; at < this.#places.length; at += BATCH) {
        yield this.#places.slice(at, at + BATCH).map((place) => this.#read(fd, place));
      }
    } finally {
      quietly(() => this.#fs.closeSync(fd));
    }
  }

  /** Leaves nothing behind. */
  remove(): void {
    this.#file.abandon();
    quietly(() => this.#fs.rmSync(this.#path, { force: true }));
  }

  #read(fd: number, { start, bytes }: Place): CallLogEntry {
    const json = Buffer.allocUnsafe(bytes);
    let done = 0;
    for (let read = -1; done < bytes && read !== 0; done += read) {
      read = this.#fs.readSync(fd, json, done, bytes - done, start + done);
    }
    try {
      return JSON.parse(json.toString('utf8', 0, done)) as CallLogEntry;
    } catch (cause) {
      throw new FileError(`${this.#path} does not hold what was written to it.`, { cause });
    }
  }
}

/**
 * Keeps calls on disk in the order in which they arrive and returns them by their time, so that they need not fit into memory.
 */
import type { CallLogEntry } from '../contract.ts';
import { FileError } from '../errors.ts';
import type { FileSystem } from '../storage/files/file-system.ts';
import { KeptTexts, type TextPlace } from '../storage/files/kept-texts.ts';
import { readJson } from '../text/json.ts';
import { instantOf } from './select.ts';

/** Calls returned at a time. */
const BATCH = 100;

interface SpooledCall extends TextPlace {
  /** When the call was made, in milliseconds since the epoch. */
  at: number;
}

export class Spool {
  readonly #path: string;
  readonly #texts: KeptTexts;
  readonly #calls: SpooledCall[] = [];

  /** Replaces a file that exists at `path`. */
  constructor(fs: FileSystem, path: string) {
    this.#path = path;
    this.#texts = new KeptTexts(fs, path);
  }

  get count(): number {
    return this.#calls.length;
  }

  /** `json` is the text of the call as `byTime` returns it. */
  add(call: CallLogEntry, json: string): void {
    this.#calls.push({ at: instantOf(call) ?? 0, ...this.#texts.add(json) });
  }

  /** The oldest first, after those whose time cannot be read. */
  *byTime(): Generator<CallLogEntry[]> {
    this.#calls.sort((one, other) => one.at - other.at);
    for (let at = 0; at < this.#calls.length; at += BATCH) {
      yield this.#calls.slice(at, at + BATCH).map((call) => this.#read(call));
    }
  }

  remove(): void {
    this.#texts.remove();
  }

  #read(call: SpooledCall): CallLogEntry {
    const json = this.#texts.at(call);
    try {
      return readJson(json) as CallLogEntry;
    } catch (cause) {
      throw new FileError(`${this.#path} does not hold what was written to it.`, { cause });
    }
  }
}

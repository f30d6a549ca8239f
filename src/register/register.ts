/**
 * The register: what was sent to real services, kept so that nobody is called twice. A line is on the disk before a request
 * leaves, and another when it has ended; whoever writes holds the lock, so that of two programs with the same contacts one
 * is told about the other.
 *
 * The guards need to know little of a long register. That is kept in an index beside it, so that a call costs the same
 * after a million calls; the index can be thrown away at any time, and is passed over where it does not fit the register.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ContactKey } from '../contract.ts';
import { type FileError, systemCode } from '../errors.ts';
import { Appender, type FileSystem, fileError, makePrivateFolder, quietly, replaceFile, syncFolder } from '../files.ts';
import { withLock } from '../lock.ts';
import { dropContacts, keepContacts, readKeptContacts } from './kept-contacts.ts';
import { EMPTY, Ledger, type LedgerState, type SentCampaign } from './ledger.ts';
import {
  damagedLine,
  type Ended,
  type EndedLine,
  type Extent,
  type Intent,
  isTorn,
  parseLine,
  readLines,
  type SentLine,
} from './lines.ts';

export interface RegisterOptions {
  fs: FileSystem;
  /** The state folder; made when something is first sent. */
  folder: string;
  /** Milliseconds since the epoch. */
  systemNow: () => number;
  /** What this process is doing, for the message that others see while they wait for the lock. */
  command: string;
  /** Hears that the last line was torn and is repaired. */
  warn(text: string): void;
}

/** Milliseconds: the lock is held for as long as a line takes. */
const LOCK_TIMEOUT = 10_000;
/** Bytes of the register that are read at each call, at most, before the index is made anew. */
const INDEX_AFTER = 1 << 17;
/** Of what an index holds: one of another version of vagent is passed over. */
const INDEX_VERSION = 1;
/** Bytes before the end of what an index covers, by which it is known to be of this register. */
const MARK_BYTES = 1024;

interface Index {
  ledger: LedgerState;
  /** Of the register, that it covers. */
  extent: Extent;
}

const START: Index = { ledger: EMPTY, extent: { bytes: 0, lines: 0 } };

/** What stands in the register when something is about to be sent. */
export interface Standing {
  ledger: Ledger;
  /** The first damaged line: nobody knows what it stood for. */
  damage: FileError | undefined;
}

interface Loaded extends Standing {
  extent: Extent;
  /** Bytes of the register that no index covers. */
  unindexed: number;
  /** What must come before the next line: a line break, where the last line lacks one. */
  separator: string;
  /** Whether a part of a line lies beyond, to be cut off. */
  isTorn: boolean;
}

export class Register {
  readonly path: string;
  readonly #options: RegisterOptions;

  constructor(options: RegisterOptions) {
    this.#options = options;
    this.path = join(options.folder, 'register.jsonl');
  }

  /**
   * Writes down what is about to be sent, durably, and returns its entry; `contacts` are kept beside. `guard` sees what
   * stands there and may refuse. Throws FileErrors: then nothing is to be sent.
   */
  begin(
    sent: Intent,
    { guard, contacts }: { guard: (standing: Standing) => void; contacts?: Iterable<ContactKey> | undefined },
  ): Promise<number> {
    const { fs, folder } = this.#options;
    return this.#locked((standing) => {
      guard(standing);
      const entry = nextEntry(standing);
      if (contacts !== undefined) keepContacts(fs, folder, entry, contacts);
      this.#append(standing, { entry, event: 'sent', at: this.#now(), ...sent });
      return entry;
    });
  }

  /** Writes down how it ended, durably. Contacts that nobody calls are not kept any longer. */
  end(entry: number, { outcome, answer }: Ended): Promise<void> {
    const { fs, folder } = this.#options;
    return this.#locked((standing) => {
      this.#append(standing, { entry, event: 'ended', at: this.#now(), outcome, answer });
      if (outcome === 'refused' || outcome === 'not_sent') quietly(() => dropContacts(fs, folder, entry));
    });
  }

  /** The contacts that were kept with an entry. Throws FileError. */
  contactsOf(entry: number): ContactKey[] {
    const { fs, folder } = this.#options;
    try {
      return readKeptContacts(fs, folder, entry);
    } catch (error) {
      throw fileError(error, 'read', `the contacts of entry ${entry} of ${this.path}`);
    }
  }

  /** What stands there now, by the index where there is one. */
  standing(): Standing {
    return this.#look();
  }

  /**
   * The campaigns that were sent to a service for an organization (for any, where none is given) and not refused, newest
   * first, and what to say of a damaged line. The whole register is read: what an index covers may have been damaged since.
   */
  campaigns(
    service: string,
    organizationId: number | undefined,
  ): { campaigns: SentCampaign[]; damage: FileError | undefined } {
    const { ledger, damage } = this.survey();
    const isOwn = ({ sent }: SentCampaign) => organizationId === undefined || sent.organization_id === organizationId;
    return { campaigns: ledger.campaigns(service).filter(isOwn).toReversed(), damage };
  }

  /** What the whole register comes to, its sound lines at least. */
  survey(): { ledger: Ledger; damage: FileError | undefined } {
    return this.#look(START);
  }

  /** What stands after `from`. Takes no lock: a line that is being written is not there yet. */
  #look(from?: Index): Loaded {
    try {
      return this.#load(from);
    } catch (error) {
      throw fileError(error, 'read', this.path);
    }
  }

  async #locked<T>(work: (standing: Loaded) => T): Promise<T> {
    const { fs, folder, command } = this.#options;
    try {
      makePrivateFolder(fs, folder);
      const lock = { timeoutMs: LOCK_TIMEOUT, command, file: this.path };
      return await withLock(fs, join(folder, 'register.lock'), lock, async () => work(this.#load()));
    } catch (error) {
      throw fileError(error, 'write', this.path);
    }
  }

  #append(standing: Loaded, line: SentLine | EndedLine): void {
    const { fs, folder, warn } = this.#options;
    const { ledger, extent, separator, isTorn } = standing;
    const file = new Appender(fs, this.path, extent.bytes);
    const text = `${separator}${JSON.stringify(line)}\n`;
    try {
      file.append(text);
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
    // Each time: the folder's name of a file that is new may have failed to become durable the last time.
    if (line.event === 'sent') syncFolder(fs, folder);
    if (isTorn)
      warn(
        `the last line of ${this.path} had been cut off and is taken away; if it told how a call went, that counts as unknown.`,
      );
    ledger.take(line);
    if (standing.damage === undefined && standing.unindexed > INDEX_AFTER) this.#writeIndex(ledger, extent, text);
  }

  /** Reads what the index does not cover, and finds a last line that its writer could not end. */
  #load({ ledger: state, extent: from }: Index = this.#readIndex() ?? START): Loaded {
    const { fs } = this.#options;
    const ledger = new Ledger(state);
    const extent: Extent = { ...from };
    let damage: FileError | undefined;
    let separator = '';
    let torn = false;
    try {
      const { tail, ...read } = readLines(fs, this.path, from, ({ number, line }) => {
        if (line === undefined) damage ??= damagedLine(this.path, number);
        else ledger.take(line);
      });
      Object.assign(extent, read);
      const last = tail.length === 0 ? undefined : parseLine(tail.toString('utf8'));
      torn = tail.length > 0 && last === undefined && isTorn(tail);
      if (tail.length > 0 && !torn) {
        // It stays, whatever it is: a line that lacks its end.
        extent.bytes += tail.length;
        extent.lines += 1;
        separator = '\n';
        if (last === undefined) damage ??= damagedLine(this.path, extent.lines);
        else ledger.take(last);
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    return { ledger, extent, separator, isTorn: torn, unindexed: extent.bytes - from.bytes, damage };
  }

  #readIndex(): Index | undefined {
    const { fs } = this.#options;
    try {
      const { version, mark, ledger, extent } = JSON.parse(fs.readFileSync(this.#indexPath, 'utf8'));
      return version === INDEX_VERSION && mark === this.#markAt(extent.bytes) ? { ledger, extent } : undefined;
    } catch {
      // Absent, damaged or of another register: all of it can be read instead.
      return undefined;
    }
  }

  #writeIndex(ledger: Ledger, { bytes, lines }: Extent, appended: string): void {
    const extent = { bytes: bytes + Buffer.byteLength(appended), lines: lines + 1 };
    // Nothing depends on it but speed.
    quietly(() => {
      const index = { version: INDEX_VERSION, mark: this.#markAt(extent.bytes), extent, ledger: ledger.state };
      replaceFile(this.#options.fs, this.#indexPath, JSON.stringify(index));
    });
  }

  get #indexPath(): string {
    return join(this.#options.folder, 'register.index');
  }

  /** A hash of what comes before an offset. */
  #markAt(end: number): string {
    const { fs } = this.#options;
    const bytes = Buffer.alloc(Math.min(MARK_BYTES, end));
    const fd = fs.openSync(this.path, 'r');
    try {
      const read = fs.readSync(fd, bytes, 0, bytes.length, end - bytes.length);
      return createHash('sha256').update(bytes.subarray(0, read)).digest('hex');
    } finally {
      fs.closeSync(fd);
    }
  }

  #now(): string {
    return new Date(this.#options.systemNow()).toISOString();
  }
}

/** A damaged line may have held a higher number than any that can be read: it is not given again. */
function nextEntry({ ledger, damage, extent }: Loaded): number {
  return Math.max(ledger.lastEntry, damage === undefined ? 0 : extent.lines) + 1;
}

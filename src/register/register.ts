/**
 * The register: what was sent to real services, kept so that nobody is called twice. A line is on the disk before a request is
 * sent, and another after it has ended. The writer holds the lock, so of two programs with the same contacts, one sees the
 * other's request.
 */
import { join } from 'node:path';
import type { ContactKey } from '../contract.ts';
import { FileError, systemCode } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { fileError, withFileErrors } from '../files/file-error.ts';
import { type FileSystem, quietly } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { type LineStart, readLines } from '../files/json-lines.ts';
import { withLock } from '../files/lock.ts';
import {
  type CalledContacts,
  contactsPath,
  dropContacts,
  keepCalled,
  keepContacts,
  type LastKept,
  lastKept,
  readKeptContacts,
  readPhones,
} from './kept-contacts.ts';
import { type Earlier, EMPTY, Ledger } from './ledger.ts';
import {
  damagedLine,
  type Ended,
  type EndedLine,
  type Intent,
  isTorn,
  parseLine,
  type SentCampaign,
  type SentLine,
  writtenLine,
} from './lines.ts';
import { type Extent, type Indexed, RegisterIndex } from './register-index.ts';

export interface RegisterOptions {
  fs: FileSystem;
  /** The state folder; created when something is first sent. */
  folder: string;
  /** Milliseconds since the epoch. */
  systemNow: () => number;
  /** What this process is doing, shown to others who wait for the lock. */
  command: string;
  /** Called when the last line was torn and has been repaired. */
  warn(text: string): void;
}

/** Milliseconds: the lock is held only while a line is written. */
const LOCK_TIMEOUT = 10_000;
/** At most this many bytes of the register are read at each call before the index is written anew. */
const INDEX_AFTER = 1 << 17;
const START: Indexed = { ledger: EMPTY, extent: { bytes: 0, lines: 0 } };

/** The content of the register when something is about to be sent. */
export interface Standing {
  ledger: Ledger;
  /** The error of the first damaged line: it may have stood for any request. */
  damage: FileError | undefined;
}

interface Loaded extends Standing {
  extent: Extent;
  /** Bytes of the register that no index covers. */
  unindexed: number;
  /** A line break if the last line lacks one; it must come before the next line. */
  separator: string;
  /** Whether part of a line follows, which must be cut off. */
  isTorn: boolean;
}

export class Register {
  readonly path: string;
  readonly #options: RegisterOptions;
  readonly #index: RegisterIndex;

  constructor(options: RegisterOptions) {
    const { fs, folder } = options;
    this.#options = options;
    this.path = join(folder, 'register.jsonl');
    this.#index = new RegisterIndex(fs, folder, this.path);
  }

  /**
   * Records what is about to be sent, durably, and returns its entry; `callees` are kept beside the register. `guard` sees the
   * register's content and may refuse. Throws FileErrors: then nothing must be sent.
   */
  begin(
    sent: Intent,
    { guard, callees }: { guard: (standing: Standing) => void; callees?: CalledContacts | undefined },
  ): Promise<number> {
    const { fs, folder } = this.#options;
    return this.#locked((standing) => {
      const kept = lastKept(fs, folder);
      const missing = this.#missingLines(standing, kept);
      guard({ ...standing, damage: standing.damage ?? missing });
      // Contacts that were called are never overwritten: they may be all that is left of a campaign.
      const entry = Math.max(nextEntry(standing), missing === undefined ? 0 : Math.max(kept.contacts, kept.phones) + 1);
      if (callees !== undefined) keepContacts(fs, folder, entry, callees);
      this.#append(standing, { entry, event: 'sent', at: this.#now(), ...sent });
      if (callees !== undefined) keepCalled(fs, folder, entry, callees);
      return entry;
    });
  }

  /**
   * The error if contacts are kept for an entry that is missing in the register. Contacts of the next entry are allowed, since
   * a program may have been killed before it wrote the line, but not if their phones are kept as well.
   */
  #missingLines({ ledger: { lastEntry } }: Standing, kept: LastKept): FileError | undefined {
    if (kept.phones <= lastEntry && kept.contacts <= lastEntry + 1) return undefined;
    const entry = Math.max(kept.phones, kept.contacts);
    const contacts = contactsPath(this.#options.folder, entry);
    const end = lastEntry === 0 ? 'records no request' : `ends with entry ${lastEntry}`;
    return new FileError(`${this.path} ${end}, but the contacts of entry ${entry} are kept in ${contacts}.`, {
      code: 'register_damaged',
      reason: { kind: 'register_lines_missing' },
    });
  }

  /** Records the outcome, durably. If the contacts were certainly not called, they are removed. */
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
    return this.#readingContacts(entry, () => readKeptContacts(fs, folder, entry));
  }

  /**
   * The phones that a campaign calls, ascending and without repeats; the array is reused by the next call. Throws FileError if
   * they cannot be read any more.
   */
  phonesOf({ entry, contacts }: SentCampaign): Float64Array {
    const { fs, folder } = this.#options;
    const { numbers_sha256: numbersSha256, count } = contacts;
    return this.#readingContacts(entry, () => readPhones(fs, folder, entry, { numbersSha256, count }));
  }

  #readingContacts<T>(entry: number, read: () => T): T {
    return withFileErrors('read', `the contacts of entry ${entry} of ${this.path}`, read);
  }

  /** The current content, read with the help of the index if there is one. */
  standing(): Standing {
    return this.#look();
  }

  /**
   * The campaigns that were sent to a service and not refused, newest first, for one organization or for all, and the error of
   * a damaged line. Reads the whole register, because a part that the index covers may have been damaged since.
   */
  campaigns(
    service: string,
    organizationId: number | undefined,
  ): { campaigns: Earlier<SentCampaign>[]; damage: FileError | undefined } {
    const { ledger, damage } = this.survey();
    const isOwn = ({ sent }: Earlier) => organizationId === undefined || sent.organization_id === organizationId;
    return { campaigns: ledger.campaigns(service).filter(isOwn).toReversed(), damage };
  }

  /** A summary of the whole register, or of its sound lines if some are damaged. */
  survey(): { ledger: Ledger; damage: FileError | undefined } {
    return this.#look(START);
  }

  /** Reads what follows `from`. Takes no lock: a line that is being written does not count yet. */
  #look(from?: Indexed): Loaded {
    return withFileErrors('read', this.path, () => this.#load(from));
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
    const text = `${separator}${writtenLine(line)}\n`;
    try {
      file.append(text);
      file.finish();
    } catch (error) {
      file.abandon();
      throw error;
    }
    // Every time, because it may have failed when the file was created.
    if (line.event === 'sent') syncFolder(fs, folder);
    if (isTorn)
      warn(
        `the last line of ${this.path} was cut off and has been removed; if it recorded the outcome of a call, that outcome counts as unknown.`,
      );
    ledger.take(line);
    if (standing.damage !== undefined || standing.unindexed <= INDEX_AFTER) return;
    const covered = { bytes: extent.bytes + Buffer.byteLength(text), lines: extent.lines + 1 };
    this.#index.write({ ledger: ledger.state, extent: covered });
  }

  /** Reads what the index does not cover, and finds a last line that was not written to its end. */
  #load({ ledger: state, extent: from }: Indexed = this.#index.read() ?? START): Loaded {
    const { fs } = this.#options;
    const ledger = new Ledger(state);
    const extent: Extent = { ...from };
    let damage: FileError | undefined;
    let separator = '';
    let torn = false;
    try {
      for (const { number, start, length, text, isWhole } of readLines(fs, this.path, startOf(from))) {
        const line = parseLine(text);
        torn = !isWhole && line === undefined && isTorn(text);
        if (torn) break;
        // A last line without a line break stays, whatever it is.
        extent.bytes = start + length;
        extent.lines = number;
        separator = isWhole ? '' : '\n';
        if (line === undefined) damage ??= damagedLine(this.path, number);
        else ledger.take(line);
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    return { ledger, extent, separator, isTorn: torn, unindexed: extent.bytes - from.bytes, damage };
  }

  #now(): string {
    return new Date(this.#options.systemNow()).toISOString();
  }
}

function startOf({ bytes, lines }: Extent): LineStart {
  return { start: bytes, number: lines + 1 };
}

/** A damaged line may have held a higher number than any that can be read; that number must not be used again. */
function nextEntry({ ledger, damage, extent }: Loaded): number {
  return Math.max(ledger.lastEntry, damage === undefined ? 0 : extent.lines) + 1;
}

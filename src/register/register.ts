/**
 * The register: what was sent to real services, kept so that nobody is called twice. A line is on the disk before a request is
 * sent, and another after it has ended. The writer holds the lock, so of two programs with the same contacts, one sees the
 * other's request.
 */
import { join } from 'node:path';
import type { Contact } from '../contract.ts';
import { FileError, systemCode } from '../errors.ts';
import { Appender } from '../files/appender.ts';
import { fileError, withFileErrors } from '../files/file-error.ts';
import { quietly } from '../files/file-system.ts';
import { makePrivateFolder, syncFolder } from '../files/folder.ts';
import { type LineStart, readLines } from '../files/json-lines.ts';
import type { OriginalRows } from '../files/rows.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { forgottenLine } from './forgotten.ts';
import { type History, historyOf, isRefused, type Past, RequestReader } from './history.ts';
import {
  type CalledContacts,
  contactsPath,
  dropAllContacts,
  dropContacts,
  hasKeptRows,
  keepCalled,
  keepContacts,
  type LastKept,
  lastKept,
  readKeptContacts,
  readKeptRows,
  readPhones,
} from './kept-contacts.ts';
import { type KeptSummary, keepSummary, readSummary } from './kept-summary.ts';
import { type Earlier, EMPTY, Ledger } from './ledger.ts';
import {
  damagedLine,
  type Ended,
  type EndedLine,
  type Intent,
  isTorn,
  type Line,
  parseLine,
  type SentCampaign,
  type SentLine,
  writtenLine,
} from './lines.ts';
import { OptedOut } from './opted-out.ts';
import { dropRedialsOf, keepRedial, type NewRedial, type Redial, readRedials } from './redials.ts';
import { type Extent, type Indexed, RegisterIndex } from './register-index.ts';
import { entryAtStart, rewriteRegister } from './rewrite.ts';
import { serviceKey } from './service-key.ts';
import type { Foreign } from './transfer/import-lines.ts';
import { mergeOf } from './transfer/merge.ts';
import { MergedLines } from './transfer/merged-lines.ts';
import { endTakeOver, markedEntries, markTakeOver, settleTakeOver, takeContacts } from './transfer/take-contacts.ts';

export interface RegisterOptions {
  /** Created when something is first sent. */
  state: StateFolder;
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

/** How many requests of another machine were added here, whose outcome became known, and which were here before. */
export interface TakenOver {
  added: number;
  completed: number;
  known: number;
  /** Requests that came without the people they called, and have them now. */
  restored: number;
  /** Campaigns here that had no original rows, and have them now. */
  withRows: number;
  /** Requests of the other machine whose people the guards do not know, because they were forgotten. */
  unguarded: SentLine[];
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
    const { fs, path } = options.state;
    this.#options = options;
    this.path = join(path, 'register.jsonl');
    this.#index = new RegisterIndex(fs, path, this.path);
  }

  /**
   * Records what is about to be sent, durably, and returns its entry; `callees` are kept beside the register. `guard` sees the
   * register's content and may refuse. Throws FileErrors: then nothing must be sent.
   */
  begin(
    sent: Intent,
    { guard, callees }: { guard: (standing: Standing) => void; callees?: CalledContacts | undefined },
  ): Promise<number> {
    const { fs, folder } = this.#files;
    return this.#locked((standing) => {
      // A program that forgot them may have been killed before they were removed.
      this.#dropForgotten(standing);
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
    const contacts = contactsPath(this.#files.folder, entry);
    const end = lastEntry === 0 ? 'records no request' : `ends with entry ${lastEntry}`;
    return new FileError(`${this.path} ${end}, but the contacts of entry ${entry} are kept in ${contacts}.`, {
      code: 'register_damaged',
      reason: { kind: 'register_lines_missing' },
    });
  }

  /** Records the outcome, durably. If the contacts were certainly not called, they are removed. */
  end(entry: number, ended: Ended): Promise<void> {
    const { fs, folder } = this.#files;
    return this.#locked((standing) => {
      this.#append(standing, { entry, event: 'ended', at: this.#now(), ...ended });
      const { outcome } = ended;
      if (outcome === 'refused' || outcome === 'not_sent') quietly(() => dropContacts(fs, folder, entry));
    });
  }

  /** The folder, if it is a copy of what several machines share. */
  get copy(): string | undefined {
    const { location, path } = this.#options.state;
    return location === undefined ? undefined : path;
  }

  /** The contacts that were kept with an entry, as they were sent. Throws FileError. */
  contactsOf(entry: number): Contact[] {
    return [...this.eachContactOf(entry)];
  }

  /** The same one by one: a million texts need not fit into memory. */
  *eachContactOf(entry: number): Generator<Contact, void> {
    const { fs, folder } = this.#files;
    try {
      yield* readKeptContacts(fs, folder, entry);
    } catch (error) {
      throw fileError(error, 'read', this.#contactsOf(entry));
    }
  }

  /**
   * The original rows of the contacts that were kept with an entry, in the order of the contacts; undefined if none were kept.
   * Throws FileError if they are damaged, or not as many as the contacts.
   */
  rowsOf(entry: number): OriginalRows | undefined {
    const { fs, folder } = this.#files;
    return withFileErrors('read', this.#contactsOf(entry), () => readKeptRows(fs, folder, entry));
  }

  /**
   * The phones that a campaign calls, ascending and without repeats; the array is reused by the next call. Throws FileError if
   * they cannot be read any more.
   */
  phonesOf({ entry, contacts }: SentCampaign): Float64Array {
    const { fs, folder } = this.#files;
    const { numbers_sha256: numbersSha256, count } = contacts;
    return withFileErrors('read', this.#contactsOf(entry), () =>
      readPhones(fs, folder, entry, { numbersSha256, count }),
    );
  }

  /** Another text whenever something was recorded since. */
  stamp(): string {
    const { fs } = this.#files;
    try {
      const { size, mtimeMs } = fs.statSync(this.path);
      return `${size} ${mtimeMs}`;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return 'none';
      throw fileError(error, 'read', this.path);
    }
  }

  /** What came of a campaign, if it was seen to be over. */
  summaryOf({ entry, at }: Pick<SentCampaign, 'entry' | 'at'>): KeptSummary | undefined {
    const { fs, folder } = this.#files;
    return readSummary(fs, folder, entry, at);
  }

  keepSummary({ entry, at }: Pick<SentCampaign, 'entry' | 'at'>, summary: Omit<KeptSummary, 'sent_at'>): void {
    const { fs, folder } = this.#files;
    keepSummary(fs, folder, entry, { sent_at: at, ...summary });
  }

  /** What is read, for messages. */
  #contactsOf(entry: number): string {
    return `the contacts of entry ${entry} of ${this.path}`;
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

  /**
   * All that was, or may have been, carried out for an organization of a service. Reads the whole register, once. Requests that
   * are not wanted take no memory.
   */
  history(service: string, organizationId: number, isWanted: (sent: SentLine) => boolean = () => true): History {
    const key = serviceKey(service);
    const { requests, damage } = this.requests((sent) => {
      const isOwn = sent.organization_id === organizationId && serviceKey(sent.service) === key;
      return isOwn && isWanted(sent);
    });
    return { ...historyOf(requests), damage };
  }

  /** Requests to all services, also refused and forgotten ones, in the order of the lines. Reads the whole register, once. */
  requests(isWanted: (sent: SentLine) => boolean = () => true): {
    requests: Iterable<Past>;
    damage: FileError | undefined;
  } {
    const reader = new RequestReader(isWanted);
    const { damage } = withFileErrors('read', this.path, () => this.#load(START, (line) => reader.take(line)));
    return { requests: reader.requests, damage };
  }

  /**
   * Removes what the register says of people in the requests that are chosen, with everything that is kept for them, and returns
   * the entries. Throws FileErrors; the register is then as it was, or the requests are forgotten.
   */
  forget(isChosen: (request: Past) => boolean): Promise<Set<number>> {
    const { fs, folder } = this.#files;
    return this.#locked(({ extent, isTorn }) => {
      const gone = new Set<number>();
      const { requests, damage } = this.requests(({ entry, forgotten }) => {
        if (forgotten !== undefined) gone.add(entry);
        return forgotten === undefined;
      });
      if (damage !== undefined) throw damage;
      const chosen = new Set<number>();
      for (const request of requests) if (isChosen(request)) chosen.add(request.sent.entry);
      const at = this.#now();
      const replaced = (text: string): string[] => {
        const entry = entryAtStart(text);
        if (entry !== undefined && !chosen.has(entry)) return [text];
        const line = parseLine(text);
        return [line !== undefined && chosen.has(line.entry) ? writtenLine(forgottenLine(line, at)) : text];
      };
      if (chosen.size > 0) {
        this.#index.remove();
        rewriteRegister(fs, this.path, extent.bytes, replaced);
        if (isTorn) this.#warnOfTornLine();
      }
      // Also what a program left that was killed here.
      for (const entry of chosen) gone.add(entry);
      dropAllContacts(fs, folder, (entry) => gone.has(entry));
      dropRedialsOf(fs, folder, (entry) => gone.has(entry));
      return chosen;
    });
  }

  /**
   * Takes over the requests of another machine from an exported register at `path`, which was checked and is not changed
   * meanwhile. Throws FileErrors; the register is then as it was, or has all of them.
   */
  takeOver(path: string, foreign: readonly Foreign[]): Promise<TakenOver> {
    const { fs, folder } = this.#files;
    return this.#locked((standing) => {
      const { requests, damage } = this.requests();
      this.#dropForgotten(standing);
      const missing = this.#missingLines(standing, lastKept(fs, folder));
      if (damage !== undefined || missing !== undefined) throw damage ?? missing;
      const first = nextEntry(standing);
      const merge = mergeOf(requests, foreign, first);
      const { added, completed, entries, restored, unguarded } = merge;
      const withRows = new Set(
        [...merge.withRows].filter((entry) => !restored.has(entry) && !hasKeptRows(fs, folder, entry)),
      );
      if (added.length > 0 || restored.size > 0 || withRows.size > 0) {
        const last = first + added.length - 1;
        if (added.length > 0) markTakeOver(fs, folder, { first, last });
        // Those of a restored request are removed like those of any that is forgotten, if this program is killed here.
        takeContacts(fs, folder, path, (there) => {
          const entry = entries.get(there) ?? 0;
          if (entry >= first || restored.has(entry)) return { entry, isRowsOnly: false };
          return withRows.has(entry) ? { entry, isRowsOnly: true } : undefined;
        });
      }
      if (added.length > 0 || completed.size > 0 || restored.size > 0) {
        this.#index.remove();
        const lines = new MergedLines(merge);
        rewriteRegister(
          fs,
          this.path,
          standing.extent.bytes,
          (text) => lines.replaced(text),
          () => lines.rest(),
        );
        if (standing.isTorn) this.#warnOfTornLine();
        if (added.length > 0) endTakeOver(fs, folder);
        const isRefusedNow = (entry: number) => isRefused(completed.get(entry) ?? {});
        quietly(() => dropAllContacts(fs, folder, isRefusedNow));
      }
      const isCompleted = (entry: number) => completed.has(entry) && !restored.has(entry);
      return {
        added: added.length,
        completed: [...completed.keys()].filter(isCompleted).length,
        known: foreign.length - added.length,
        restored: restored.size,
        withRows: withRows.size,
        unguarded,
      };
    });
  }

  #dropForgotten({ ledger: { forgotten } }: Standing): void {
    const { fs, folder } = this.#files;
    if (forgotten.size > 0) dropAllContacts(fs, folder, (entry) => forgotten.has(entry));
  }

  /** Keeps a list of people to call again, durably, before it is handed out. Throws FileErrors. */
  keepRedial(redial: NewRedial): Promise<void> {
    const { fs, folder } = this.#files;
    return this.#locked(() => keepRedial(fs, folder, redial));
  }

  /** The lists of people to call again, the newest first. */
  redials(): Iterable<Redial> {
    return readRedials(this.#files.fs, this.#files.folder);
  }

  /** Those who opted out of the calls of a service; whoever is added was told the organization. */
  optedOut(service: string, organizationId: number): OptedOut {
    const { state, command } = this.#options;
    return new OptedOut({ state, command, service, isLocal: false, organizationId });
  }

  /** This machine's time in milliseconds since the epoch. */
  now(): number {
    return this.#options.systemNow();
  }

  /** A summary of the whole register, or of its sound lines if some are damaged. */
  survey(): { ledger: Ledger; damage: FileError | undefined } {
    return this.#look(START);
  }

  /** Throws FileError if nothing can be recorded, because it cannot be told what an import left that was killed. */
  requireSoundImport(): void {
    const { fs, folder } = this.#files;
    withFileErrors('read', folder, () => markedEntries(fs, folder));
  }

  /** Reads what follows `from`. Takes no lock: a line that is being written does not count yet. */
  #look(from?: Indexed): Loaded {
    return withFileErrors('read', this.path, () => this.#load(from));
  }

  async #locked<T>(work: (standing: Loaded) => T): Promise<T> {
    const { fs, folder } = this.#files;
    const { state, command } = this.#options;
    try {
      makePrivateFolder(fs, folder);
      const lock = { timeoutMs: LOCK_TIMEOUT, command, file: this.path };
      return await state.locked('register.lock', lock, async () => {
        const standing = this.#load();
        settleTakeOver(fs, folder, standing.ledger.lastEntry);
        return work(standing);
      });
    } catch (error) {
      throw fileError(error, 'write', this.path);
    }
  }

  #append(standing: Loaded, line: SentLine | EndedLine): void {
    const { fs, folder } = this.#files;
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
    if (isTorn) this.#warnOfTornLine();
    ledger.take(line);
    if (standing.damage !== undefined || standing.unindexed <= INDEX_AFTER) return;
    const covered = { bytes: extent.bytes + Buffer.byteLength(text), lines: extent.lines + 1 };
    this.#index.write({ ledger: ledger.state, extent: covered });
  }

  #warnOfTornLine(): void {
    this.#options.warn(
      `the last line of ${this.path} was cut off and has been removed; if it recorded the outcome of a call, that outcome counts as unknown.`,
    );
  }

  /**
   * Reads what the index does not cover, and finds a last line that was not written to its end. Each sound line goes to `take`;
   * if that is not given, into the ledger.
   */
  #load({ ledger: state, extent: from }: Indexed = this.#index.read() ?? START, take?: (line: Line) => void): Loaded {
    const { fs } = this.#files;
    const ledger = new Ledger(state);
    const taking = take ?? ((line: Line) => ledger.take(line));
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
        else taking(line);
      }
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    return { ledger, extent, separator, isTorn: torn, unindexed: extent.bytes - from.bytes, damage };
  }

  get #files() {
    const { fs, path: folder } = this.#options.state;
    return { fs, folder };
  }

  #now(): string {
    return new Date(this.now()).toISOString();
  }
}

function startOf({ bytes, lines }: Extent): LineStart {
  return { start: bytes, number: lines + 1 };
}

/** A damaged line may have held a higher number than any that can be read; that number must not be used again. */
function nextEntry({ ledger, damage, extent }: Loaded): number {
  return Math.max(ledger.lastEntry, damage === undefined ? 0 : extent.lines) + 1;
}

/**
 * A campaign's contacts and retries on disk, both as JSON lines that are read strictly in order: contacts are written once,
 * retries appended as attempts fail. Positions are byte offsets that the root commits, so neither file is ever rewritten.
 */
import { join } from 'node:path';
import { type Contact, isContact } from '../../contract.ts';
import type { CampaignQueues, Retry, Waiting } from '../../engine/campaigns.ts';
import { retryFlaw } from '../../engine/soundness.ts';
import type { Campaign } from '../../engine/state.ts';
import { Appender } from '../../storage/files/appender.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import { type FileSystem, openToRead, quietly, readFully } from '../../storage/files/file-system.ts';
import { parsedLine } from '../../storage/files/json-lines.ts';
import { damaged } from '../damage.ts';
import { countLines, type OriginalRows, readRows, writeRows } from '../original-rows.ts';
import { LineReader, lineBefore, linePlaces } from './committed-lines.ts';
import type { QueueExtent } from './root.ts';

export function campaignFolder(folder: string, campaignId: number): string {
  return join(folder, 'campaigns', String(campaignId));
}

export function queuePath(folder: string, campaignId: number, kind: 'contacts' | 'retries' | 'rows'): string {
  return join(campaignFolder(folder, campaignId), `${kind}.jsonl`);
}

/** Writes the contacts of a new campaign, of which `taken` were dialled already. Returns the extent for the root to commit. */
export function writeContacts(
  fs: FileSystem,
  folder: string,
  campaign_id: number,
  contacts: Iterable<Contact>,
  taken = 0,
): QueueExtent {
  makePrivateFolder(fs, campaignFolder(folder, campaign_id));
  const file = new Appender(fs, queuePath(folder, campaign_id, 'contacts'), 0);
  let left = taken;
  let takenBytes = 0;
  try {
    for (const contact of contacts) {
      const line = toLine(contact);
      file.append(line);
      if (left-- > 0) takenBytes += Buffer.byteLength(line);
    }
    const bytes = file.finish();
    syncFolder(fs, campaignFolder(folder, campaign_id));
    syncFolder(fs, join(folder, 'campaigns'));
    return { campaign_id, contacts: { bytes, taken: takenBytes }, retries: { bytes: 0, taken: 0 } };
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** The documented fields of a contact; other fields of a request are ignored. */
function toLine(contact: Contact): string {
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = contact;
  return `${JSON.stringify({ phone_number, custom_first_line, custom_instruction, custom_identifiers })}\n`;
}

/** Every contact of a campaign. */
export function readContacts(
  fs: FileSystem,
  folder: string,
  { campaign_id, contacts }: QueueExtent,
): Generator<Contact, void> {
  return parsedLines(fs, queuePath(folder, campaign_id, 'contacts'), 0, contacts.bytes, parseContact);
}

/** Keeps the original rows of a campaign's contacts, durably; `file` is its content. */
export function writeRowsOf(fs: FileSystem, folder: string, campaignId: number, file: Iterable<Buffer>): void {
  const path = queuePath(folder, campaignId, 'rows');
  const beside = `${path}.new`;
  writeRows(fs, beside, file);
  fs.renameSync(beside, path);
  syncFolder(fs, campaignFolder(folder, campaignId));
}

/** The original rows of a campaign's contacts; undefined if none were kept. Throws FileError if some are known to have been. */
export function readRowsOf(
  fs: FileSystem,
  folder: string,
  campaignId: number,
  wereKept = false,
): OriginalRows | undefined {
  const path = queuePath(folder, campaignId, 'rows');
  if (fs.statSync(path, { throwIfNoEntry: false }) === undefined) {
    if (wereKept) throw damaged(`${path} is missing`);
    return undefined;
  }
  return readRows(fs, path, countLines(fs, queuePath(folder, campaignId, 'contacts')));
}

/** The numbers that a campaign has still to call, as the root commits it. */
export function readWaiting(fs: FileSystem, folder: string, { campaign_id, contacts, retries }: QueueExtent): Waiting {
  const path = (kind: 'contacts' | 'retries') => queuePath(folder, campaign_id, kind);
  const waiting: Waiting = { numbers: [], retries: [] };
  const { taken, bytes } = contacts;
  for (const { phone_number } of parsedLines(fs, path('contacts'), taken, bytes, parseContact)) {
    waiting.numbers.push(phone_number);
  }
  for (const retry of parsedLines(fs, path('retries'), retries.taken, retries.bytes, parseRetry)) {
    const { phone_number } = retry.contact;
    waiting.retries.push({ ...retry, contact: { phone_number } });
  }
  return waiting;
}

function* parsedLines<T>(
  fs: FileSystem,
  path: string,
  from: number,
  end: number,
  parse: (json: string) => T | undefined,
): Generator<T, void> {
  if (from === end) return;
  const reader = new LineReader(fs, path, from, end, damaged);
  try {
    for (let json = reader.next(); json !== undefined; json = reader.next()) {
      const value = parse(json);
      if (value === undefined) throw damaged(`${path} has a line that is none of its own`);
      yield value;
      reader.take();
    }
  } finally {
    reader.close();
  }
}

/** Where the contacts of campaigns stand in their files, by campaign: a file that was committed is looked through once. */
export type Places = Map<number, Float64Array>;

/**
 * The queues of one campaign during a transaction; `finish` updates the root's record of them. What was committed is compared
 * with the campaign's counts before any of it is taken, because a file that was changed by hand would have somebody else called.
 */
export class CampaignFiles implements CampaignQueues {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #extent: QueueExtent;
  readonly #campaign: Campaign;
  /** As it was when the transaction began. */
  readonly #before: Campaign;
  readonly #known: Places;
  /** Where its contacts stand, once that is known to be sound. */
  #places: Float64Array | undefined;
  /** The file of the contacts, to look up that of a retry. */
  #people: number | undefined;
  /** The retry that was read last, and when the last one is due that waits: none that is added may come before. */
  #lastRead: Retry | undefined;
  #lastDue = Number.NEGATIVE_INFINITY;
  #contacts: LineReader | undefined;
  #retries: LineReader | undefined;
  #newRetries: Appender | undefined;
  #nextRetry: Retry | undefined;
  /** Whether only retries of this transaction are left to read. */
  #isPastCommitted = false;
  /** Retries of this transaction that were not read yet, without the committed ones. */
  #unreadNew = 0;

  constructor(fs: FileSystem, folder: string, extent: QueueExtent, campaign: Campaign, known: Places) {
    this.#fs = fs;
    this.#folder = folder;
    this.#extent = extent;
    this.#campaign = campaign;
    this.#before = { ...campaign };
    this.#known = known;
  }

  takeContact(): Contact {
    this.#requireSound();
    const { bytes, taken } = this.#extent.contacts;
    this.#contacts ??= new LineReader(this.#fs, this.#path('contacts'), taken, bytes, damaged);
    const json = this.#contacts.next();
    const contact = json === undefined ? undefined : parseContact(json);
    if (contact === undefined) throw damaged(`${this.#path('contacts')} has no contact where one was committed`);
    this.#contacts.take();
    return contact;
  }

  retryDue(): number | null {
    this.#nextRetry ??= this.#readRetry();
    return this.#nextRetry?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.#nextRetry ?? this.#readRetry();
    if (retry === undefined) throw damaged(`${this.#path('retries')} ends too early`);
    this.#retries?.take();
    this.#nextRetry = undefined;
    return retry;
  }

  addRetry({ index, attempt, due: earliest, contact }: Retry): void {
    const due = Math.max(earliest, this.#lastDue);
    this.#newRetries ??= new Appender(this.#fs, this.#path('retries'), this.#extent.retries.bytes);
    this.#newRetries.append(`${JSON.stringify({ index, attempt, due, contact })}\n`);
    this.#unreadNew++;
  }

  /** Makes the new retries durable. */
  finish(): void {
    const { contacts, retries } = this.#extent;
    contacts.taken = this.#contacts?.position ?? contacts.taken;
    retries.taken = this.#retries?.position ?? retries.taken;
    this.#closeReaders();
    if (this.#newRetries === undefined) return;
    const closing = this.#newRetries;
    this.#newRetries = undefined;
    retries.bytes = closing.finish();
    syncFolder(this.#fs, campaignFolder(this.#folder, this.#extent.campaign_id));
  }

  abandon(): void {
    this.#closeReaders();
    this.#newRetries?.abandon();
    this.#newRetries = undefined;
  }

  /** Of what was committed; what this transaction adds is sound. */
  #requireSound(): Float64Array {
    if (this.#places !== undefined) return this.#places;
    const { campaign_id, contacts, retries } = this.#extent;
    const { total_contacts: total, next_contact: next } = this.#before;
    const path = this.#path('contacts');
    const places = this.#known.get(campaign_id) ?? linePlaces(this.#fs, path, contacts.bytes);
    const lines = (places?.length ?? 0) - 1;
    // After a repair there may be fewer than were dialled.
    const at = places?.indexOf(contacts.taken) ?? -1;
    if (places === undefined || at === -1 || lines - at !== total - next || lines > total)
      throw damaged(`${path} does not hold the contacts that its campaign counts`);
    this.#known.set(campaign_id, places);
    if (retries.bytes > retries.taken) {
      const last = lineBefore(this.#fs, this.#path('retries'), retries.bytes);
      this.#lastDue = this.#parseRetry(last ?? '').due;
    }
    this.#places = places;
    return places;
  }

  #requireSoundRetry(retry: Retry): void {
    const places = this.#requireSound();
    const isFirst = this.#lastRead === undefined;
    const flaw =
      retryFlaw(retry, this.#campaign, this.#lastRead) ??
      (isFirst && retry.due !== this.#before.retry_due ? 'is due at another time than its campaign says' : undefined) ??
      (this.#isOfItsContact(retry, places) ? undefined : 'is a retry of another contact than it names');
    if (flaw !== undefined) throw damaged(`${this.#path('retries')} has a line that ${flaw}`);
    this.#lastRead = retry;
  }

  #isOfItsContact({ index, contact }: Retry, places: Float64Array): boolean {
    if (places.length - 1 < this.#before.total_contacts) return true;
    this.#people ??= openToRead(this.#fs, this.#path('contacts'));
    const [start, end] = [places[index] as number, places[index + 1] as number];
    const line = Buffer.allocUnsafe(end - start);
    readFully(this.#fs, this.#people, line, start);
    const named = parseContact(line.toString('utf8', 0, line.length - 1));
    return named !== undefined && toLine(named) === toLine(contact);
  }

  #readRetry(): Retry | undefined {
    const { bytes, taken } = this.#extent.retries;
    if (this.#retries === undefined && taken === bytes && this.#newRetries === undefined) return undefined;
    this.#retries ??= new LineReader(this.#fs, this.#path('retries'), taken, bytes, damaged);
    if (this.#retries.next() === undefined && this.#unreadNew > 0) {
      this.#isPastCommitted = true;
      // Retries added in this transaction are read back from the file: a million of them need not fit into memory.
      this.#unreadNew = 0;
      this.#retries.extend(this.#newRetries?.flush() ?? bytes);
    }
    const json = this.#retries.next();
    if (json === undefined) return undefined;
    const retry = this.#parseRetry(json);
    if (!this.#isPastCommitted) this.#requireSoundRetry(retry);
    return retry;
  }

  #parseRetry(json: string): Retry {
    const retry = parseRetry(json);
    if (retry === undefined) throw damaged(`${this.#path('retries')} holds a line that is no retry`);
    return retry;
  }

  #closeReaders(): void {
    this.#contacts?.close();
    this.#retries?.close();
    const people = this.#people;
    if (people !== undefined) quietly(() => this.#fs.closeSync(people));
    this.#people = undefined;
    this.#contacts = undefined;
    this.#retries = undefined;
  }

  #path(kind: 'contacts' | 'retries'): string {
    return queuePath(this.#folder, this.#extent.campaign_id, kind);
  }
}

function parseContact(json: string): Contact | undefined {
  const value = parsedLine(json);
  return isContact(value) ? value : undefined;
}

function parseRetry(json: string): Retry | undefined {
  const value = parsedLine(json) as Partial<Retry> | null | undefined;
  const isOne = [value?.index, value?.attempt, value?.due].every(Number.isSafeInteger) && isContact(value?.contact);
  return isOne ? (value as Retry) : undefined;
}

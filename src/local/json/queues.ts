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
import { parsed } from '../../text/json.ts';
import { damaged, type OriginalRows } from '../store.ts';
import { committedValues, countLines, lineBefore, linePlaces, readRows } from './committed-lines.ts';
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
  let left = taken;
  let takenBytes = 0;
  const bytes = writeDurably(fs, queuePath(folder, campaign_id, 'contacts'), (file) => {
    for (const contact of contacts) {
      const line = toLine(contact);
      file.append(line);
      if (left-- > 0) takenBytes += Buffer.byteLength(line);
    }
  });
  syncFolder(fs, campaignFolder(folder, campaign_id));
  syncFolder(fs, join(folder, 'campaigns'));
  return { campaign_id, contacts: { bytes, taken: takenBytes }, retries: { bytes: 0, taken: 0 } };
}

/** Writes a new file from beginning to end; returns its size in bytes. */
function writeDurably(fs: FileSystem, path: string, write: (file: Appender) => void): number {
  const file = new Appender(fs, path, 0);
  try {
    write(file);
    return file.finish();
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
  writeDurably(fs, beside, (rows) => {
    for (const piece of file) rows.append(piece);
  });
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
  const numbersLeft = parsedLines(fs, path('contacts'), contacts.taken, contacts.bytes, parseContact);
  const retriesLeft = parsedLines(fs, path('retries'), retries.taken, retries.bytes, parseRetry);
  return {
    numbers: Array.from(numbersLeft, ({ phone_number }) => phone_number),
    retries: Array.from(retriesLeft, (retry) => ({ ...retry, contact: { phone_number: retry.contact.phone_number } })),
  };
}

function* parsedLines<T>(...lines: Parameters<typeof committedValues<T>>): Generator<T, void> {
  for (const { value } of committedValues(...lines)) yield value;
}

/** Where the contacts of campaigns stand in their files, by campaign: a file that was committed is looked through once. */
export type Places = Map<number, Float64Array>;

interface QueueFiles {
  fs: FileSystem;
  folder: string;
  /** The root's record of them. */
  extent: QueueExtent;
  campaign: Campaign;
  known: Places;
}

/**
 * The queues of one campaign during a transaction; `finish` updates the root's record of them. What was committed is compared
 * with the campaign's counts before any of it is taken, because a file that was changed by hand would have somebody else called.
 */
export class CampaignFiles implements CampaignQueues {
  readonly #of: QueueFiles;
  /** The campaign as it was when the transaction began. */
  readonly #before: Campaign;
  /** Where its contacts stand, once that is known to be sound. */
  #places: Float64Array | undefined;
  /** The file of the contacts, to look up that of a retry. */
  #people: number | undefined;
  /** The retry that was read last, and when the last one is due that waits: none that is added may come before. */
  #lastRead: Retry | undefined;
  #lastDue = Number.NEGATIVE_INFINITY;
  #contacts: ReturnType<typeof committedValues<Contact>> | undefined;
  #retries: ReturnType<typeof committedValues<Retry>> | undefined;
  /** Up to which byte of each file everything was taken. */
  readonly #taken: Record<'contacts' | 'retries', number>;
  #newRetries: Appender | undefined;
  #nextRetry: { value: Retry; end: number } | undefined;
  /** Whether retries of this transaction were added since they were last read. */
  #hasUnread = false;

  constructor(of: QueueFiles) {
    this.#of = of;
    this.#before = { ...of.campaign };
    this.#taken = { contacts: of.extent.contacts.taken, retries: of.extent.retries.taken };
  }

  takeContact(): Contact {
    this.#requireSound();
    const { fs, extent } = this.#of;
    const path = this.#path('contacts');
    this.#contacts ??= committedValues(fs, path, this.#taken.contacts, extent.contacts.bytes, parseContact);
    const next = this.#contacts.next().value;
    if (next === undefined) throw damaged(`${path} has no contact where one was committed`);
    this.#taken.contacts = next.end;
    return next.value;
  }

  retryDue(): number | null {
    this.#nextRetry ??= this.#readRetry();
    return this.#nextRetry?.value.due ?? null;
  }

  takeRetry(): Retry {
    const next = this.#nextRetry ?? this.#readRetry();
    if (next === undefined) throw damaged(`${this.#path('retries')} ends too early`);
    this.#taken.retries = next.end;
    this.#nextRetry = undefined;
    return next.value;
  }

  addRetry({ index, attempt, due, contact }: Retry): void {
    const { fs, extent } = this.#of;
    const retry = { index, attempt, due: Math.max(due, this.#lastDue), contact };
    this.#newRetries ??= new Appender(fs, this.#path('retries'), extent.retries.bytes);
    this.#newRetries.append(`${JSON.stringify(retry)}\n`);
    this.#hasUnread = true;
  }

  /** Makes the new retries durable. */
  finish(): void {
    const { fs, folder, extent } = this.#of;
    const { contacts, retries, campaign_id } = extent;
    contacts.taken = this.#taken.contacts;
    retries.taken = this.#taken.retries;
    this.#closeReaders();
    const closing = this.#newRetries;
    this.#newRetries = undefined;
    if (closing === undefined) return;
    retries.bytes = closing.finish();
    syncFolder(fs, campaignFolder(folder, campaign_id));
  }

  abandon(): void {
    this.#closeReaders();
    this.#newRetries?.abandon();
    this.#newRetries = undefined;
  }

  /** Of what was committed; what this transaction adds is sound. */
  #requireSound(): Float64Array {
    if (this.#places !== undefined) return this.#places;
    const { fs, extent, known } = this.#of;
    const { campaign_id, contacts, retries } = extent;
    const { total_contacts: total, next_contact: next } = this.#before;
    const path = this.#path('contacts');
    const places = known.get(campaign_id) ?? linePlaces(fs, path, contacts.bytes);
    const lines = (places?.length ?? 0) - 1;
    // After a repair there may be fewer than were dialled.
    const at = places?.indexOf(contacts.taken) ?? -1;
    if (places === undefined || at === -1 || lines - at !== total - next || lines > total)
      throw damaged(`${path} does not hold the contacts that its campaign counts`);
    known.set(campaign_id, places);
    if (retries.bytes > retries.taken) {
      const last = parseRetry(lineBefore(fs, this.#path('retries'), retries.bytes) ?? '');
      if (last === undefined) throw damaged(`${this.#path('retries')} holds a line that is no retry`);
      this.#lastDue = last.due;
    }
    this.#places = places;
    return places;
  }

  #requireSoundRetry(retry: Retry): void {
    const places = this.#requireSound();
    const isFirst = this.#lastRead === undefined;
    const flaw =
      retryFlaw(retry, this.#of.campaign, this.#lastRead) ??
      (isFirst && retry.due !== this.#before.retry_due ? 'is due at another time than its campaign says' : undefined) ??
      (this.#isOfItsContact(retry, places) ? undefined : 'is a retry of another contact than it names');
    if (flaw !== undefined) throw damaged(`${this.#path('retries')} has a line that ${flaw}`);
    this.#lastRead = retry;
  }

  #isOfItsContact({ index, contact }: Retry, places: Float64Array): boolean {
    if (places.length - 1 < this.#before.total_contacts) return true;
    const { fs } = this.#of;
    this.#people ??= openToRead(fs, this.#path('contacts'));
    const [start, end] = [places[index] as number, places[index + 1] as number];
    const line = Buffer.allocUnsafe(end - start);
    readFully(fs, this.#people, line, start);
    const named = parseContact(line.toString('utf8', 0, line.length - 1));
    return named !== undefined && toLine(named) === toLine(contact);
  }

  #readRetry(): { value: Retry; end: number } | undefined {
    const { fs, extent } = this.#of;
    const { bytes } = extent.retries;
    const read = (end: number) => committedValues(fs, this.#path('retries'), this.#taken.retries, end, parseRetry);
    this.#retries ??= read(bytes);
    let next = this.#retries.next().value;
    if (next === undefined && this.#hasUnread) {
      // Retries added in this transaction are read back from the file: a million of them need not fit into memory.
      this.#hasUnread = false;
      this.#retries = read(this.#newRetries?.flush() ?? bytes);
      next = this.#retries.next().value;
    }
    if (next !== undefined && next.end <= bytes) this.#requireSoundRetry(next.value);
    return next ?? undefined;
  }

  #closeReaders(): void {
    const { fs } = this.#of;
    this.#contacts?.return();
    this.#retries?.return();
    const people = this.#people;
    if (people !== undefined) quietly(() => fs.closeSync(people));
    this.#people = undefined;
    this.#contacts = undefined;
    this.#retries = undefined;
  }

  #path(kind: 'contacts' | 'retries'): string {
    return queuePath(this.#of.folder, this.#of.extent.campaign_id, kind);
  }
}

function parseContact(json: string): Contact | undefined {
  const value = parsed(json);
  return isContact(value) ? value : undefined;
}

function parseRetry(json: string): Retry | undefined {
  const value = parsed(json) as Partial<Retry> | null | undefined;
  const isOne = [value?.index, value?.attempt, value?.due].every(Number.isSafeInteger) && isContact(value?.contact);
  return isOne ? (value as Retry) : undefined;
}

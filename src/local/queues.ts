/**
 * A campaign's contacts and retries on disk, both JSON lines that are read strictly in order: the contacts are written once,
 * the retries appended as attempts fail. Positions are byte offsets that the root commits, so neither file is ever rewritten.
 */
import { join } from 'node:path';
import type { Contact } from '../contract.ts';
import type { CampaignQueues, Retry } from '../engine/campaigns.ts';
import { Appender, type FileSystem, makePrivateFolder, syncFolder } from '../files.ts';
import { LineReader } from './lines.ts';
import { damaged, type QueueExtent } from './root.ts';

export function campaignFolder(folder: string, campaignId: number): string {
  return join(folder, 'campaigns', String(campaignId));
}

/** Writes the contacts of a new campaign and returns the extent for the root to commit. */
export function writeContacts(
  fs: FileSystem,
  folder: string,
  campaignId: number,
  contacts: readonly Contact[],
): QueueExtent {
  const own = campaignFolder(folder, campaignId);
  makePrivateFolder(fs, own);
  const file = new Appender(fs, join(own, 'contacts.jsonl'), 0);
  try {
    for (const contact of contacts) file.append(toLine(contact));
  } catch (error) {
    file.abandon();
    throw error;
  }
  const bytes = file.finish();
  syncFolder(fs, own);
  syncFolder(fs, join(folder, 'campaigns'));
  return { campaign_id: campaignId, contacts: { bytes, taken: 0 }, retries: { bytes: 0, taken: 0 } };
}

/** The fields of a contact and no others: what a request carries besides is ignored. */
function toLine(contact: Contact): string {
  const { phone_number, custom_first_line, custom_instruction, custom_identifiers } = contact;
  return `${JSON.stringify({ phone_number, custom_first_line, custom_instruction, custom_identifiers })}\n`;
}

/** Every contact of a campaign. */
export function readContacts(fs: FileSystem, folder: string, { campaign_id, contacts }: QueueExtent): Contact[] {
  const path = join(campaignFolder(folder, campaign_id), 'contacts.jsonl');
  const reader = new LineReader(fs, path, 0, contacts.bytes);
  const read: Contact[] = [];
  try {
    for (let json = reader.next(); json !== undefined; json = reader.next()) {
      const contact = parse(json);
      if (contact === undefined) throw damaged(`${path} has a line that is no contact`);
      read.push(contact as Contact);
      reader.take();
    }
    return read;
  } finally {
    reader.close();
  }
}

/** What stands before the contact in the line of a retry. */
const BEFORE_CONTACT = ',"contact":';

/** The queues of one campaign while a transaction runs; `finish` brings the root's record of them up to date. */
export class CampaignFiles implements CampaignQueues {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #extent: QueueExtent;
  #contacts: LineReader | undefined;
  #retries: LineReader | undefined;
  #newRetries: Appender | undefined;
  #nextRetry: Retry | undefined;
  /** Lines of the retries file that were committed and not read yet are not counted here: only those of this transaction. */
  #unreadNew = 0;
  /** The contact that was taken last, and its JSON: a retry of it is written without making the text anew. */
  #taken: { contact: Contact; json: string } | undefined;

  constructor(fs: FileSystem, folder: string, extent: QueueExtent) {
    this.#fs = fs;
    this.#folder = campaignFolder(folder, extent.campaign_id);
    this.#extent = extent;
  }

  takeContact(): Contact {
    const { bytes, taken } = this.#extent.contacts;
    this.#contacts ??= new LineReader(this.#fs, this.#path('contacts'), taken, bytes);
    const json = this.#contacts.next();
    const contact = json === undefined ? undefined : parse(json);
    if (contact === undefined) throw damaged(`${this.#path('contacts')} has no contact where one was committed`);
    this.#contacts.take();
    this.#taken = { contact: contact as Contact, json: json as string };
    return this.#taken.contact;
  }

  retryDue(): number | null {
    this.#nextRetry ??= this.#readRetry();
    return this.#nextRetry?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.#nextRetry ?? this.#readRetry();
    const json = this.#retries?.next();
    if (retry === undefined || json === undefined) throw damaged(`${this.#path('retries')} ends too early`);
    this.#retries?.take();
    this.#nextRetry = undefined;
    this.#taken = {
      contact: retry.contact,
      json: json.slice(json.indexOf(BEFORE_CONTACT) + BEFORE_CONTACT.length, -1),
    };
    return retry;
  }

  addRetry({ index, attempt, due, contact }: Retry): void {
    const json = this.#taken?.contact === contact ? this.#taken.json : JSON.stringify(contact);
    this.#newRetries ??= new Appender(this.#fs, this.#path('retries'), this.#extent.retries.bytes);
    this.#newRetries.append(`{"index":${index},"attempt":${attempt},"due":${due}${BEFORE_CONTACT}${json}}\n`);
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
    syncFolder(this.#fs, this.#folder);
  }

  abandon(): void {
    this.#closeReaders();
    this.#newRetries?.abandon();
    this.#newRetries = undefined;
  }

  #readRetry(): Retry | undefined {
    const { bytes, taken } = this.#extent.retries;
    if (this.#retries === undefined && taken === bytes && this.#newRetries === undefined) return undefined;
    this.#retries ??= new LineReader(this.#fs, this.#path('retries'), taken, bytes);
    if (this.#retries.next() === undefined && this.#unreadNew > 0) {
      // What this transaction added is read back from the file: a million retries need not fit into memory.
      this.#unreadNew = 0;
      this.#retries.extend(this.#newRetries?.flush() ?? bytes);
    }
    const json = this.#retries.next();
    if (json === undefined) return undefined;
    const retry = parse(json);
    if (retry === undefined) throw damaged(`${this.#path('retries')} holds a line that is not JSON`);
    return retry as Retry;
  }

  #closeReaders(): void {
    this.#contacts?.close();
    this.#retries?.close();
    this.#contacts = undefined;
    this.#retries = undefined;
  }

  #path(name: 'contacts' | 'retries'): string {
    return join(this.#folder, `${name}.jsonl`);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * A campaign's contacts and retries on disk, both JSON lines that are read strictly in order: the contacts are written once,
 * the retries appended as attempts fail. Positions are byte offsets that the root commits, so neither file is ever rewritten.
 */
import { join } from 'node:path';
import type { Contact } from '../contract.ts';
import type { CampaignQueues, Retry } from '../engine/campaigns.ts';
import { Appender, type FileSystem, makePrivateFolder, syncFolder } from '../files.ts';
import { damaged, type QueueExtent } from './root.ts';

function campaignFolder(folder: string, campaignId: number): string {
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
    for (const contact of contacts) file.append(`${JSON.stringify(contact)}\n`);
  } catch (error) {
    file.abandon();
    throw error;
  }
  const { bytes } = file;
  file.finish();
  syncFolder(fs, own);
  syncFolder(fs, join(folder, 'campaigns'));
  return { campaign_id: campaignId, contacts: { bytes, taken: 0 }, retries: { bytes: 0, taken: 0 } };
}

/** The queues of one campaign while a transaction runs; `extent` is the root's record of them and is kept up to date. */
export class CampaignFiles implements CampaignQueues {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #extent: QueueExtent;
  #contacts: LineReader | undefined;
  #retries: LineReader | undefined;
  #newRetries: Appender | undefined;
  #nextRetry: Retry | undefined;

  constructor(fs: FileSystem, folder: string, extent: QueueExtent) {
    this.#fs = fs;
    this.#folder = campaignFolder(folder, extent.campaign_id);
    this.#extent = extent;
  }

  takeContact(): Contact {
    const { contacts } = this.#extent;
    this.#contacts ??= new LineReader(this.#fs, this.#path('contacts'), contacts.taken);
    const line = this.#contacts.next(contacts.bytes);
    contacts.taken = this.#contacts.position;
    return line as Contact;
  }

  retryDue(): number | null {
    this.#nextRetry ??= this.#readRetry();
    return this.#nextRetry?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.#nextRetry ?? this.#readRetry();
    if (retry === undefined || this.#retries === undefined) throw damaged(`${this.#path('retries')} ends too early`);
    this.#nextRetry = undefined;
    this.#extent.retries.taken = this.#retries.position;
    return retry;
  }

  addRetry(retry: Retry): void {
    const { retries } = this.#extent;
    this.#newRetries ??= new Appender(this.#fs, this.#path('retries'), retries.bytes);
    this.#newRetries.append(`${JSON.stringify(retry)}\n`);
    retries.bytes = this.#newRetries.bytes;
  }

  /** Makes the new retries durable. */
  finish(): void {
    this.#closeReaders();
    if (this.#newRetries === undefined) return;
    const closing = this.#newRetries;
    this.#newRetries = undefined;
    closing.finish();
    syncFolder(this.#fs, this.#folder);
  }

  abandon(): void {
    this.#closeReaders();
    this.#newRetries?.abandon();
    this.#newRetries = undefined;
  }

  #readRetry(): Retry | undefined {
    const { retries } = this.#extent;
    if (retries.taken === retries.bytes) return undefined;
    this.#newRetries?.flush();
    this.#retries ??= new LineReader(this.#fs, this.#path('retries'), retries.taken);
    return this.#retries.next(retries.bytes) as Retry;
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

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

/** Reads JSON lines in order from a byte offset. */
class LineReader {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #fd: number;
  #chunk: Buffer = Buffer.alloc(0);
  /** Offset in the file of the chunk's first byte, and in the chunk of the next line. */
  #chunkStart: number;
  #at = 0;

  constructor(fs: FileSystem, path: string, position: number) {
    this.#fs = fs;
    this.#path = path;
    this.#fd = fs.openSync(path, 'r');
    this.#chunkStart = position;
  }

  get position(): number {
    return this.#chunkStart + this.#at;
  }

  /** The next line's value; `end` is how many bytes of the file exist. Throws where no whole line is left. */
  next(end: number): unknown {
    let newline = this.#chunk.indexOf(NEWLINE, this.#at);
    while (newline === -1) {
      this.#readMore(end);
      newline = this.#chunk.indexOf(NEWLINE, this.#at);
    }
    const line = this.#chunk.toString('utf8', this.#at, newline);
    this.#at = newline + 1;
    try {
      return JSON.parse(line);
    } catch (error) {
      throw damaged(`${this.#path} is not JSON at byte ${this.position - line.length - 1}`, error);
    }
  }

  #readMore(end: number): void {
    const rest = this.#chunk.subarray(this.#at);
    const from = this.#chunkStart + this.#chunk.length;
    const more = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - from));
    const read = more.length === 0 ? 0 : this.#fs.readSync(this.#fd, more, 0, more.length, from);
    if (read === 0) throw damaged(`${this.#path} has ${from} bytes, where ${end} were committed`);
    this.#chunkStart += this.#at;
    this.#at = 0;
    this.#chunk = Buffer.concat([rest, more.subarray(0, read)]);
  }

  close(): void {
    this.#fs.closeSync(this.#fd);
  }
}

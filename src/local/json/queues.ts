/**
 * A campaign's contacts and retries on disk, both as JSON lines that are read strictly in order: contacts are written once,
 * retries appended as attempts fail. Positions are byte offsets that the root commits, so neither file is ever rewritten.
 */
import { join } from 'node:path';
import { type Contact, isContact } from '../../contract.ts';
import type { Retry, Waiting } from '../../engine/campaigns.ts';
import type { Campaign } from '../../engine/state.ts';
import { Appender } from '../../storage/files/appender.ts';
import { makePrivateFolder, syncFolder } from '../../storage/files/durable.ts';
import { type FileSystem, openToRead, quietly, readFully } from '../../storage/files/file-system.ts';
import { parsed } from '../../text/json.ts';
import { firstPlace } from '../../text/search.ts';
import type { Placed, Range, ReadAheadQueues } from '../queues.ts';
import { damaged, type OriginalRows } from '../store.ts';
import type { Found, Wanted } from '../transaction.ts';
import { committedValues, countLines, lineBefore, linePlaces, readRows } from './committed-lines.ts';
import { type QueueExtent, queueOf, type Root } from './root.ts';

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

interface RootFiles {
  fs: FileSystem;
  folder: string;
  root: Root;
  places?: Places | undefined;
}

/** The files of the campaigns of a root during a transaction. */
export class CampaignFiles {
  readonly #of: RootFiles;
  /** By campaign, where its contacts stand, once that is known to be sound. */
  readonly #sound = new Map<number, Float64Array>();
  /** Retries that were added: the file of a campaign, and how many bytes it has by now. */
  readonly #added = new Map<number, { file: Appender; bytes: number }>();

  constructor(of: RootFiles) {
    this.#of = of;
  }

  add(campaignId: number, contacts: Iterable<Contact>): void {
    const { fs, folder, root } = this.#of;
    const campaign = root.state.campaigns.find(({ campaign_id }) => campaign_id === campaignId);
    root.queues.push(writeContacts(fs, folder, campaignId, contacts, campaign?.next_contact));
  }

  addRetries(campaignId: number, retries: readonly Placed<Retry>[]): void {
    let added = this.#added.get(campaignId);
    if (added === undefined) {
      const { bytes } = queueOf(this.#of.root, campaignId).retries;
      added = { file: new Appender(this.#of.fs, queuePath(this.#of.folder, campaignId, 'retries'), bytes), bytes };
      this.#added.set(campaignId, added);
    }
    for (const placed of retries) {
      const line = `${JSON.stringify(placed.value)}\n`;
      added.file.append(line);
      added.bytes += Buffer.byteLength(line);
      placed.end = added.bytes;
    }
  }

  read({ queue, contacts, retries }: Wanted): Found {
    const extent = queueOf(this.#of.root, queue.campaign.campaign_id);
    const places = this.#soundPlaces(queue, extent);
    return {
      contacts: this.#contacts(extent, contacts, places),
      retries: this.#retries(queue, extent, retries, places),
    };
  }

  #contacts({ campaign_id, contacts }: QueueExtent, { from = contacts.taken, count }: Range, places: Float64Array) {
    const first = firstPlace(places.length, (at) => (places[at] as number) >= from);
    const end = places[Math.min(first + count, places.length - 1)] as number;
    return [
      ...committedValues(this.#of.fs, queuePath(this.#of.folder, campaign_id, 'contacts'), from, end, parseContact),
    ];
  }

  #retries(
    queue: ReadAheadQueues,
    { campaign_id, retries: { taken, bytes } }: QueueExtent,
    { from = taken, count }: Range,
    places: Float64Array,
  ): Placed<Retry>[] {
    const found: Placed<Retry>[] = [];
    if (count === 0) return found;
    const path = queuePath(this.#of.folder, campaign_id, 'retries');
    const added = this.#added.get(campaign_id);
    added?.file.flush();
    const people = openToRead(this.#of.fs, queuePath(this.#of.folder, campaign_id, 'contacts'));
    try {
      for (const placed of committedValues(this.#of.fs, path, from, added?.bytes ?? bytes, parseRetry)) {
        // What this transaction has added is sound.
        const flaw =
          placed.end > bytes
            ? undefined
            : (queue.flawOf(placed.value) ?? this.#foreignFlaw(people, placed.value, queue.campaign, places));
        if (flaw !== undefined) throw damaged(`${path} has a line that ${flaw}`);
        found.push(placed);
        if (found.length === count) break;
      }
    } finally {
      quietly(() => this.#of.fs.closeSync(people));
    }
    return found;
  }

  /**
   * Where the contacts of a campaign stand. What was committed is compared with the campaign's counts before any of it is taken,
   * because a file that was changed by hand would have somebody else called.
   */
  #soundPlaces(queue: ReadAheadQueues, { campaign_id, contacts, retries }: QueueExtent): Float64Array {
    const sound = this.#sound.get(campaign_id);
    if (sound !== undefined) return sound;
    const { total_contacts: total, next_contact: next } = queue.campaign;
    const path = queuePath(this.#of.folder, campaign_id, 'contacts');
    const places = this.#of.places?.get(campaign_id) ?? linePlaces(this.#of.fs, path, contacts.bytes);
    const lines = (places?.length ?? 0) - 1;
    // After a repair there may be fewer than were dialled.
    const at = places?.indexOf(contacts.taken) ?? -1;
    if (places === undefined || at === -1 || lines - at !== total - next || lines > total)
      throw damaged(`${path} does not hold the contacts that its campaign counts`);
    this.#of.places?.set(campaign_id, places);
    this.#sound.set(campaign_id, places);
    if (retries.bytes > retries.taken) queue.lastDue = this.#lastDue(campaign_id, retries.bytes);
    return places;
  }

  #lastDue(campaignId: number, bytes: number): number {
    const path = queuePath(this.#of.folder, campaignId, 'retries');
    const last = parseRetry(lineBefore(this.#of.fs, path, bytes) ?? '');
    if (last === undefined) throw damaged(`${path} holds a line that is no retry`);
    return last.due;
  }

  #foreignFlaw(people: number, { index, contact }: Retry, { total_contacts }: Campaign, places: Float64Array) {
    if (places.length - 1 < total_contacts) return undefined;
    const [start, end] = [places[index] as number, places[index + 1] as number];
    const line = Buffer.allocUnsafe(end - start);
    readFully(this.#of.fs, people, line, start);
    const named = parseContact(line.toString('utf8', 0, line.length - 1));
    const isOfIt = named !== undefined && toLine(named) === toLine(contact);
    return isOfIt ? undefined : 'is a retry of another contact than it names';
  }

  /** Makes the new retries durable, and has the root say what was taken. */
  finish(queues: Iterable<ReadAheadQueues>): void {
    for (const [campaignId, { file }] of this.#added) {
      this.#added.delete(campaignId);
      queueOf(this.#of.root, campaignId).retries.bytes = file.finish();
      syncFolder(this.#of.fs, campaignFolder(this.#of.folder, campaignId));
    }
    for (const { campaign, contacts, retries } of queues) {
      const extent = queueOf(this.#of.root, campaign.campaign_id);
      extent.contacts.taken = contacts.taken ?? extent.contacts.taken;
      extent.retries.taken = retries.taken ?? extent.retries.taken;
    }
  }

  abandon(): void {
    for (const { file } of this.#added.values()) file.abandon();
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

/** A campaign's contacts and retries during a transaction: as many as may be needed are read ahead. */
import { type Contact, isContact } from '../../contract.ts';
import type { CampaignQueues, Retry } from '../../engine/campaigns.ts';
import { damaged } from './damage.ts';
import { type ContactRow, contactOf, type RetryRow } from './rows.ts';

/** The attempt that the next call of the log is. */
export interface Taken {
  campaignId: number;
  contact: number;
  attempt: number;
}

export interface Range {
  from: number;
  count: number;
}

export interface Ranges {
  contacts: Range;
  retries: Range;
}

export class ReadAheadQueues implements CampaignQueues {
  readonly campaignId: number;
  /** Contacts from the next one on, and retries from the next one on, as many as were read. */
  readonly #contacts: Contact[] = [];
  readonly #retries: Retry[] = [];
  /** How many of the two lists were taken. */
  #contactAt = 0;
  #retryAt = 0;
  #nextContact: number;
  readonly #totalContacts: number;
  #retriesTaken: number;
  /** Retries that are in the database, be it in this transaction alone. */
  #retriesWritten: number;
  #unwritten: Retry[] = [];
  /** Told of each attempt that is about to be made. */
  onTaken: (taken: Taken) => void = () => {};

  constructor(campaignId: number, { nextContact, totalContacts, added, taken }: Standing) {
    this.campaignId = campaignId;
    this.#nextContact = nextContact;
    this.#totalContacts = totalContacts;
    this.#retriesTaken = taken;
    this.#retriesWritten = added;
  }

  takeContact(): Contact {
    const contact = this.#contacts[this.#contactAt];
    if (contact === undefined)
      throw new Error(`contact ${this.#nextContact} of campaign ${this.campaignId} was not read`);
    this.#contactAt++;
    this.onTaken({ campaignId: this.campaignId, contact: this.#nextContact++, attempt: 1 });
    return contact;
  }

  retryDue(): number | null {
    const retry = this.#retries[this.#retryAt];
    if (retry === undefined && this.#retriesReadUntil < this.#retriesEnd)
      throw new Error(`the retries of campaign ${this.campaignId} were not read`);
    return retry?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.#retries[this.#retryAt];
    if (retry === undefined) throw new Error(`a retry of campaign ${this.campaignId} was not read`);
    this.#retryAt++;
    this.#retriesTaken++;
    this.onTaken({ campaignId: this.campaignId, contact: retry.index, attempt: retry.attempt });
    return retry;
  }

  addRetry(retry: Retry): void {
    // What follows on all that was read need not be read back.
    if (this.#retriesReadUntil === this.#retriesEnd) this.#retries.push(retry);
    this.#unwritten.push(retry);
  }

  /** What has to be read so that `least` dials can be made: then as much as `count` need; undefined if nothing has. */
  missing(least: number, count: number): Ranges | undefined {
    const contactsLeft = this.#totalContacts - this.#nextContact;
    const hasContacts = this.#contacts.length - this.#contactAt >= Math.min(least, contactsLeft);
    const retriesLeft = this.#retriesEnd - this.#retriesTaken;
    const hasRetries = this.#retries.length - this.#retryAt >= Math.min(least + 1, retriesLeft);
    if (hasContacts && hasRetries) return undefined;
    this.#contacts.splice(0, this.#contactAt);
    this.#contactAt = 0;
    this.#retries.splice(0, this.#retryAt);
    this.#retryAt = 0;
    const contactsFrom = this.#nextContact + this.#contacts.length;
    const contacts = Math.min(count - this.#contacts.length, this.#totalContacts - contactsFrom);
    const retries = Math.min(count + 1 - this.#retries.length, this.#retriesEnd - this.#retriesReadUntil);
    if (contacts <= 0 && retries <= 0) return undefined;
    return {
      contacts: { from: contactsFrom, count: Math.max(0, contacts) },
      retries: { from: this.#retriesReadUntil, count: Math.max(0, retries) },
    };
  }

  /** Takes what was missing, in its order. Throws FileError where it is not that. */
  give({ contacts, retries }: Ranges, contactRows: readonly ContactRow[], retryRows: readonly RetryRow[]): void {
    requirePlaces(contacts, contactRows, ({ contact }) => contact, `contact # of campaign ${this.campaignId}`);
    requirePlaces(retries, retryRows, ({ number }) => number, `retry # of campaign ${this.campaignId}`);
    this.#contacts.push(...contactRows.map((row) => this.#sound(contactOf(row), row.contact)));
    this.#retries.push(
      ...retryRows.map(({ contact, attempt, due, ...texts }) => ({
        index: Number(contact),
        attempt: Number(attempt),
        due: Number(due),
        contact: this.#sound(contactOf(texts), contact),
      })),
    );
  }

  #sound(contact: Contact, place: string): Contact {
    if (isContact(contact)) return contact;
    throw damaged(`contact ${place} of campaign ${this.campaignId} has no number that can be called`);
  }

  /** The retries that are not in the database yet, with the number of the first; they count as written then. */
  takeUnwritten(): { first: number; retries: Retry[] } {
    const taken = { first: this.#retriesWritten, retries: this.#unwritten };
    this.#retriesWritten += this.#unwritten.length;
    this.#unwritten = [];
    return taken;
  }

  get counts(): { added: number; taken: number } {
    return { added: this.#retriesEnd, taken: this.#retriesTaken };
  }

  get #retriesReadUntil(): number {
    return this.#retriesTaken + this.#retries.length - this.#retryAt;
  }

  get #retriesEnd(): number {
    return this.#retriesWritten + this.#unwritten.length;
  }
}

/** Who follows a row that is gone would be called in its place. */
function requirePlaces<R>({ from, count }: Range, rows: readonly R[], placeOf: (row: R) => string, name: string): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at];
    if (row === undefined || Number(placeOf(row)) !== from + at)
      throw damaged(`${name.replace('#', String(from + at))} is missing`);
  }
}

export interface Standing {
  nextContact: number;
  totalContacts: number;
  /** Retries of the campaign, in all. */
  added: number;
  taken: number;
}

/** A campaign's contacts and retries during a transaction: as many as may be needed are read ahead. */
import { type Contact, isContact } from '../../contract.ts';
import type { CampaignQueues, Retry } from '../../engine/campaigns.ts';
import { retryFlaw } from '../../engine/soundness.ts';
import type { Campaign } from '../../engine/state.ts';
import { damaged } from '../store.ts';
import { type ContactRow, contactOf, type RetryRow } from './rows.ts';

/** The attempt that the next call of the log is, of all the campaigns of an organization. */
export interface NextCall {
  of?: { campaign_id: number; contact: number; attempt: number } | undefined;
}

interface Range {
  from: number;
  count: number;
}

export interface Ranges {
  contacts: Range;
  retries: Range;
}

export class ReadAheadQueues implements CampaignQueues {
  readonly campaignId: number;
  readonly #campaign: Campaign;
  readonly #next: NextCall;
  /** When the first retry that waits is due, until it was read. */
  #firstDue: number | null;
  /** Contacts from the next one on, and retries from the next one on, as many as were read. */
  readonly #contacts: Contact[] = [];
  readonly #retries: Retry[] = [];
  /** How many of the two lists were taken. */
  #contactAt = 0;
  #retryAt = 0;
  #nextContact: number;
  #retriesTaken: number;
  /** Retries that are in the database, be it in this transaction alone. */
  #retriesWritten: number;
  #unwritten: Retry[] = [];

  /** So many of its retries were added and taken. `next` is told of each attempt that is about to be made. */
  constructor(campaign: Campaign, { added, taken }: { added: number; taken: number }, next: NextCall) {
    this.campaignId = campaign.campaign_id;
    this.#campaign = campaign;
    this.#firstDue = campaign.retry_due;
    this.#nextContact = campaign.next_contact;
    this.#retriesTaken = taken;
    this.#retriesWritten = added;
    this.#next = next;
  }

  takeContact(): Contact {
    const contact = this.#contacts[this.#contactAt++];
    if (contact === undefined)
      throw new Error(`contact ${this.#nextContact} of campaign ${this.campaignId} was not read`);
    this.#next.of = { campaign_id: this.campaignId, contact: this.#nextContact++, attempt: 1 };
    return contact;
  }

  retryDue(): number | null {
    const retry = this.#retries[this.#retryAt];
    if (retry === undefined && this.#retriesReadUntil < this.#retriesEnd)
      throw new Error(`the retries of campaign ${this.campaignId} were not read`);
    return retry?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.#retries[this.#retryAt++];
    if (retry === undefined) throw new Error(`a retry of campaign ${this.campaignId} was not read`);
    this.#retriesTaken++;
    this.#next.of = { campaign_id: this.campaignId, contact: retry.index, attempt: retry.attempt };
    return retry;
  }

  addRetry(retry: Retry): void {
    // What follows on all that was read need not be read back.
    if (this.#retriesReadUntil === this.#retriesEnd) this.#retries.push(retry);
    this.#unwritten.push(retry);
  }

  /** What has to be read so that `least` dials can be made: then as much as `count` need; undefined if nothing has. */
  missing(least: number, count: number): Ranges | undefined {
    const contactsLeft = this.#campaign.total_contacts - this.#nextContact;
    const hasContacts = this.#contacts.length - this.#contactAt >= Math.min(least, contactsLeft);
    const retriesLeft = this.#retriesEnd - this.#retriesTaken;
    const hasRetries = this.#retries.length - this.#retryAt >= Math.min(least + 1, retriesLeft);
    if (hasContacts && hasRetries) return undefined;
    this.#contacts.splice(0, this.#contactAt);
    this.#contactAt = 0;
    this.#retries.splice(0, this.#retryAt);
    this.#retryAt = 0;
    const contactsFrom = this.#nextContact + this.#contacts.length;
    const contacts = Math.min(count - this.#contacts.length, this.#campaign.total_contacts - contactsFrom);
    const retries = Math.min(count + 1 - this.#retries.length, this.#retriesEnd - this.#retriesReadUntil);
    if (contacts <= 0 && retries <= 0) return undefined;
    return {
      contacts: { from: contactsFrom, count: Math.max(0, contacts) },
      retries: { from: this.#retriesReadUntil, count: Math.max(0, retries) },
    };
  }

  /** Takes what was missing, in its order. Throws FileError where it is not that. */
  give({ contacts, retries }: Ranges, contactRows: readonly ContactRow[], retryRows: readonly RetryRow[]): void {
    const of = `of campaign ${this.campaignId}`;
    const total = this.#campaign.total_contacts;
    const contactsRead = soundRows(contacts, total, contactRows, ({ contact }) => contact, `contact # ${of}`);
    const retriesRead = soundRows(retries, this.#retriesEnd, retryRows, ({ number }) => number, `retry # ${of}`);
    this.#contacts.push(...contactsRead.map((row) => this.#sound(contactOf(row), row.contact)));
    const waiting = new Set(this.#retries.slice(this.#retryAt).map(({ index }) => index));
    for (const row of retriesRead) {
      const retry = this.#soundRetry(row, waiting);
      waiting.add(retry.index);
      this.#retries.push(retry);
    }
  }

  #soundRetry(
    { number, called_before, was_reached, is_known, is_made, ...row }: RetryRow,
    waiting: Set<number>,
  ): Retry {
    const contact = this.#sound(contactOf(row), row.contact);
    const retry = { index: row.contact, attempt: row.attempt, due: row.due, contact };
    const isAfter = called_before === null ? !is_known : called_before === contact.phone_number && !was_reached;
    const flaw =
      retryFlaw(retry, this.#campaign, undefined) ??
      (isAfter && !is_made && !waiting.has(retry.index) ? undefined : 'does not follow on its calls') ??
      (retry.due === (this.#firstDue ?? retry.due) ? undefined : 'is due at another time than its campaign says');
    if (flaw !== undefined) throw damaged(`retry ${number} of campaign ${this.campaignId} ${flaw}`);
    this.#firstDue = null;
    return retry;
  }

  #sound(contact: Contact, place: number): Contact {
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

/**
 * The rows of a range, after which one more was read, so that it is seen whether there are more than are counted, which is up to
 * `end`. Who follows a row that is gone would be called in its place.
 */
function soundRows<R>(
  { from, count }: Range,
  end: number,
  rows: readonly R[],
  placeOf: (row: R) => number,
  name: string,
): readonly R[] {
  const at = rows.findIndex((row, place) => placeOf(row) !== from + place);
  const known = at === -1 ? rows.length : at;
  if (known < count) throw damaged(`${name.replace('#', String(from + known))} is missing`);
  if (count > 0 && known > count && from + count === end)
    throw damaged(`${name.replace('#', String(end))} is not counted`);
  return rows.slice(0, count);
}

/** A campaign's contacts and retries during a transaction, whatever keeps them: as many as may be needed are read ahead. */
import type { Contact } from '../contract.ts';
import type { CampaignQueues, Retry } from '../engine/campaigns.ts';
import { retryFlaw } from '../engine/soundness.ts';
import type { Campaign } from '../engine/state.ts';

/** What is kept, and the place behind it, as the store counts places: bytes of a file, or numbers of rows. */
export interface Placed<T> {
  value: T;
  end: number;
}

/** What is to be read of a list: so many from a place on, or from where the last commit left it. */
export interface Range {
  from: number | undefined;
  count: number;
}

export interface Ranges {
  contacts: Range;
  retries: Range;
}

/** The attempt that is made of a call. */
export interface AttemptOf {
  campaign_id: number;
  contact: number;
  attempt: number;
}

/** So many retries are held at most, that were added and not read. */
const MOST_HELD = 2_000;

export class ReadAheadQueues implements CampaignQueues {
  readonly campaign: Campaign;
  readonly contacts = new Taken<Contact>();
  readonly retries = new Taken<Retry>();
  /** None that is added is due before. */
  lastDue = Number.NEGATIVE_INFINITY;
  /** The attempt that is about to be made. */
  attempt: AttemptOf | undefined;
  /** When the first retry that waits is due, until it was read; and the one that was read last. */
  #firstDue: number | null;
  #lastRead: Retry | undefined;
  /** The contacts of the retries that were read and not taken. */
  readonly #waiting = new Set<number>();
  #unwritten: Placed<Retry>[] = [];

  constructor(campaign: Campaign) {
    this.campaign = campaign;
    this.#firstDue = campaign.retry_due;
  }

  takeContact(): Contact {
    const { campaign_id, next_contact } = this.campaign;
    // It is counted already.
    this.attempt = { campaign_id, contact: next_contact - 1, attempt: 1 };
    return this.contacts.take();
  }

  retryDue(): number | null {
    const { next } = this.retries;
    if (next === undefined && this.campaign.retries_waiting > 0)
      throw new Error(`the retries of campaign ${this.campaign.campaign_id} were not read`);
    return next?.due ?? null;
  }

  takeRetry(): Retry {
    const retry = this.retries.take();
    const { index, attempt } = retry;
    this.#waiting.delete(index);
    this.attempt = { campaign_id: this.campaign.campaign_id, contact: index, attempt };
    return retry;
  }

  addRetry({ index, attempt, due, contact }: Retry): void {
    const retry = { index, attempt, due: Math.max(due, this.lastDue), contact };
    const placed = { value: retry, end: 0 };
    // What follows on all that was read need not be read back, unless there is much of it.
    const { left } = this.retries;
    if (left === this.campaign.retries_waiting && left < MOST_HELD) this.#hold([placed]);
    this.#unwritten.push(placed);
  }

  /** What has to be read so that `least` dials can be made: then as much as `count` need; undefined if nothing has. */
  missing(least: number, count: number): Ranges | undefined {
    const { total_contacts, next_contact, retries_waiting } = this.campaign;
    const contacts = this.contacts.missing(total_contacts - next_contact, least, count);
    const retries = this.retries.missing(retries_waiting, least + 1, count + 1);
    if (contacts <= 0 && retries <= 0) return undefined;
    return {
      contacts: { from: this.contacts.readUntil, count: contacts },
      retries: { from: this.retries.readUntil, count: retries },
    };
  }

  /** Takes what was missing, in its order. */
  give(contacts: readonly Placed<Contact>[], retries: readonly Placed<Retry>[]): void {
    this.contacts.add(contacts);
    this.#hold(retries);
  }

  #hold(retries: readonly Placed<Retry>[]): void {
    this.retries.add(retries);
    for (const { value } of retries) this.#waiting.add(value.index);
  }

  /** What keeps the next retry that was read from being one that waits; completes a sentence about it. */
  flawOf(retry: Retry): string | undefined {
    const flaw =
      retryFlaw(retry, this.campaign, this.#lastRead) ??
      (this.#waiting.has(retry.index) ? 'is a retry of a contact that waits for none' : undefined) ??
      (retry.due === (this.#firstDue ?? retry.due) ? undefined : 'is due at another time than its campaign says');
    this.#firstDue = null;
    this.#lastRead = retry;
    this.#waiting.add(retry.index);
    return flaw;
  }

  /** The retries that were not written yet; they count as written then, and their places are filled in. */
  takeUnwritten(): Placed<Retry>[] {
    const taken = this.#unwritten;
    this.#unwritten = [];
    return taken;
  }
}

/** What was read of a list, and taken. */
class Taken<T> {
  #read: Placed<T>[] = [];
  /** How many of those were taken. */
  #at = 0;
  #last: Placed<T> | undefined;

  get left(): number {
    return this.#read.length - this.#at;
  }

  get next(): T | undefined {
    return this.#read[this.#at]?.value;
  }

  /** The place behind the last one that was taken; undefined if none was. */
  get taken(): number | undefined {
    return this.#last?.end;
  }

  /** The place behind the last one that was read. */
  get readUntil(): number | undefined {
    return (this.left > 0 ? this.#read.at(-1) : this.#last)?.end;
  }

  take(): T {
    const next = this.#read[this.#at++];
    if (next === undefined) throw new Error('what is to be dialled was not read');
    this.#last = next;
    return next.value;
  }

  add(read: readonly Placed<T>[]): void {
    this.#read.push(...read);
  }

  /** How many to read of those that wait, where fewer than `least` are there: then as many as make `count`. */
  missing(waiting: number, least: number, count: number): number {
    this.#read.splice(0, this.#at);
    this.#at = 0;
    return this.left < Math.min(least, waiting) ? Math.min(count, waiting) - this.left : 0;
  }
}

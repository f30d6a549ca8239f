/** A transaction over one organization: the engine changes its state in memory, and all that follows is written in pieces. */
import type { Contact, DocumentedCall } from '../contract.ts';
import { costOf } from '../engine/calls.ts';
import { type CampaignQueues, nextEvent, type Retry } from '../engine/campaigns.ts';
import type { Campaign, State } from '../engine/state.ts';
import { type AttemptOf, type Placed, type Ranges, ReadAheadQueues } from './queues.ts';

export type Change = (transaction: Transaction) => Promise<void>;

/** What a store does in one transaction. Nobody else sees any of it before the commit. */
export interface Work {
  readonly state: State;
  /** What is to be dialled, of each campaign that is asked for. Throws FileError where it is not what the campaign counts. */
  read(wanted: readonly Wanted[]): Promise<Found[]>;
  /** In the order of its parts. What is written next may be computed meanwhile. */
  write(piece: Piece): Promise<void>;
  /** Runs a change that gives agents or campaigns the next ids of the state, which count up over all organizations. */
  issueIds<T>(change: () => T): Promise<T>;
}

export interface Wanted extends Ranges {
  queue: ReadAheadQueues;
}

export interface Found {
  contacts: Placed<Contact>[];
  retries: Placed<Retry>[];
}

/** What has happened; by campaign, where it is of one. */
export interface Piece {
  contacts: readonly (readonly [campaignId: number, Iterable<Contact>])[];
  calls: readonly PlacedCall[];
  /** Their places are to be filled in. */
  retries: readonly (readonly [campaignId: number, readonly Placed<Retry>[]])[];
  /** Original rows of the contacts, as the content of a file of rows, in pieces of whole lines; no part of the state. */
  rows: readonly (readonly [campaignId: number, Iterable<Buffer>])[];
  movements: readonly Movement[];
}

export interface PlacedCall {
  entry: DocumentedCall;
  /** Of a campaign's call. */
  of: AttemptOf | undefined;
  /** Millionths. */
  charge: number;
}

/** What has moved the wallet besides calls: an instant in milliseconds since the epoch, and millionths. */
export interface Movement {
  at: number;
  amount: number;
}

/**
 * Dials for which contacts are read ahead, of all campaigns together; of one at least and at most so many, and at first the least:
 * little may be due. Whoever takes an organization over from another program has read none, and soon leaves it to the next.
 */
const READ_AHEAD = 20_000;
const LEAST_READ = 50;
const MOST_READ = 1_000;
/** Dials that are written while the next ones are made; so often an interrupt gets the chance to arrive. */
const PIECE = 250;

interface TransactionOptions {
  /** By campaign, as far as they were read ahead before. */
  queues?: Map<number, ReadAheadQueues>;
  /** The most dials. */
  mayHold?: number;
}

export class Transaction {
  readonly queues: Map<number, ReadAheadQueues>;
  readonly #work: Work;
  /** How many more dials may be made. */
  #mayHold: number;
  #hasPrepared = false;
  /** That of the campaign that dials. */
  #dialling: ReadAheadQueues | undefined;
  /** What the wallet holds by all movements that are known, in millionths. */
  #balance: number;
  #piece = emptyPiece();
  /** What is being written: what happens next is computed meanwhile. */
  #writing: Promise<void> = Promise.resolve();

  constructor(work: Work, { queues = new Map(), mayHold = Number.POSITIVE_INFINITY }: TransactionOptions = {}) {
    this.#work = work;
    this.queues = queues;
    this.#mayHold = mayHold;
    this.#balance = work.state.organization.balance;
  }

  get state(): State {
    return this.#work.state;
  }

  /** One after the other; all is written when this resolves. */
  async run(changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      await change(this);
      this.#book();
    }
    await this.flush();
  }

  /** Whatever moved the wallet besides its calls is a movement of its own. */
  #book(): void {
    const { organization, clock } = this.state;
    const amount = organization.balance - this.#balance;
    if (amount !== 0) this.#piece.movements.push({ at: clock.last, amount });
    this.#balance = organization.balance;
  }

  appendCall(entry: DocumentedCall): void {
    const charge = costOf(entry.call_status, entry.call_duration, this.state.scenario);
    this.#balance -= charge;
    this.#mayHold--;
    this.#piece.calls.push({ entry, of: this.#dialling?.attempt, charge });
    this.#dialling = undefined;
  }

  addContacts(campaignId: number, contacts: Iterable<Contact>): void {
    this.#piece.contacts.push([campaignId, contacts]);
  }

  /** Keeps the original rows of a committed campaign's contacts beside it, unless a reset has removed the campaign. */
  async keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void> {
    if (this.state.campaigns.some(({ campaign_id }) => campaign_id === campaignId))
      this.#piece.rows.push([campaignId, file]);
    await this.flush();
  }

  queuesOf(campaignId: number): CampaignQueues {
    this.#dialling = this.#queueOf(campaignId);
    return this.#dialling;
  }

  #queueOf(campaignId: number): ReadAheadQueues {
    const known = this.queues.get(campaignId);
    if (known !== undefined) return known;
    const campaign = this.state.campaigns.find(({ campaign_id }) => campaign_id === campaignId);
    const queue = new ReadAheadQueues(campaign as Campaign);
    this.queues.set(campaignId, queue);
    return queue;
  }

  async issueIds<T>(change: () => T): Promise<T> {
    return await this.#work.issueIds(change);
  }

  /**
   * Makes everything ready for dials until an instant, and returns for how many: it is asked again after so many. 0 when the
   * commit may hold no more.
   */
  async prepare(until: number | 'idle'): Promise<number> {
    await this.#begin();
    const due = this.state.campaigns.filter((campaign) => {
      const next = nextEvent(campaign);
      return next !== undefined && (until === 'idle' || next <= until);
    });
    const most = this.#hasPrepared ? MOST_READ : LEAST_READ;
    this.#hasPrepared = true;
    const count = Math.min(most, Math.max(LEAST_READ, Math.floor(READ_AHEAD / Math.max(1, due.length))));
    const least = Math.min(PIECE, count, this.#mayHold);
    if (least <= 0) return 0;
    const lacking = () =>
      due.flatMap(({ campaign_id }) => {
        const queue = this.#queueOf(campaign_id);
        const ranges = queue.missing(least, count);
        return ranges === undefined ? [] : [{ queue, ...ranges }];
      });
    if (lacking().length === 0) return least;
    // What is read may have been written a moment ago.
    await this.#writing;
    const wanted = lacking();
    const found = await this.#work.read(wanted);
    for (const [at, { queue }] of wanted.entries())
      queue.give((found[at] as Found).contacts, (found[at] as Found).retries);
    return least;
  }

  /** Writes what has happened. */
  async flush(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  /** Begins to, when what was begun before is written. */
  async #begin(): Promise<void> {
    await this.#writing;
    const retries = [...this.queues].flatMap(([campaignId, queue]) => {
      const unwritten = queue.takeUnwritten();
      return unwritten.length > 0 ? [[campaignId, unwritten] as const] : [];
    });
    this.#writing = this.#work.write({ ...this.#piece, retries });
    // Whoever waits for it is told; until then nobody may be waiting.
    this.#writing.catch(() => {});
    this.#piece = emptyPiece();
  }
}

function emptyPiece() {
  return {
    contacts: [] as [number, Iterable<Contact>][],
    calls: [] as PlacedCall[],
    rows: [] as [number, Iterable<Buffer>][],
    movements: [] as Movement[],
  };
}

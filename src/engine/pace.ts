/** When a campaign's calls end if nobody is ever reached: only its pace matters, so even a campaign of a million is quick. */
import type { Contact } from '../contract.ts';
import { HOUR, SECOND } from '../text/units.ts';
import type { CampaignQueues, Retry, Waiting } from './campaigns.ts';
import { dial, nextEvent, UNDIALLED } from './campaigns.ts';
import { withinCalendar } from './policy.ts';
import type { Campaign } from './state.ts';

/** The most attempts that are stepped through one by one, which takes a few seconds. */
const MOST_ATTEMPTS = 30_000_000;

export type Pacing = Pick<
  Campaign,
  'total_contacts' | 'start_time' | 'calls_per_hour' | 'retry_attempts' | 'retry_delay'
>;

/**
 * When the last call is placed, in milliseconds since the epoch: exactly when the engine would place it, or, for a campaign with
 * too many attempts to step through, a later instant.
 */
export function worstCaseFinish(pacing: Pacing): number {
  const { total_contacts: contacts, start_time, calls_per_hour, retry_attempts, retry_delay } = pacing;
  let last = start_time;
  const isStepped = eachUnansweredCall(pacing, (_contact, _attempt, at) => {
    last = at;
  });
  if (isStepped) return last;
  const attempts = contacts * (1 + retry_attempts);
  return withinCalendar(start_time + (attempts * HOUR) / calls_per_hour + retry_attempts * retry_delay * SECOND);
}

/**
 * The calls in order, exactly when the engine would place them. `visit` gets the contact and its attempt, both from 0, and the
 * time in milliseconds since the epoch; if it returns false, it wants no more. False, without a call, if there are too many to
 * step through.
 */
export function eachUnansweredCall(
  pacing: Pacing,
  visit: (contact: number, attempt: number, at: number) => unknown,
): boolean {
  if (pacing.total_contacts * (1 + pacing.retry_attempts) > MOST_ATTEMPTS) return false;
  const campaign = {
    ...pacing,
    ...UNDIALLED,
    status: 'running' as const,
    pace: { anchor: pacing.start_time, dials: 0 },
  };
  const queues = new MemoryQueues(() => NOBODY);
  let isWanted = true;
  for (let at = nextEvent(campaign); at !== undefined && isWanted; at = nextEvent(campaign)) {
    dial(campaign, at, queues, ({ index, attempt }) => {
      isWanted = visit(index, attempt - 1, at) !== false;
      return UNREACHED;
    });
  }
  return true;
}

const NOBODY = { phone_number: '' };
const UNREACHED = { call_status: 'no_answer', call_outcome: '' };

const NUMBERS_A_RETRY = 3;
/** Retries for which a ring has room at first. */
const FIRST_ROOM = 64;

/** A campaign's queues in memory, for playing it without a store. */
export class MemoryQueues implements CampaignQueues {
  readonly #contactAt: (index: number) => Contact;
  /** The index of the next contact. */
  #next: number;
  /**
   * A ring of plain numbers, three for each retry: index, attempt and due time. A million waiting objects would need too much
   * memory.
   */
  #ring = new Float64Array(FIRST_ROOM * NUMBERS_A_RETRY);
  /** Where the first waiting retry begins in the ring, and how many of its numbers are in use. */
  #head = 0;
  #used = 0;

  constructor(contactAt: (index: number) => Contact, next = 0) {
    this.#contactAt = contactAt;
    this.#next = next;
  }

  /** The queues of a campaign that has been partly dialled: `next` is the index of the first contact that was not. */
  static of({ numbers, retries }: Waiting, next: number): MemoryQueues {
    const triedBefore = new Map(retries.map(({ index, contact }) => [index, contact]));
    const contactAt = (index: number) => triedBefore.get(index) ?? { phone_number: numbers[index - next] as string };
    const queues = new MemoryQueues(contactAt, next);
    for (const retry of retries) queues.addRetry(retry);
    return queues;
  }

  /** A copy of the queues: taking from one does not affect the other. */
  copy(): MemoryQueues {
    const copy = new MemoryQueues(this.#contactAt, this.#next);
    copy.#ring = this.#ring.slice();
    copy.#head = this.#head;
    copy.#used = this.#used;
    return copy;
  }

  takeContact(): Contact {
    return this.#contactAt(this.#next++);
  }

  /** The numbers of contacts who were not dialled yet, and of those who are to be dialled again. */
  *waiting(total: number): Generator<string> {
    for (let index = this.#next; index < total; index++) yield this.#contactAt(index).phone_number;
    for (let at = 0; at < this.#used; at += NUMBERS_A_RETRY) {
      const index = this.#ring[(this.#head + at) % this.#ring.length] as number;
      yield this.#contactAt(index).phone_number;
    }
  }

  takeRetry(): Retry {
    const [ring, at] = [this.#ring, this.#head];
    const [index, attempt, due] = [ring[at] as number, ring[at + 1] as number, ring[at + 2] as number];
    this.#head = (at + NUMBERS_A_RETRY) % ring.length;
    this.#used -= NUMBERS_A_RETRY;
    return { index, attempt, due, contact: this.#contactAt(index) };
  }

  retryDue(): number | null {
    return this.#used === 0 ? null : (this.#ring[this.#head + 2] as number);
  }

  addRetry({ index, attempt, due }: Retry): void {
    if (this.#used === this.#ring.length) this.#grow();
    const end = (this.#head + this.#used) % this.#ring.length;
    this.#ring[end] = index;
    this.#ring[end + 1] = attempt;
    this.#ring[end + 2] = due;
    this.#used += NUMBERS_A_RETRY;
  }

  #grow(): void {
    const ring = new Float64Array(this.#ring.length * 2);
    ring.set(this.#ring.subarray(this.#head));
    ring.set(this.#ring.subarray(0, this.#head), this.#ring.length - this.#head);
    this.#ring = ring;
    this.#head = 0;
  }
}

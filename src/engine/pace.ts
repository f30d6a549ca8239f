/** When a campaign's calls end if nobody is ever reached: only its pace matters, so even a campaign of a million is quick. */
import type { Contact } from '../contract.ts';
import { HOUR, SECOND } from '../text/units.ts';
import { type CampaignQueues, dial, nextEvent, type Retry, UNDIALLED, type Waiting } from './campaigns.ts';
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

/** Numbers that were taken, from which on their room is used again. */
const MOST_TAKEN = 30_000;

/** A campaign's queues in memory, for playing it without a store. */
export class MemoryQueues implements CampaignQueues {
  readonly #contactAt: (index: number) => Contact;
  /** The index of the next contact. */
  #next: number;
  /** Three plain numbers for each retry: index, attempt and due time. A million waiting objects would need too much memory. */
  #retries: number[] = [];
  /** How many of those numbers were taken. */
  #taken = 0;

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
    copy.#retries = this.#retries.slice(this.#taken);
    return copy;
  }

  takeContact(): Contact {
    return this.#contactAt(this.#next++);
  }

  /** The numbers of contacts who were not dialled yet, and of those who are to be dialled again. */
  *waiting(total: number): Generator<string> {
    for (let index = this.#next; index < total; index++) yield this.#contactAt(index).phone_number;
    for (let at = this.#taken; at < this.#retries.length; at += 3)
      yield this.#contactAt(this.#retries[at] as number).phone_number;
  }

  takeRetry(): Retry {
    const [index, attempt, due] = this.#retries.slice(this.#taken, this.#taken + 3) as [number, number, number];
    this.#taken += 3;
    if (this.#taken > MOST_TAKEN && this.#taken > this.#retries.length / 2) {
      this.#retries.splice(0, this.#taken);
      this.#taken = 0;
    }
    return { index, attempt, due, contact: this.#contactAt(index) };
  }

  retryDue(): number | null {
    return this.#retries[this.#taken + 2] ?? null;
  }

  addRetry({ index, attempt, due }: Retry): void {
    this.#retries.push(index, attempt, due);
  }
}

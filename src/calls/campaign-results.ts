/**
 * The result of each contact of a campaign, worked out from the call log. The service's entries do not name the campaign, so
 * its calls are taken to be those of its agent, from its number, to its contacts, since its start.
 */
import type { CallLogEntry, ContactKey } from '../contract.ts';
import { callIdOf } from '../paging/identity.ts';
import { plainText } from '../text/csv.ts';
import { phoneKey } from '../text/phone.ts';
import { CLOCK_LAG, certainInstantOf, instantOf, phoneOf } from './select.ts';

export interface CampaignFacts {
  agent_id: number;
  call_from: string;
  /** Milliseconds since the epoch. */
  start: number;
  /** The most attempts for one contact: the first and the retries. */
  attempts: number;
}

/** `waiting` for a first or another attempt; `exhausted` when no attempt is left. */
export type ContactState = 'reached' | 'exhausted' | 'waiting';

/** One contact. The call is the one that reached it, or else the last one, with its fields as the service sent them. */
export interface ContactResult {
  phone_number: string;
  custom_identifiers: string | null;
  state: ContactState;
  attempts: number;
  call_status: unknown;
  call_outcome: unknown;
  call_duration: unknown;
  timestamp: unknown;
  call_id: string | null;
}

export const RESULT_COLUMNS: readonly (keyof ContactResult)[] = [
  'phone_number',
  'custom_identifiers',
  'state',
  'attempts',
  'call_status',
  'call_outcome',
  'call_duration',
  'timestamp',
  'call_id',
];

type TellingCall = Pick<CallLogEntry, 'call_id' | 'call_status' | 'call_outcome' | 'call_duration' | 'timestamp'>;

interface Tally {
  attempts: number;
  call: TellingCall | undefined;
}

export class CampaignResults {
  readonly #facts: CampaignFacts;
  readonly #contacts: readonly ContactKey[];
  /** By the key of the phone. */
  readonly #tallies = new Map<string, Tally>();
  readonly #byStatus: Record<string, number> = {};
  #attempts = 0;

  constructor(contacts: readonly ContactKey[], facts: CampaignFacts) {
    this.#contacts = contacts;
    this.#facts = facts;
    for (const { phone_number } of contacts) this.#tallyOf(phone_number);
  }

  /** Takes an entry of the call log, in any order; an entry that does not belong to the campaign is ignored. */
  take(call: CallLogEntry): void {
    const { agent_id, call_from, start } = this.#facts;
    if (call.agent_id !== agent_id || phoneOf(call.call_from) !== phoneKey(call_from)) return;
    if ((certainInstantOf(call) ?? start) < start - CLOCK_LAG) return;
    const tally = this.#tallies.get(phoneOf(call.called_to));
    if (tally === undefined) return;
    const { call_id, call_status, call_outcome, call_duration, timestamp } = call;
    tally.attempts += 1;
    this.#attempts += 1;
    const status = plainText(call_status) || 'unknown';
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
    if (isMoreTelling(call, tally.call)) tally.call = { call_id, call_status, call_outcome, call_duration, timestamp };
  }

  /** One row for each contact, in the order they were sent; a number that was sent twice has the same result in both rows. */
  *rows(): Generator<ContactResult> {
    for (const { phone_number, custom_identifiers } of this.#contacts) {
      const tally = this.#tallyOf(phone_number);
      const { call, attempts } = tally;
      yield {
        phone_number,
        custom_identifiers: custom_identifiers ?? null,
        state: this.#stateOf(tally),
        attempts,
        call_status: call?.call_status ?? null,
        call_outcome: call?.call_outcome ?? null,
        call_duration: call?.call_duration ?? null,
        timestamp: call?.timestamp ?? null,
        call_id: (call && callIdOf(call)) ?? null,
      };
    }
  }

  /** How many contacts are in each state, and how many calls have each status. */
  summary(): Record<ContactState | 'attempts', number> & { by_status: Record<string, number> } {
    const counts = { reached: 0, exhausted: 0, waiting: 0 };
    for (const { phone_number } of this.#contacts) counts[this.#stateOf(this.#tallyOf(phone_number))] += 1;
    return { ...counts, attempts: this.#attempts, by_status: this.#byStatus };
  }

  #tallyOf(number: string): Tally {
    const phone = phoneKey(number);
    const standing = this.#tallies.get(phone);
    if (standing !== undefined) return standing;
    const tally = { attempts: 0, call: undefined };
    this.#tallies.set(phone, tally);
    return tally;
  }

  #stateOf({ attempts, call }: Tally): ContactState {
    if (call?.call_status === 'completed') return 'reached';
    return attempts >= this.#facts.attempts ? 'exhausted' : 'waiting';
  }
}

/** A call that reached somebody counts before a later one that did not. */
function isMoreTelling(call: TellingCall, standing: TellingCall | undefined): boolean {
  if (standing === undefined) return true;
  const isCompleted = call.call_status === 'completed';
  if (isCompleted !== (standing.call_status === 'completed')) return isCompleted;
  const [at, before] = [instantOf(call), instantOf(standing)];
  return at === undefined || before === undefined || at > before;
}

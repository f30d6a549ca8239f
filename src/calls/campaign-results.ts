/**
 * What came of each contact of a campaign, concluded from the call log: the service's entries do not name the campaign, so
 * its calls are those of its agent, from its number, to its contacts, since its start.
 */
import type { CallLogEntry, ContactKey } from '../contract.ts';
import { plainText } from '../csv.ts';
import { CLOCK_LAG, certainInstantOf, instantOf, phoneNumberOf } from './select.ts';

export interface CampaignFacts {
  agent_id: number;
  call_from: string;
  /** Milliseconds since the epoch. */
  start: number;
  /** At most, for one contact: the first and the retries. */
  attempts: number;
}

/** `waiting` for a first or another attempt; `exhausted` when there is none left. */
export type ContactState = 'reached' | 'exhausted' | 'waiting';

/** One contact; the call is the one that reached it, or else the last, with the fields as the service sent them. */
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
  readonly #tallies = new Map<string, Tally>();
  readonly #byStatus: Record<string, number> = {};
  #attempts = 0;

  constructor(contacts: readonly ContactKey[], facts: CampaignFacts) {
    this.#contacts = contacts;
    this.#facts = facts;
    for (const { phone_number } of contacts) this.#tallyOf(phone_number);
  }

  /** Takes an entry of the call log, in any order; one that is not of the campaign is passed over. */
  take(call: CallLogEntry): void {
    const { agent_id, call_from, start } = this.#facts;
    if (call.agent_id !== agent_id || phoneNumberOf(call.call_from) !== call_from) return;
    if ((certainInstantOf(call) ?? start) < start - CLOCK_LAG) return;
    const tally = this.#tallies.get(phoneNumberOf(call.called_to));
    if (tally === undefined) return;
    const { call_id, call_status, call_outcome, call_duration, timestamp } = call;
    tally.attempts += 1;
    this.#attempts += 1;
    const status = plainText(call_status) || 'unknown';
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
    if (isMoreTelling(call, tally.call)) tally.call = { call_id, call_status, call_outcome, call_duration, timestamp };
  }

  /** One a contact, in the order they were sent; a number that was sent twice has what came of it in both. */
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
        call_id: call?.call_id ?? null,
      };
    }
  }

  /** How many contacts are in each state, and how many calls were made, by their status. */
  summary(): Record<ContactState | 'attempts', number> & { by_status: Record<string, number> } {
    const counts = { reached: 0, exhausted: 0, waiting: 0 };
    for (const { phone_number } of this.#contacts) counts[this.#stateOf(this.#tallyOf(phone_number))] += 1;
    return { ...counts, attempts: this.#attempts, by_status: this.#byStatus };
  }

  #tallyOf(number: string): Tally {
    const standing = this.#tallies.get(number);
    if (standing !== undefined) return standing;
    const tally = { attempts: 0, call: undefined };
    this.#tallies.set(number, tally);
    return tally;
  }

  #stateOf({ attempts, call }: Tally): ContactState {
    if (call?.call_status === 'completed') return 'reached';
    return attempts >= this.#facts.attempts ? 'exhausted' : 'waiting';
  }
}

/** The call that reached somebody, before the last one that did not. */
function isMoreTelling(call: TellingCall, standing: TellingCall | undefined): boolean {
  if (standing === undefined) return true;
  const isCompleted = call.call_status === 'completed';
  if (isCompleted !== (standing.call_status === 'completed')) return isCompleted;
  const [at, before] = [instantOf(call), instantOf(standing)];
  return at === undefined || before === undefined || at > before;
}

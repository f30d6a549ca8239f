/** What came of a contact, and of all contacts of a campaign. */
import { type CallLogEntry, CONTACT_STATES, type ContactState, resultOf } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { HOUR } from '../../text/units.ts';

/** What the state of a contact depends on: its calls, the oldest first, and what may still come. */
export function stateOf(
  calls: readonly { status: string; isVoicemail: boolean }[],
  attempts: number,
  isOver: boolean,
): ContactState {
  const last = calls.at(-1);
  if (last === undefined) return isOver ? 'never_called' : 'waiting';
  const results = calls.map(resultOf);
  if (results.includes('reached')) return 'reached';
  if (results.includes('voicemail')) return 'voicemail';
  if (calls.length < attempts && !isOver) return 'waiting';
  // A status of the service's own: a call that is still going on, or one that came to nothing.
  return results.at(-1) ?? (isOver ? 'failed' : 'waiting');
}

/** Outcomes are labels of the service's own choice; these words are in those for a call that a machine took. */
const MACHINE = /voice.?mail|answering.?machine|\bmachine|\bamd\b|mailbox/i;

/** Whether a completed call was taken by a machine. */
export function isVoicemail({ call_outcome }: Pick<CallLogEntry, 'call_outcome'>): boolean {
  return MACHINE.test(plainText(call_outcome).replaceAll('_', ' '));
}

export interface Tally {
  contacts: number;
  states: Record<ContactState, number>;
  attempts: number;
  /** Attempts that another campaign or call could have made as well. */
  ambiguous: number;
  byStatus: Record<string, number>;
  /** By the hour in which it begins, in milliseconds since the epoch. */
  byHour: Map<number, { calls: number; completed: number }>;
  firstCall: number | undefined;
  lastCall: number | undefined;
}

export function newTally(): Tally {
  const states = Object.fromEntries(CONTACT_STATES.map((name) => [name, 0])) as Tally['states'];
  return {
    ...{ contacts: 0, states, attempts: 0, ambiguous: 0 },
    ...{ byStatus: {}, byHour: new Map(), firstCall: undefined, lastCall: undefined },
  };
}

interface Attempted {
  label: { status: string; isCompleted: boolean };
  isAmbiguous: boolean;
  /** Milliseconds since the epoch; undefined if the time cannot be read. */
  at: number | undefined;
}

/** Adds a contact with the entries of its attempts. */
export function addContact(tally: Tally, state: ContactState, entries: readonly Attempted[]): void {
  tally.contacts += 1;
  tally.states[state] += 1;
  for (const { label, isAmbiguous, at } of entries) {
    tally.attempts += 1;
    if (isAmbiguous) tally.ambiguous += 1;
    const name = label.status || 'unknown';
    tally.byStatus[name] = (tally.byStatus[name] ?? 0) + 1;
    if (at === undefined) continue;
    const hour = Math.floor(at / HOUR) * HOUR;
    const { calls, completed } = tally.byHour.get(hour) ?? { calls: 0, completed: 0 };
    tally.byHour.set(hour, { calls: calls + 1, completed: completed + (label.isCompleted ? 1 : 0) });
    tally.firstCall = Math.min(tally.firstCall ?? at, at);
    tally.lastCall = Math.max(tally.lastCall ?? at, at);
  }
}

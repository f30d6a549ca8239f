/** What came of a contact, and of all contacts of a campaign. */
import { type CallLogEntry, CONTACT_STATES, type ContactState, resultOf } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { eachNamed } from '../../text/json.ts';
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

/** One that follows the changes of single contacts. */
export interface LiveTally extends Tally {
  /** How many calls were made at the instants of the first and the last: if it is 0, it is not known which these are now. */
  atFirst: number;
  atLast: number;
}

export function newTally(): LiveTally {
  return {
    ...{ contacts: 0, states: eachNamed(CONTACT_STATES, () => 0), attempts: 0, ambiguous: 0 },
    ...{ byStatus: {}, byHour: new Map(), firstCall: undefined, lastCall: undefined, atFirst: 0, atLast: 0 },
  };
}

export function copyOf({ states, byStatus, byHour, ...numbers }: Tally): Tally {
  return { ...numbers, states: { ...states }, byStatus: { ...byStatus }, byHour: new Map(byHour) };
}

interface Attempted {
  label: { status: string; isCompleted: boolean };
  isAmbiguous: boolean;
  /** Milliseconds since the epoch; undefined if the time cannot be read. */
  at: number | undefined;
}

/** Adds a contact with the entries of its attempts, or takes it away again with `times` -1. */
export function countContact(
  tally: LiveTally,
  state: ContactState,
  entries: readonly Attempted[],
  times: 1 | -1 = 1,
): void {
  tally.contacts += times;
  tally.states[state] += times;
  for (const { label, isAmbiguous, at } of entries) {
    tally.attempts += times;
    if (isAmbiguous) tally.ambiguous += times;
    const name = label.status || 'unknown';
    const left = (tally.byStatus[name] ?? 0) + times;
    if (left > 0) tally.byStatus[name] = left;
    else delete tally.byStatus[name];
    if (at === undefined) continue;
    const hour = Math.floor(at / HOUR) * HOUR;
    const { calls, completed } = tally.byHour.get(hour) ?? { calls: 0, completed: 0 };
    if (calls + times === 0) tally.byHour.delete(hour);
    else tally.byHour.set(hour, { calls: calls + times, completed: completed + (label.isCompleted ? times : 0) });
    countEnds(tally, at, times);
  }
}

function countEnds(tally: LiveTally, at: number, times: 1 | -1): void {
  if (tally.firstCall === undefined || at < tally.firstCall) {
    tally.firstCall = at;
    tally.atFirst = 0;
  }
  if (tally.lastCall === undefined || at > tally.lastCall) {
    tally.lastCall = at;
    tally.atLast = 0;
  }
  if (at === tally.firstCall) tally.atFirst += times;
  if (at === tally.lastCall) tally.atLast += times;
}

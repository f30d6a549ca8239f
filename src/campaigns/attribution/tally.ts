/** What came of a contact, and of all contacts of a campaign. */
import { CONTACT_STATES, type ContactState, resultOf, type StateCounts, shownResult } from '../../contract.ts';
import { eachNamed } from '../../text/json.ts';
import { HOUR } from '../../text/units.ts';

/** What the state of a contact depends on: its calls, the oldest first, and what may still come. */
export function stateOf(
  calls: readonly { status: string; isVoicemail: boolean }[],
  attempts: number,
  isOver: boolean,
): ContactState {
  if (calls.length === 0) return isOver ? 'no_result' : 'waiting';
  const results = calls.map(resultOf);
  if (results.includes('reached')) return 'reached';
  if (results.includes('voicemail')) return 'not_reached';
  // A status of the service's own: a call that is still going on, or one of which nobody knows what came of it.
  if (results.at(-1) === undefined) return isOver ? 'no_result' : 'calling';
  return calls.length < attempts && !isOver ? 'waiting' : 'not_reached';
}

export interface Tally {
  contacts: number;
  states: StateCounts;
  /** How many contacts have each last result. */
  results: Record<string, number>;
  attempts: number;
  /** Attempts that another campaign or call could have made as well. */
  ambiguous: number;
  byStatus: Record<string, number>;
  /** By the hour in which it begins, in milliseconds since the epoch. */
  byHour: Map<number, { calls: number; reached: number }>;
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
    ...{
      results: {},
      byStatus: {},
      byHour: new Map(),
      firstCall: undefined,
      lastCall: undefined,
      atFirst: 0,
      atLast: 0,
    },
  };
}

export function copyOf({ states, results, byStatus, byHour, ...numbers }: Tally): Tally {
  const counts = { states: { ...states }, results: { ...results }, byStatus: { ...byStatus } };
  return { ...numbers, ...counts, byHour: new Map(byHour) };
}

interface Attempted {
  label: { status: string; isCompleted: boolean; isVoicemail: boolean };
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
  const last = shownResult(entries.at(-1)?.label);
  if (last !== null) countName(tally.results, last, times);
  for (const { label, isAmbiguous, at } of entries) {
    tally.attempts += times;
    if (isAmbiguous) tally.ambiguous += times;
    countName(tally.byStatus, label.status || 'unknown', times);
    if (at === undefined) continue;
    const hour = Math.floor(at / HOUR) * HOUR;
    const { calls, reached } = tally.byHour.get(hour) ?? { calls: 0, reached: 0 };
    const more = label.isCompleted && !label.isVoicemail ? times : 0;
    if (calls + times === 0) tally.byHour.delete(hour);
    else tally.byHour.set(hour, { calls: calls + times, reached: reached + more });
    countEnds(tally, at, times);
  }
}

function countName(counts: Record<string, number>, name: string, times: 1 | -1): void {
  const left = (counts[name] ?? 0) + times;
  if (left > 0) counts[name] = left;
  else delete counts[name];
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

/** The counts of a campaign, kept up to date as single contacts change. */
import { CONTACT_STATES, type ContactState } from '../../contract.ts';
import { HOUR } from '../../text/units.ts';
import type { Entry } from './entries.ts';

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

export function newTally(contacts: number): Tally {
  const states = Object.fromEntries(CONTACT_STATES.map((name) => [name, 0])) as Tally['states'];
  return {
    ...{ contacts, states: { ...states, waiting: contacts }, attempts: 0, ambiguous: 0 },
    ...{ byStatus: {}, byHour: new Map(), firstCall: undefined, lastCall: undefined },
  };
}

/** Adds an entry, or takes it away again with `times` -1. False if it was the first or the last: then others must be. */
export function countEntry(tally: Tally, { label, isAmbiguous, at }: Entry, times: 1 | -1): boolean {
  tally.attempts += times;
  if (isAmbiguous) tally.ambiguous += times;
  const name = label.status || 'unknown';
  const left = (tally.byStatus[name] ?? 0) + times;
  if (left > 0) tally.byStatus[name] = left;
  else delete tally.byStatus[name];
  if (at === undefined) return true;
  const hour = Math.floor(at / HOUR) * HOUR;
  const { calls, completed } = tally.byHour.get(hour) ?? { calls: 0, completed: 0 };
  if (calls + times === 0) tally.byHour.delete(hour);
  else tally.byHour.set(hour, { calls: calls + times, completed: completed + (label.isCompleted ? times : 0) });
  if (times === -1) return at !== tally.firstCall && at !== tally.lastCall;
  tally.firstCall = Math.min(tally.firstCall ?? at, at);
  tally.lastCall = Math.max(tally.lastCall ?? at, at);
  return true;
}

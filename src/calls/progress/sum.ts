/** The counts of a campaign that was sent in parts. */
import type { Tally } from '../attribution/attribution.ts';
import { CONTACT_STATES } from '../attribution/states.ts';

/** Of several tallies one; a single one is returned as it is. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const [first, ...others] = tallies;
  if (first === undefined) throw new Error('a campaign has at least one part');
  return others.reduce(add, first);
}

function add(one: Tally, other: Tally): Tally {
  const states = { ...one.states };
  for (const state of CONTACT_STATES) states[state] += other.states[state];
  const byStatus = { ...one.byStatus };
  for (const [status, count] of Object.entries(other.byStatus)) byStatus[status] = (byStatus[status] ?? 0) + count;
  const byHour = new Map(one.byHour);
  for (const [hour, { calls, completed }] of other.byHour) {
    const standing = byHour.get(hour) ?? { calls: 0, completed: 0 };
    byHour.set(hour, { calls: standing.calls + calls, completed: standing.completed + completed });
  }
  return {
    contacts: one.contacts + other.contacts,
    attempts: one.attempts + other.attempts,
    ambiguous: one.ambiguous + other.ambiguous,
    ...{ states, byStatus, byHour },
    firstCall: leastOf(one.firstCall, other.firstCall),
    lastCall: mostOf(one.lastCall, other.lastCall),
  };
}

function leastOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function mostOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

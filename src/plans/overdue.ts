/** What the clock alone says about a plan, as events. */
import { type PlanEvent, runsOf } from './events.ts';
import type { LoadedPlan } from './plan.ts';
import type { ContactState } from './roster.ts';
import { unseenAt } from './waves.ts';

/**
 * Contacts whose call was awaited long enough are `unseen`; those who wait to be called are `left` when the plan has ended.
 * `now` in milliseconds since the epoch.
 */
export function overdue(loaded: LoadedPlan, now: number): PlanEvent[] {
  const { plan, position, roster } = loaded;
  const events: PlanEvent[] = [];
  const given = new Set(position.open.filter((wave) => unseenAt(wave) <= now).map(({ wave }) => wave));
  if (given.size > 0) {
    const rows = rowsIn(loaded, ['handed'], (row) => given.has(roster.waveOf(row)));
    if (rows.length > 0) events.push({ event: 'unseen', at: now, rows });
  }
  const isClosed = position.state === 'done' || position.state === 'cancelled';
  if (isClosed || (plan.rules.end !== undefined && plan.rules.end <= now)) {
    const rows = rowsIn(loaded, ['new', 'again'], () => true);
    if (rows.length > 0) events.push({ event: 'left', at: now, rows });
  }
  return events;
}

function rowsIn({ roster }: LoadedPlan, states: ContactState[], isWanted: (row: number) => boolean): number[] {
  if (states.every((state) => roster.counts[state] === 0)) return [];
  function* wanted() {
    for (let row = 0; row < roster.size; row++) if (states.includes(roster.stateOf(row)) && isWanted(row)) yield row;
  }
  return runsOf(wanted());
}

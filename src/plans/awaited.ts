/** Phones of which a call is awaited: nobody calls them before there is news of it. */
import type { Roster } from './roster.ts';

/** As `roster.phoneOf` says them. */
export function awaitedPhones(roster: Roster): ReadonlySet<number> {
  const phones = new Set<number>();
  if (roster.counts.handed === 0) return phones;
  for (let row = 0; row < roster.size; row++) if (roster.stateOf(row) === 'handed') phones.add(roster.phoneOf(row));
  return phones;
}

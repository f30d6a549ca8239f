/** The columns of the call log, as they are shown where there is no room for all. */

interface Shown {
  /** Its place on a terminal, from the left: in 80 characters, an operator sees how the latest calls went. */
  place: number;
  /** A number and how the call went count more than how long it took: where there is no room, the last ones go first. */
  rank: number;
  /** Characters that the values of most services need. */
  usual: number;
}

/** A column is a line, in the order of tab-separated values. */
const SHOWN: Record<string, Shown> = {
  call_id: { place: 6, rank: 6, usual: 15 },
  timestamp: { place: 1, rank: 1, usual: 12 },
  agent_id: { place: 7, rank: 7, usual: 5 },
  called_to: { place: 2, rank: 2, usual: 13 },
  call_from: { place: 8, rank: 8, usual: 13 },
  call_status: { place: 3, rank: 3, usual: 9 },
  call_duration: { place: 4, rank: 5, usual: 11 },
  call_outcome: { place: 5, rank: 4, usual: 21 },
};

export const BRIEF_COLUMNS = Object.keys(SHOWN);
export const SCREEN_COLUMNS = sortedBy('place');
export const IMPORTANCE = sortedBy('rank');

function sortedBy(order: 'place' | 'rank'): string[] {
  return BRIEF_COLUMNS.toSorted((one, other) => (SHOWN[one]?.[order] ?? 0) - (SHOWN[other]?.[order] ?? 0));
}

/** 0 for a column that is shown only where it is asked for. */
export function usualWidth(column: string): number {
  return Object.hasOwn(SHOWN, column) ? (SHOWN[column]?.usual ?? 0) : 0;
}

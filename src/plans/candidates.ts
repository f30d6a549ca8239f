/**
 * Who may be called at an instant, in the order of a wave: those whose hours close first, then due retries before new contacts,
 * then the order of the file. One pass over the list; nothing of its length is sorted.
 */
import { availableAt } from './availability.ts';
import type { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';

/** Rows in the order of the file, as a chain: one cell for each row of the plan, shared by all buckets. */
interface Bucket {
  first: number;
  last: number;
}

/** Before its closing, less the margin, the last dial of a wave with this contact happens. */
export interface Candidate {
  row: number;
  last: number;
  /** From when on its caps and gaps allow a dial. */
  available: number;
}

export interface Candidates {
  /** In the order of a wave. */
  inOrder: Generator<Candidate, void>;
  /** Phones of which a call is awaited. */
  awaited: ReadonlySet<number>;
}

/** `openings` are those at the start; only contacts that are available before `before` are of interest. */
export function candidatesAt(loaded: LoadedPlan, openings: Openings, before: number): Candidates {
  const { plan, roster } = loaded;
  const { at: start } = openings;
  const { maxAttempts } = plan.rules;
  const next = new Int32Array(roster.size);
  /** By closing, those of retries and those of new contacts. */
  const buckets = new Map<number, { again: Bucket; new: Bucket }>();
  const byPlace: ({ again: Bucket; new: Bucket } | null)[] = [];
  const awaited = new Set<number>();
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if (state === 'handed') awaited.add(roster.phoneOf(row));
    if (state !== 'new' && state !== 'again') continue;
    const place = roster.placeOf(row);
    let ofPlace = byPlace[place];
    if (ofPlace === undefined) {
      ofPlace = bucketsOf(openings.of(place), start, buckets);
      byPlace[place] = ofPlace;
    }
    if (ofPlace === null) continue;
    if (state === 'again' && roster.dueOf(row) > start) continue;
    if (availableAt(roster, row, plan.rules) >= before || roster.attemptsOf(row) >= maxAttempts) continue;
    const bucket = ofPlace[state];
    if (bucket.first < 0) bucket.first = row;
    else next[bucket.last] = row;
    bucket.last = row;
  }
  return { inOrder: inOrder(loaded, buckets, next), awaited };
}

function bucketsOf(
  { from, last }: { from: number; last: number },
  start: number,
  buckets: Map<number, { again: Bucket; new: Bucket }>,
): { again: Bucket; new: Bucket } | null {
  if (from > start) return null;
  const known = buckets.get(last);
  if (known !== undefined) return known;
  const created = { again: { first: -1, last: -1 }, new: { first: -1, last: -1 } };
  buckets.set(last, created);
  return created;
}

function* inOrder(
  { plan, roster }: LoadedPlan,
  buckets: ReadonlyMap<number, { again: Bucket; new: Bucket }>,
  next: Int32Array,
): Generator<Candidate, void> {
  for (const last of [...buckets.keys()].sort((one, other) => one - other)) {
    const { again, new: fresh } = buckets.get(last) as { again: Bucket; new: Bucket };
    for (const bucket of [again, fresh]) {
      if (bucket.first < 0) continue;
      for (let row = bucket.first; ; row = next[row] as number) {
        yield { row, last, available: availableAt(roster, row, plan.rules) };
        if (row === bucket.last) break;
      }
    }
  }
}

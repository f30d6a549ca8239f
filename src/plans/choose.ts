/** Fills a wave: contact n is dialled `n × interval` after the start, and must be allowed at that instant. */
import { type Candidate, candidatesAt } from './candidates.ts';
import { Heap } from './heap.ts';
import type { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';
import type { Outlook } from './planner.ts';
import { intervalOf } from './waves.ts';

/** A candidate, its place in the order, and from when on it may be dialled. */
interface Held extends Candidate {
  order: number;
}

/**
 * The rows of the longest wave of at most `most` contacts, all dialled before `before`. Each position gets the first in the
 * order of those that may be dialled at its instant; the wave ends at the first position that nobody can take, or that would
 * be too late for somebody who is in it.
 */
export function chooseWave(
  loaded: LoadedPlan,
  openings: Openings,
  { most, before, outlook }: { most: number; before: number; outlook: Outlook },
): number[] {
  const { roster, plan } = loaded;
  const start = openings.at;
  const interval = intervalOf(plan.rules);
  const lastDial = start + (most - 1) * interval;
  const { inOrder, awaited } = candidatesAt(loaded, openings, lastDial + 1);
  const taken = new Set<number>();
  /** Passed over because they may only be dialled later in the wave; then those of them whose time has come. */
  const later = new Heap<Held>((one, other) => one.available - other.available);
  const ready = new Heap<Held>((one, other) => one.order - other.order);
  let order = 0;

  const take = (at: number): Candidate | undefined => {
    for (let held = later.first; held !== undefined && held.available <= at; held = later.first) {
      later.take();
      ready.add(held);
    }
    const isUsable = ({ row, last }: Candidate) => at < last && !taken.has(roster.phoneOf(row));
    for (let held = ready.take(); held !== undefined; held = ready.take()) if (isUsable(held)) return held;
    for (;;) {
      const step = inOrder.next();
      if (step.done) return undefined;
      const candidate = step.value;
      const phone = roster.phoneOf(candidate.row);
      if (awaited.has(phone)) continue;
      const available = Math.max(candidate.available, outlook.freeAt?.(candidate.row) ?? 0);
      order++;
      if (available > at) {
        if (available <= lastDial) later.add({ ...candidate, available, order });
      } else if (isUsable(candidate)) return candidate;
    }
  };

  const rows: number[] = [];
  let limit = before;
  while (rows.length < most) {
    const at = start + rows.length * interval;
    if (at >= limit) break;
    const candidate = take(at);
    if (candidate === undefined) break;
    limit = Math.min(limit, candidate.last);
    taken.add(roster.phoneOf(candidate.row));
    rows.push(candidate.row);
  }
  return rows;
}

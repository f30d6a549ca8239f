/** Fills a wave: contact n is dialled `n × interval` after the start, and must be allowed at that instant. */

import { availableAt, type Outlook } from './look-ahead.ts';
import type { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';
import { intervalOf } from './waves.ts';

interface Limits {
  /** At most as many contacts. */
  most: number;
  /** All are dialled before this instant. */
  before: number;
  outlook: Outlook;
}

/**
 * The rows of the longest wave within the limits. Each position gets the first in the order of those that may be dialled at its
 * instant; the wave ends at the first position that nobody can take, or that would be too late for somebody who is in it.
 */
export function chooseWave(loaded: LoadedPlan, openings: Openings, { most, before, outlook }: Limits): number[] {
  const { roster, plan } = loaded;
  const start = openings.at;
  const interval = intervalOf(plan.rules);
  const positions = Math.min(most, roster.counts.new + roster.counts.again);
  const { isAnybodyReady, rows: candidates } = candidatesFor(loaded, openings, start + positions * interval);
  if (!isAnybodyReady) return [];
  const lastOf = (row: number) => openings.of(roster.placeOf(row)).last;
  /** Who comes first by the order, but may only be dialled from a later position on, by that position. */
  const passedOver = new Map<number, number[]>();
  const reached = new Heap((one, other) => {
    const retries = Number(roster.stateOf(other) === 'again') - Number(roster.stateOf(one) === 'again');
    return lastOf(one) - lastOf(other) || retries || one - other;
  });
  const awaited = roster.awaitedPhones();
  const taken = new Set<number>();

  const take = (position: number): number | undefined => {
    const at = start + position * interval;
    const isUsable = (row: number) => at < lastOf(row) && !taken.has(roster.phoneOf(row));
    for (const row of passedOver.get(position) ?? []) reached.add(row);
    for (let row = reached.take(); row !== undefined; row = reached.take()) if (isUsable(row)) return row;
    for (let { value: row } = candidates.next(); row !== undefined; { value: row } = candidates.next()) {
      if (awaited.has(roster.phoneOf(row))) continue;
      const available = Math.max(availableAt(roster, row, plan.rules), outlook.pendingUntil?.(row) ?? 0);
      if (available <= at) {
        if (isUsable(row)) return row;
        continue;
      }
      const later = positionAt(available, start, interval);
      const others = passedOver.get(later);
      if (others !== undefined) others.push(row);
      else if (later < positions) passedOver.set(later, [row]);
    }
    return undefined;
  };

  const rows: number[] = [];
  let limit = before;
  while (rows.length < positions && start + rows.length * interval < limit) {
    const row = take(rows.length);
    if (row === undefined) break;
    limit = Math.min(limit, lastOf(row));
    taken.add(roster.phoneOf(row));
    rows.push(row);
  }
  return rows;
}

/** The first position that is not dialled before `at`. */
function positionAt(at: number, start: number, interval: number): number {
  const position = Math.ceil((at - start) / interval);
  // The division may be rounded down to the position before.
  return start + position * interval < at ? position + 1 : position;
}

/**
 * Who may be called at the start of the openings, and be dialled until an instant, in the order of a wave: those whose hours close
 * first, then due retries before new contacts, then the order of the file. One pass over the list; nothing of its length is sorted.
 */
function candidatesFor({ roster, plan: { rules } }: LoadedPlan, openings: Openings, until: number) {
  const { at: start } = openings;
  /** Of each row the one after it in its queue: a million in lists would take much memory. */
  const next = new Int32Array(roster.size).fill(NONE);
  const closings = new Map<number, Closing>();
  const closingOf = (place: number): Closing | undefined => {
    const { from, last } = openings.of(place);
    if (from > start) return undefined;
    const closing = closings.get(last) ?? {
      last,
      again: { first: NONE, last: NONE },
      new: { first: NONE, last: NONE },
    };
    closings.set(last, closing);
    return closing;
  };
  const byPlace: (Closing | undefined)[] = [];
  let isAnybodyReady = false;
  for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
    const place = roster.placeOf(row);
    byPlace[place] ??= closingOf(place);
    const closing = byPlace[place];
    if (closing === undefined) continue;
    const isNew = roster.stateOf(row) === 'new';
    if (!isNew && (roster.dueOf(row) > start || roster.attemptsOf(row) >= rules.maxAttempts)) continue;
    const available = availableAt(roster, row, rules);
    if (available > until) continue;
    isAnybodyReady ||= available <= start;
    const queue = isNew ? closing.new : closing.again;
    if (queue.first === NONE) queue.first = row;
    else next[queue.last] = row;
    queue.last = row;
  }
  return { isAnybodyReady, rows: inOrder([...closings.values()], next) };
}

const NONE = -1;

/** The ends of two queues. */
interface Closing {
  last: number;
  again: { first: number; last: number };
  new: { first: number; last: number };
}

function* inOrder(closings: Closing[], next: Int32Array): Generator<number, undefined> {
  const queues = closings
    .sort((one, other) => one.last - other.last)
    .flatMap((closing) => [closing.again, closing.new]);
  for (const { first } of queues) for (let row = first; row !== NONE; row = next[row] as number) yield row;
}

/** A binary heap: adding, and taking the least one, need few comparisons however many there are. */
class Heap {
  readonly #compare: (one: number, other: number) => number;
  readonly #items: number[] = [];

  constructor(compare: (one: number, other: number) => number) {
    this.#compare = compare;
  }

  add(item: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      if (this.#compare(items[parent] as number, item) <= 0) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = item;
  }

  /** Removes the least one; undefined if there is none. */
  take(): number | undefined {
    const items = this.#items;
    const first = items[0];
    const moving = items.pop();
    if (moving === undefined || items.length === 0) return first;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && this.#compare(items[child + 1] as number, items[child] as number) < 0) child++;
      if (this.#compare(moving, items[child] as number) <= 0) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = moving;
    return first;
  }
}

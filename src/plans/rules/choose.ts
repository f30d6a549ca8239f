/** Fills a wave: contact n is dialled `n × interval` after the start, and must be allowed at that instant. */

import { Candidates, Chains } from './candidates.ts';
import { Heap } from './heap.ts';
import type { Outlook } from './look-ahead.ts';
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
  const candidates = new Candidates(loaded, openings, start + positions * interval);
  if (!candidates.isAnybodyReady) return [];
  const lastOf = (row: number) => openings.of(roster.placeOf(row)).last;
  const passedOver = new PassedOver(loaded, lastOf);
  const awaited = roster.awaitedPhones();
  const taken = new Set<number>();

  const take = (position: number): number | undefined => {
    const at = start + position * interval;
    const isUsable = (row: number) => at < lastOf(row) && !taken.has(roster.phoneOf(row));
    passedOver.reach(position);
    for (let row = passedOver.take(); row !== undefined; row = passedOver.take()) if (isUsable(row)) return row;
    for (let row = candidates.next(); row !== undefined; row = candidates.next()) {
      if (awaited.has(roster.phoneOf(row))) continue;
      const available = Math.max(candidates.availableAt(row), outlook.freeAt?.(row) ?? 0);
      if (available > at) {
        const later = positionAt(available, start, interval);
        if (later < positions) passedOver.add(later, row);
      } else if (isUsable(row)) return row;
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

/** Contacts that come first by the order, but may only be dialled from a later position on. */
class PassedOver {
  readonly #loaded: LoadedPlan;
  readonly #lastOf: (row: number) => number;
  readonly #chains = new Chains();
  /** For a position the queue of those that may be dialled from it on. */
  readonly #queues = new Map<number, number>();
  /** The queues whose position is reached, the one with the first contact first. */
  readonly #reached: Heap<number>;

  constructor(loaded: LoadedPlan, lastOf: (row: number) => number) {
    this.#loaded = loaded;
    this.#lastOf = lastOf;
    this.#reached = new Heap((one, other) => this.#compare(this.#firstOf(one), this.#firstOf(other)));
  }

  /** Contacts are added in their order. */
  add(position: number, row: number): void {
    let queue = this.#queues.get(position);
    if (queue === undefined) {
      queue = this.#chains.create();
      this.#queues.set(position, queue);
    }
    this.#chains.add(queue, row);
  }

  reach(position: number): void {
    const queue = this.#queues.get(position);
    if (queue !== undefined) this.#reached.add(queue);
  }

  /** The first of those that may be dialled by now. */
  take(): number | undefined {
    const queue = this.#reached.take();
    if (queue === undefined) return undefined;
    const row = this.#chains.take(queue);
    if (this.#chains.first(queue) !== undefined) this.#reached.add(queue);
    return row;
  }

  #firstOf(queue: number): number {
    return this.#chains.first(queue) as number;
  }

  #compare(one: number, other: number): number {
    const { roster } = this.#loaded;
    const closings = this.#lastOf(one) - this.#lastOf(other);
    if (closings !== 0) return closings;
    const retries = Number(roster.stateOf(other) === 'again') - Number(roster.stateOf(one) === 'again');
    return retries === 0 ? one - other : retries;
  }
}

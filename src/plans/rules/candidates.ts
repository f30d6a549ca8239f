/**
 * Who may be called at an instant, in the order of a wave: those whose hours close first, then due retries before new contacts,
 * then the order of the file. One pass over the list; nothing of its length is sorted.
 */
import type { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import type { PlanRules } from './rules.ts';

/** Those of one closing: the numbers of two chains. */
interface Closing {
  last: number;
  again: number;
  new: number;
}

export class Candidates {
  /** Whether the caps and gaps of anybody allow a dial at once. */
  readonly isAnybodyReady: boolean;
  readonly #loaded: LoadedPlan;
  readonly #chains: Chains;
  /** Chains of rows, in the order of a wave, and the one that is being taken from. */
  readonly #order: number[];
  #at = 0;

  /** `openings` are those at the start; only contacts that may be dialled until `until` are of interest. */
  constructor(loaded: LoadedPlan, openings: Openings, until: number) {
    const { roster } = loaded;
    const { rules } = loaded.plan;
    const { at: start } = openings;
    const { maxAttempts } = rules;
    this.#loaded = loaded;
    const chains = new Chains();
    this.#chains = chains;
    let isAnybodyReady = false;
    const closings = new Map<number, Closing>();
    const byPlace: (Closing | null)[] = [];
    for (let row = roster.nextWaiting(0); row < roster.size; row = roster.nextWaiting(row + 1)) {
      const place = roster.placeOf(row);
      let closing = byPlace[place];
      if (closing === undefined) {
        closing = this.#closingOf(openings.of(place), start, closings);
        byPlace[place] = closing;
      }
      if (closing === null) continue;
      const isNew = roster.stateOf(row) === 'new';
      if (!isNew && (roster.dueOf(row) > start || roster.attemptsOf(row) >= maxAttempts)) continue;
      const available = availableAt(roster, row, rules);
      if (available > until) continue;
      isAnybodyReady ||= available <= start;
      chains.add(isNew ? closing.new : closing.again, row);
    }
    this.isAnybodyReady = isAnybodyReady;
    const rising = [...closings.values()].sort((one, other) => one.last - other.last);
    this.#order = rising.flatMap((closing) => [closing.again, closing.new]);
  }

  /** The next row; undefined after the last. */
  next(): number | undefined {
    for (; this.#at < this.#order.length; this.#at++) {
      const row = this.#chains.take(this.#order[this.#at] as number);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** From when on the caps and gaps of its phone allow a dial. */
  availableAt(row: number): number {
    return availableAt(this.#loaded.roster, row, this.#loaded.plan.rules);
  }

  #closingOf(
    { from, last }: { from: number; last: number },
    start: number,
    closings: Map<number, Closing>,
  ): Closing | null {
    if (from > start) return null;
    let closing = closings.get(last);
    if (closing === undefined) {
      closing = { last, again: this.#chains.create(), new: this.#chains.create() };
      closings.set(last, closing);
    }
    return closing;
  }
}

type Caps = Pick<PlanRules, 'minGap' | 'maxPerNumber'>;

/** By the dials that are known; 0 if there was none. */
export function availableAt(roster: Roster, row: number, caps: Caps): number {
  const gap = gapOver(roster, row, caps);
  // Without a dial there is no gap, and no cap either.
  return gap === 0 ? 0 : Math.max(gap, capOver(roster, row, caps));
}

export function gapOver(roster: Roster, row: number, { minGap }: Caps): number {
  const latest = roster.dialOf(row, 0);
  return latest === 0 ? 0 : latest + minGap;
}

export function capOver(roster: Roster, row: number, { maxPerNumber }: Caps): number {
  if (maxPerNumber === undefined) return 0;
  const dial = roster.dialOf(row, maxPerNumber.count - 1);
  return dial === 0 ? 0 : dial + maxPerNumber.within;
}

/** Any number of queues of rows in one block of memory, which is as large as all of them together. */
const NONE = -1;
/** Cells at first. */
const FEW = 256;

export class Chains {
  /** Of each cell its row, and the cell after it. */
  #rows = new Int32Array(FEW);
  #next = new Int32Array(FEW);
  #cells = 0;
  /** Of each queue its first and its last cell. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];

  /** The number of a new queue. */
  create(): number {
    this.#last.push(NONE);
    return this.#first.push(NONE) - 1;
  }

  add(queue: number, row: number): void {
    if (this.#cells === this.#rows.length) this.#grow();
    const cell = this.#cells++;
    this.#rows[cell] = row;
    this.#next[cell] = NONE;
    if (this.#first[queue] === NONE) this.#first[queue] = cell;
    else this.#next[this.#last[queue] as number] = cell;
    this.#last[queue] = cell;
  }

  first(queue: number): number | undefined {
    const cell = this.#first[queue] as number;
    return cell === NONE ? undefined : this.#rows[cell];
  }

  /** Removes the first row; undefined if there is none. */
  take(queue: number): number | undefined {
    const row = this.first(queue);
    if (row !== undefined) this.#first[queue] = this.#next[this.#first[queue] as number] as number;
    return row;
  }

  #grow(): void {
    const [rows, next] = [new Int32Array(this.#cells * 2), new Int32Array(this.#cells * 2)];
    rows.set(this.#rows);
    next.set(this.#next);
    [this.#rows, this.#next] = [rows, next];
  }
}

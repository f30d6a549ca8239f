/**
 * Who may be called at an instant, in the order of a wave: those whose hours close first, then due retries before new contacts,
 * then the order of the file. One pass over the list; nothing of its length is sorted.
 */
import { availableAt } from './availability.ts';
import { Chains } from './chains.ts';
import type { Openings } from './openings.ts';
import type { LoadedPlan } from './plan.ts';

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

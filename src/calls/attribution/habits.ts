/**
 * How a campaign calls, learned from the entries that are given to it: at what spacing, in which order, and how soon after the
 * delay it tries again. Nothing here is a rule: where a service has no such habits, nothing is learned and all is as likely.
 */
import type { LaunchedCampaign } from './launched.ts';

/** A call of a campaign: when it was made, to which row, and which attempt it was. Instants in milliseconds. */
export interface Dial {
  at: number;
  row: number;
  attempt: number;
  /** Milliseconds from the attempt before until this one was due; undefined for the first. */
  lag: number | undefined;
}

const HOUR = 3_600_000;
/** How likely it is that something happens against a habit that was always kept. */
const SELDOM = 0.002;
/** How likely it is that an entry is missing although it should be there. */
const MISSING = 0.03;
/** Dials before and after one that are compared with it. */
const NEARBY = 20;

export class Habits {
  readonly #start: number;
  readonly #spacing: number;
  readonly #delay: number;
  /** Milliseconds in which anything could have happened. */
  readonly #extent: number;
  /** Milliseconds between two times that are still the same. */
  readonly #grain: number;
  /** The times of all dials, by how many spacings they are after the start. */
  readonly #slots = new Map<number, number[]>();
  /** First attempts, by row. */
  #rows: Float64Array = new Float64Array();
  #times: Float64Array = new Float64Array();
  /** The share of first attempts in the order of the rows, and the milliseconds from one to the next. */
  #order = 0.9;
  #step: number;
  /** The mean milliseconds by which a retry is later than it is due. */
  #lag: number;
  /** The share of dials at a whole number of spacings after the one before, and of those closer than a spacing. */
  #rhythm = 0.6;
  #crowding = 0.05;

  constructor({ start, callsPerHour, attempts, retryDelay, contacts }: LaunchedCampaign, grain: number) {
    this.#start = start;
    this.#spacing = HOUR / callsPerHour;
    this.#delay = retryDelay;
    this.#extent = HOUR + 2 * attempts * (contacts.phones.length * this.#spacing + retryDelay);
    this.#grain = Math.min(grain, this.#spacing / 5);
    this.#step = this.#spacing;
    this.#lag = 2 * this.#spacing;
  }

  /** Learns from all dials that are given to the campaign. */
  learn(dials: readonly Dial[]): void {
    this.#slots.clear();
    for (const { at } of dials) this.add(at);
    this.#learnOrder(dials.filter(({ attempt }) => attempt === 1).sort((one, other) => one.row - other.row));
    this.#learnRhythm(Float64Array.from(dials, ({ at }) => at).sort());
    const lags = dials.flatMap(({ lag }) => lag ?? []).sort((one, other) => one - other);
    // The longest are left out: the entry of an attempt between may be missing.
    const usual = lags.slice(0, Math.ceil(lags.length * 0.9));
    const sum = usual.reduce((total, lag) => total + Math.max(0, lag), 2 * this.#spacing);
    this.#lag = Math.max(1_000, sum / (usual.length + 1));
  }

  add(at: number): void {
    const slot = this.#slotOf(at);
    const standing = this.#slots.get(slot);
    if (standing === undefined) this.#slots.set(slot, [at]);
    else standing.push(at);
  }

  remove(at: number): void {
    const times = this.#slots.get(this.#slotOf(at));
    const index = times?.indexOf(at) ?? -1;
    if (index !== -1) times?.splice(index, 1);
  }

  /** The logarithm of how likely the first attempt for a row was at an instant. */
  first(row: number, at: number): number {
    const { expected, scale, earliest, latest } = this.#firstOf(row);
    const isInOrder = at >= earliest - this.#grain && at <= latest + this.#grain;
    const inOrder = Math.exp(-Math.abs(at - expected) / scale) / (2 * scale);
    const ordered = this.#order * (isInOrder ? 1 : SELDOM * 10) * inOrder;
    return Math.log(ordered + (1 - this.#order) / this.#extent);
  }

  /** The logarithm of how likely a retry was at an instant, after an attempt at `before`. */
  retry(before: number, at: number): number {
    const lag = Math.max(0, at - before - this.#delay);
    return Math.log((0.95 * Math.exp(-lag / this.#lag)) / this.#lag + 0.05 / this.#extent);
  }

  /** The logarithm of how likely it is that a row was not called yet in a log that ends at `end`. */
  endBeforeFirst(row: number, end: number): number {
    const { expected, scale } = this.#firstOf(row);
    return this.#missing(expected, scale, end);
  }

  endAfter(last: number, end: number): number {
    return this.#missing(last + this.#delay + this.#lag, this.#lag, end);
  }

  #missing(expected: number, scale: number, end: number): number {
    return expected + 3 * scale < end ? Math.log(MISSING) : 0;
  }

  /** When the first attempt for a row is expected, by those for the rows around it. */
  #firstOf(row: number): { expected: number; scale: number; earliest: number; latest: number } {
    const after = this.#indexFrom(row + 1);
    let before = after - 1;
    if (before >= 0 && this.#rows[before] === row) before -= 1;
    const isFirst = before < 0;
    const lowRow = isFirst ? 0 : (this.#rows[before] as number);
    const low = isFirst ? this.#start : (this.#times[before] as number);
    if (after >= this.#rows.length) {
      const ahead = (row - lowRow) * this.#step;
      const scale = Math.max(this.#spacing, ahead / 4);
      return { expected: low + ahead, scale, earliest: low, latest: Number.POSITIVE_INFINITY };
    }
    const high = this.#times[after] as number;
    const share = (row - lowRow) / ((this.#rows[after] as number) - lowRow);
    const scale = Math.max(this.#spacing / 2, (high - low) / 4);
    return { expected: low + share * (high - low), scale, earliest: Math.min(low, high), latest: Math.max(low, high) };
  }

  /** The index of the first row that is `row` or later. */
  #indexFrom(row: number): number {
    let from = 0;
    let to = this.#rows.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#rows[middle] as number) < row) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** The logarithm of how much likelier a dial at an instant is than at any other, by the dials shortly before and after. */
  fit(at: number): number {
    const spacing = this.#spacing;
    const slot = this.#slotOf(at);
    let nearest = Number.POSITIVE_INFINITY;
    let off = Number.POSITIVE_INFINITY;
    for (let distance = 0; distance <= NEARBY; distance++) {
      for (const near of distance === 0 ? [slot] : [slot - distance, slot + distance]) {
        for (const time of this.#slots.get(near) ?? []) {
          const gap = Math.abs(time - at);
          nearest = Math.min(nearest, gap);
          off = Math.min(off, Math.abs(gap - Math.round(gap / spacing) * spacing));
        }
      }
      if (distance > 1 && off !== Number.POSITIVE_INFINITY) break;
    }
    const crowded = nearest < spacing / 2 ? Math.log(Math.max(this.#crowding, SELDOM)) : 0;
    if (off === Number.POSITIVE_INFINITY) return crowded;
    const chance = (2 * this.#grain) / spacing;
    const rhythm = Math.min(this.#rhythm, 1 - SELDOM);
    return crowded + Math.log(off <= this.#grain ? (rhythm + (1 - rhythm) * chance) / chance : 1 - rhythm);
  }

  #slotOf(at: number): number {
    return Math.floor((at - this.#start) / this.#spacing);
  }

  #learnOrder(firsts: readonly Dial[]): void {
    this.#rows = Float64Array.from(firsts, ({ row }) => row);
    this.#times = Float64Array.from(firsts, ({ at }) => at);
    let inOrder = 0;
    for (let index = 1; index < firsts.length; index++) {
      if ((this.#times[index] as number) >= (this.#times[index - 1] as number)) inOrder += 1;
    }
    const pairs = Math.max(0, firsts.length - 1);
    this.#order = Math.min(0.995, Math.max(0.05, 2 * ((inOrder + 1.9) / (pairs + 2)) - 1));
    const last = firsts.at(-1);
    const passed = last === undefined ? 0 : last.at - this.#start;
    this.#step = last === undefined || last.row === 0 ? this.#spacing : Math.max(this.#spacing, passed / last.row);
  }

  #learnRhythm(times: Float64Array): void {
    let near = 0;
    let onBeat = 0;
    let crowded = 0;
    for (let index = 1; index < times.length; index++) {
      const gap = (times[index] as number) - (times[index - 1] as number);
      const beats = Math.round(gap / this.#spacing);
      if (gap < this.#spacing / 2) crowded += 1;
      else if (beats <= NEARBY) {
        near += 1;
        if (Math.abs(gap - beats * this.#spacing) <= this.#grain) onBeat += 1;
      }
    }
    this.#rhythm = (onBeat + 1.2) / (near + 2);
    this.#crowding = (crowded + 0.1) / (times.length + 2);
  }
}

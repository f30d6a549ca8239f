/**
 * The contacts of a plan, as columns of numbers: a million of them take some tens of megabytes. Phones and places never change;
 * all else does.
 */
import { CONTACT_STATES, type ContactState, type StateCounts } from '../../contract.ts';
import { eachNamed } from '../../text/json.ts';
import { firstPlace } from '../../text/search.ts';

/** Where the planner has a contact, and how that is shown. A database keeps the places in this list. */
const SHOWN = {
  ...{ new: 'waiting', handed: 'calling', again: 'waiting', reached: 'reached', exhausted: 'not_reached' },
  ...{ unseen: 'no_result', excluded: 'excluded', left: 'not_called' },
} as const satisfies Record<string, ContactState>;
export type RowState = keyof typeof SHOWN;
export const ROW_STATES = Object.keys(SHOWN) as RowState[];

export const shownState = (state: RowState): ContactState => SHOWN[state];

export function shownCounts(counts: Readonly<Record<RowState, number>>): StateCounts {
  const shown = eachNamed(CONTACT_STATES, () => 0);
  for (const state of ROW_STATES) shown[SHOWN[state]] += counts[state];
  return shown;
}

const NEW = ROW_STATES.indexOf('new');
const AGAIN = ROW_STATES.indexOf('again');

/**
 * What is known of a dial besides its time, the more the higher: `sent` may be a call of another request that went through this
 * register, and after `connected`, which may be so too, that request calls this phone no more. `own` is a call of the plan.
 */
export const DIAL_MARKS = { none: 0, sent: 1, connected: 2, own: 3 } as const;
export type DialMark = (typeof DIAL_MARKS)[keyof typeof DIAL_MARKS];
const MARKED_DIALS = 7;
const RECALLED = 1 << 15;
const UNCLEAR = 1 << 14;
const MOST_RECALLED = 0x7f;
const LAST_IS_RECALLED = 0x80;

function columnsOf(size: number, dials: number) {
  return {
    /** `phoneKeyOfDigits` of the numbers. */
    phones: new Float64Array(size),
    /** The indexes of the places. */
    places: new Uint16Array(size),
    states: new Uint8Array(size),
    attempts: new Uint8Array(size),
    /**
     * Two bits for each of the latest seven dials, the latest in the lowest, one for a contact that was recalled, and one for a
     * call that is unclear.
     */
    marks: new Uint16Array(size),
    waves: new Uint32Array(size),
    /** How many attempts were recalled and not seen since, and a bit if the last one is among them. */
    recalled: new Uint8Array(size),
    /** When each may be called again. */
    dues: new Float64Array(size),
    /** The latest dials of each, so many as are kept, the latest first. */
    dials: new Float64Array(size * dials),
  };
}

type Columns = ReturnType<typeof columnsOf>;

/** A record as numbers: state, attempts, wave, recalled, marks, due, and then the latest dials. */
export const RECORD_NUMBERS = 6;
/** When a contact is due that is never called again, as a whole number that a database holds. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;

export class Roster {
  readonly size: number;
  /** How many of the latest dials of a phone are known; at least 1. */
  readonly dials: number;
  readonly columns: Columns;
  readonly counts: Record<RowState, number>;
  /** Attempts of all contacts that were recalled and of which no call was seen since. */
  recalledAttempts = 0;
  /** A bit for each row: whoever looks for the few that wait among a million passes over the others by the word. */
  readonly #waiting: Uint32Array;
  /** Rows whose record has changed since they were last taken. */
  #changed = new Set<number>();
  #byPhone: Uint32Array | undefined;

  /** To be filled by `put` and `restore`: what is not restored is a contact that was never touched. */
  constructor(size: number, dials: number) {
    this.size = size;
    this.dials = dials;
    this.columns = columnsOf(size, dials);
    this.counts = eachNamed(ROW_STATES, () => 0);
    this.counts.new = size;
    this.#waiting = new Uint32Array(Math.ceil(size / 32));
    for (let row = 0; row < size; row++) this.#markWaiting(row);
  }

  put(row: number, phone: number, place: number): void {
    this.columns.phones[row] = phone;
    this.columns.places[row] = place;
  }

  /** A record that was kept, from the number at `from` on. */
  restore(row: number, numbers: ArrayLike<number>, from: number): void {
    const { columns, dials } = this;
    const at = (place: number) => numbers[from + place] as number;
    this.#setState(row, ROW_STATES[at(0)] as RowState);
    columns.attempts[row] = at(1);
    columns.waves[row] = at(2);
    columns.recalled[row] = at(3);
    this.recalledAttempts += at(3) & MOST_RECALLED;
    columns.marks[row] = at(4);
    columns.dues[row] = at(5) === NEVER_DUE ? Number.POSITIVE_INFINITY : at(5);
    for (let rank = 0; rank < dials; rank++) columns.dials[row * dials + rank] = at(RECORD_NUMBERS + rank);
  }

  /** A roster of its own. */
  copy(): Roster {
    const copy = new Roster(this.size, this.dials);
    for (const [name, column] of Object.entries(this.columns)) copy.columns[name as keyof Columns].set(column);
    Object.assign(copy.counts, this.counts);
    copy.recalledAttempts = this.recalledAttempts;
    copy.#waiting.set(this.#waiting);
    this.#byPhone ??= sortedByPhone(this.columns.phones);
    copy.#byPhone = this.#byPhone;
    return copy;
  }

  // What never changes ------------------------------------------------------------------------------------------------

  /** `phoneKeyOfDigits` of the number. */
  phoneOf(row: number): number {
    return this.columns.phones[row] as number;
  }

  placeOf(row: number): number {
    return this.columns.places[row] as number;
  }

  /** The rows of a phone, rising; several if duplicates were kept. */
  rowsOfPhone(phone: number): number[] {
    this.#byPhone ??= sortedByPhone(this.columns.phones);
    const order = this.#byPhone;
    const rows: number[] = [];
    const from = firstPlace(order.length, (at) => this.phoneOf(order[at] as number) >= phone);
    for (let at = from; at < order.length && this.phoneOf(order[at] as number) === phone; at++)
      rows.push(order[at] as number);
    return rows;
  }

  // What changes ------------------------------------------------------------------------------------------------------

  stateOf(row: number): RowState {
    return ROW_STATES[this.columns.states[row] as number] as RowState;
  }

  /** Whether it is here to be called, for the first time or again. */
  isWaiting(row: number): boolean {
    return ((this.#waiting[row >> 5] as number) & (1 << (row & 31))) !== 0;
  }

  /** The first row from `row` on that is; `size` if none is. */
  nextWaiting(row: number): number {
    let at = row >> 5;
    let word = at < this.#waiting.length ? (this.#waiting[at] as number) & (-1 << (row & 31)) : 0;
    while (word === 0) {
      at += 1;
      if (at >= this.#waiting.length) return this.size;
      word = this.#waiting[at] as number;
    }
    return at * 32 + 31 - Math.clz32(word & -word);
  }

  /** All of them, rising. */
  *waiting(): Generator<number, void> {
    for (let row = this.nextWaiting(0); row < this.size; row = this.nextWaiting(row + 1)) yield row;
  }

  setState(row: number, state: RowState): void {
    this.#setState(row, state);
    this.#changed.add(row);
  }

  #setState(row: number, state: RowState): void {
    this.counts[this.stateOf(row)] -= 1;
    this.counts[state] += 1;
    this.columns.states[row] = ROW_STATES.indexOf(state);
    this.#markWaiting(row);
  }

  #markWaiting(row: number): void {
    const code = this.columns.states[row];
    const bit = 1 << (row & 31);
    if (code === NEW || code === AGAIN) (this.#waiting[row >> 5] as number) |= bit;
    else (this.#waiting[row >> 5] as number) &= ~bit;
  }

  /** Whether there is no news of its last wave. */
  isAwaited(row: number): boolean {
    const state = this.stateOf(row);
    return state === 'handed' || state === 'unseen';
  }

  /** The phones of which a call is awaited: nobody calls them before there is news of it. */
  awaitedPhones(): ReadonlySet<number> {
    const phones = new Set<number>();
    if (this.counts.handed === 0) return phones;
    for (let row = 0; row < this.size; row++) if (this.stateOf(row) === 'handed') phones.add(this.phoneOf(row));
    return phones;
  }

  /** The same of a wave that is its last. */
  isAwaitedIn(row: number, wave: number): boolean {
    return this.isAwaited(row) && this.waveOf(row) === wave;
  }

  /** Waves that this contact was submitted in; one that was certainly not placed does not count. */
  attemptsOf(row: number): number {
    return this.columns.attempts[row] as number;
  }

  setAttempts(row: number, attempts: number): void {
    this.#set('attempts', row, attempts);
  }

  /** The last wave it was submitted in; 0 if none. */
  waveOf(row: number): number {
    return this.columns.waves[row] as number;
  }

  setWave(row: number, wave: number): void {
    this.columns.waves[row] = wave;
    this.#set('recalled', row, this.#recalledOf(row) & MOST_RECALLED);
  }

  /** When it may be called again, in milliseconds since the epoch; 0 for one that is new. */
  dueOf(row: number): number {
    return this.columns.dues[row] as number;
  }

  /** In whole milliseconds. */
  setDue(row: number, due: number): void {
    this.#set('dues', row, Math.ceil(due));
  }

  /** The latest dials of the phone by anybody, in milliseconds since the epoch, the latest at 0; 0 where there were not so many. */
  dialOf(row: number, rank: number): number {
    return this.columns.dials[row * this.dials + rank] as number;
  }

  /** Those that are known. */
  dialsOf(row: number): number[] {
    const dials: number[] = [];
    for (let rank = 0; rank < this.dials && this.dialOf(row, rank) !== 0; rank++) dials.push(this.dialOf(row, rank));
    return dials;
  }

  /** Whether an instant is before all dials that are kept of a contact that had more, or as many. */
  isBeforeDials(row: number, at: number): boolean {
    return at < this.dialOf(row, this.dials - 1);
  }

  /** Every row of its phone, itself among them. */
  rowsLike(row: number): number[] {
    return this.rowsOfPhone(this.phoneOf(row));
  }

  /** `none` for a dial that is not one of the latest few. */
  markOf(row: number, rank: number): DialMark {
    return rank < MARKED_DIALS ? (((this.#marksOf(row) >> (2 * rank)) & 3) as DialMark) : DIAL_MARKS.none;
  }

  /** Adds a dial; the same instant twice is one dial, with the mark that says more. */
  addDial(row: number, at: number, mark: DialMark = DIAL_MARKS.none): void {
    let moving = at;
    let movingMark: number = mark;
    for (let rank = 0; rank < this.dials; rank++) {
      const known = this.dialOf(row, rank);
      if (known > moving) continue;
      const knownMark = this.markOf(row, rank);
      this.#mark(row, rank, known === moving ? Math.max(knownMark, movingMark) : movingMark);
      if (known === moving) return;
      this.columns.dials[row * this.dials + rank] = moving;
      this.#changed.add(row);
      moving = known;
      movingMark = knownMark;
    }
  }

  /** Whether a call of an earlier wave may still come to light, because it was not waited for. */
  isRecalled(row: number): boolean {
    return (this.#marksOf(row) & RECALLED) !== 0;
  }

  /** Whether there is such a contact that may be called again. */
  hasOpenRecalled(): boolean {
    for (let row = 0; row < this.size; row++) {
      if (this.isRecalled(row) && (this.stateOf(row) === 'again' || this.stateOf(row) === 'handed')) return true;
    }
    return false;
  }

  /** Its last attempt is not waited for any more, and may have been charged. */
  recall(row: number): void {
    this.#set('marks', row, this.#marksOf(row) | RECALLED);
    this.recalledAttempts += 1;
    const count = (this.#recalledOf(row) & MOST_RECALLED) + 1;
    this.#set('recalled', row, count | LAST_IS_RECALLED);
  }

  /** A call of a wave that is not awaited came to light: if it is that of a recalled attempt, what it cost is known. */
  seeRecalled(row: number, wave: number): void {
    const isLast = wave === this.waveOf(row);
    const last = this.#recalledOf(row) & LAST_IS_RECALLED;
    const count = this.#recalledOf(row) & MOST_RECALLED;
    const earlier = last === 0 ? count : count - 1;
    if (isLast ? last === 0 : earlier === 0) return;
    this.recalledAttempts -= 1;
    this.#set('recalled', row, (count - 1) | (isLast ? 0 : last));
  }

  /** Whether the log has a call of its last wave of which nobody knows what came of it. */
  isUnclear(row: number): boolean {
    return (this.#marksOf(row) & UNCLEAR) !== 0;
  }

  setUnclear(row: number, isUnclear: boolean): void {
    if (this.isUnclear(row) !== isUnclear) this.#set('marks', row, this.#marksOf(row) ^ UNCLEAR);
  }

  #recalledOf(row: number): number {
    return this.columns.recalled[row] as number;
  }

  #mark(row: number, rank: number, mark: number): void {
    if (rank >= MARKED_DIALS) return;
    const marks = this.#marksOf(row);
    const marked = (marks & ~(3 << (2 * rank))) | (mark << (2 * rank));
    if (marked !== marks) this.#set('marks', row, marked);
  }

  #marksOf(row: number): number {
    return this.columns.marks[row] as number;
  }

  #set(column: keyof Columns, row: number, value: number): void {
    this.columns[column][row] = value;
    this.#changed.add(row);
  }

  /** As `restore` takes it; dials apart. */
  recordOf(row: number): { numbers: number[]; dials: number[] } {
    const due = this.dueOf(row);
    const numbers = [
      this.columns.states[row] as number,
      this.attemptsOf(row),
      this.waveOf(row),
      this.#recalledOf(row),
      this.#marksOf(row),
      due === Number.POSITIVE_INFINITY ? NEVER_DUE : due,
    ];
    return { numbers, dials: [...this.columns.dials.subarray(row * this.dials, (row + 1) * this.dials)] };
  }

  /** The rows that have changed since the last call, rising. */
  takeChanged(): number[] {
    const rows = [...this.#changed].sort((one, other) => one - other);
    this.#changed = new Set();
    return rows;
  }
}

/** Of a radix sort: a comparing one takes four times as long. A phone has at most 15 decimal digits. */
const RADIX = 1 << 16;
const LARGEST = 1e15;

/** The rows in the order of their phones, and of one phone in their own. */
function sortedByPhone(phones: Float64Array): Uint32Array {
  const size = phones.length;
  let order = new Uint32Array(size).map((_none, row) => row);
  for (let unit = 1; unit < LARGEST; unit *= RADIX) {
    const digitOf = (row: number) => Math.floor((phones[row] as number) / unit) % RADIX;
    /** For each value of the digit, where the next row that has it goes. */
    const places = new Uint32Array(RADIX + 1);
    for (let row = 0; row < size; row++) (places[digitOf(row) + 1] as number) += 1;
    for (let value = 1; value < RADIX; value++) (places[value] as number) += places[value - 1] as number;
    const next = new Uint32Array(size);
    // An iterator would make a million objects.
    for (let at = 0; at < size; at++) {
      const row = order[at] as number;
      next[(places[digitOf(row)] as number)++] = row;
    }
    order = next;
  }
  return order;
}

/**
 * The contacts of a plan, as columns of numbers: a million of them take some tens of megabytes. What never changes (phone and
 * place) and what does (the records) are two blocks of bytes.
 *
 * A record: state (1 byte), attempts (1), marks (2), wave (3), recalled (1), due (8), then the latest dials, 8 bytes each.
 * Little-endian. Marks: two bits for each of the latest seven dials, the latest in the lowest, and one for a contact that was
 * recalled, and one for a call that is unclear. Recalled: how many attempts were recalled and not seen since, and a bit if the last one is among them.
 */
export const CONTACT_STATES = ['new', 'handed', 'again', 'reached', 'exhausted', 'unseen', 'excluded', 'left'] as const;
export type ContactState = (typeof CONTACT_STATES)[number];

const NEW = CONTACT_STATES.indexOf('new');
const AGAIN = CONTACT_STATES.indexOf('again');

/**
 * What is known of a dial besides its time, the more the higher: `sent` may be a call of another request that went through this
 * register, and after `answered`, which may be so too, that request calls this phone no more. `own` is a call of the plan.
 */
export const DIAL_MARKS = { none: 0, sent: 1, answered: 2, own: 3 } as const;
export type DialMark = (typeof DIAL_MARKS)[keyof typeof DIAL_MARKS];
const MARKED_DIALS = 7;
const MARKS_AT = 2;
const RECALLED = 1 << 15;
const UNCLEAR = 1 << 14;
const WAVE_AT = 4;
const WAVE_BITS = 24;
const MOST_RECALLED = 0x7f;
const LAST_IS_RECALLED = 0x80;

const HEADER_BYTES = 16;
const NUMBER_BYTES = 8;
const DUE_AT = 8;
/** A phone and a place. */
export const STATIC_BYTES = 16;

export function recordBytes(dials: number): number {
  return HEADER_BYTES + dials * NUMBER_BYTES;
}

/** A record as numbers: state, attempts, wave, recalled, marks, due, and then the latest dials. */
export const RECORD_NUMBERS = 6;
/** When a contact is due that is never called again, as a whole number that a database holds. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;

/** A roster that is being filled; what is not put there is a contact that was never touched. */
export class RosterDraft {
  readonly #dials: number;
  readonly #fixed: DataView;
  readonly #records: DataView;

  constructor(size: number, dials: number) {
    this.#dials = dials;
    this.#fixed = new DataView(new ArrayBuffer(size * STATIC_BYTES));
    this.#records = new DataView(new ArrayBuffer(size * recordBytes(dials)));
  }

  /** `phone` is a phone key. */
  put(row: number, phone: number, place: number): void {
    this.#fixed.setFloat64(row * STATIC_BYTES, phone, true);
    this.#fixed.setUint16(row * STATIC_BYTES + NUMBER_BYTES, place, true);
  }

  /** A record, from the number at `from` on. */
  record(row: number, numbers: ArrayLike<number>, from: number): void {
    const start = row * recordBytes(this.#dials);
    const at = (place: number) => numbers[from + place] as number;
    this.#records.setUint8(start, at(0));
    this.#records.setUint8(start + 1, at(1));
    this.#records.setUint32(start + WAVE_AT, at(2) + at(3) * 2 ** WAVE_BITS, true);
    this.#records.setUint16(start + MARKS_AT, at(4), true);
    this.#records.setFloat64(start + DUE_AT, at(5) === NEVER_DUE ? Number.POSITIVE_INFINITY : at(5), true);
    for (let rank = 0; rank < this.#dials; rank++)
      this.#records.setFloat64(start + HEADER_BYTES + rank * NUMBER_BYTES, at(RECORD_NUMBERS + rank), true);
  }

  filled(): Roster {
    return new Roster(new Uint8Array(this.#fixed.buffer), new Uint8Array(this.#records.buffer), this.#dials);
  }
}

export class Roster {
  readonly size: number;
  /** How many of the latest dials of a phone are known; at least 1. */
  readonly dials: number;
  /** For each row a phone key (8 bytes) and the index of a place (2), and 6 unused. */
  readonly fixed: Uint8Array;
  readonly records: Uint8Array;
  readonly #fixed: DataView;
  readonly #records: DataView;
  readonly #stride: number;
  readonly counts: Record<ContactState, number>;
  /** Attempts of all contacts that were recalled and of which no call was seen since. */
  recalledAttempts = 0;
  /** A bit for each row. */
  readonly #waiting: Uint32Array;
  /** Rows whose record has changed since they were last taken. */
  #changed = new Set<number>();
  #byPhone: Uint32Array | undefined;

  constructor(fixed: Uint8Array, records: Uint8Array, dials: number) {
    this.dials = dials;
    this.#stride = recordBytes(dials);
    this.size = fixed.length / STATIC_BYTES;
    this.fixed = fixed;
    this.records = records;
    this.#fixed = new DataView(fixed.buffer, fixed.byteOffset, fixed.length);
    this.#records = new DataView(records.buffer, records.byteOffset, records.length);
    this.counts = Object.fromEntries(CONTACT_STATES.map((state) => [state, 0])) as Record<ContactState, number>;
    this.#waiting = new Uint32Array(Math.ceil(this.size / 32));
    for (let row = 0; row < this.size; row++) {
      this.counts[this.stateOf(row)] += 1;
      this.recalledAttempts += this.#recalledOf(row) & MOST_RECALLED;
      this.#markWaiting(row);
    }
  }

  /** A roster of its own, which shares what never changes. */
  copy(): Roster {
    const copy = new Roster(this.fixed, this.records.slice(), this.dials);
    this.#byPhone ??= sortedByPhone(this);
    copy.#byPhone = this.#byPhone;
    return copy;
  }

  // What never changes ------------------------------------------------------------------------------------------------

  /** `phoneKeyOfDigits` of the number. */
  phoneOf(row: number): number {
    return this.#fixed.getFloat64(row * STATIC_BYTES, true);
  }

  placeOf(row: number): number {
    return this.#fixed.getUint16(row * STATIC_BYTES + NUMBER_BYTES, true);
  }

  /** The rows of a phone, rising; several if duplicates were kept. */
  rowsOfPhone(phone: number): number[] {
    this.#byPhone ??= sortedByPhone(this);
    const order = this.#byPhone;
    let [from, to] = [0, order.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.phoneOf(order[middle] as number) < phone) from = middle + 1;
      else to = middle;
    }
    const rows: number[] = [];
    for (let at = from; at < order.length && this.phoneOf(order[at] as number) === phone; at++)
      rows.push(order[at] as number);
    return rows;
  }

  // What changes ------------------------------------------------------------------------------------------------------

  stateOf(row: number): ContactState {
    return CONTACT_STATES[this.records[row * this.#stride] as number] as ContactState;
  }

  /** Whether it is here to be called, for the first time or again. */
  isWaiting(row: number): boolean {
    return ((this.#waiting[row >> 5] as number) & (1 << (row & 31))) !== 0;
  }

  /** The first row from `row` on that is; `size` if none is. However many are not, they take little time. */
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

  setState(row: number, state: ContactState): void {
    this.counts[this.stateOf(row)] -= 1;
    this.counts[state] += 1;
    this.records[row * this.#stride] = CONTACT_STATES.indexOf(state);
    this.#markWaiting(row);
    this.#changed.add(row);
  }

  #markWaiting(row: number): void {
    const code = this.records[row * this.#stride];
    const bit = 1 << (row & 31);
    if (code === NEW || code === AGAIN) (this.#waiting[row >> 5] as number) |= bit;
    else (this.#waiting[row >> 5] as number) &= ~bit;
  }

  /** Whether there is no news of its last wave. */
  isAwaited(row: number): boolean {
    const state = this.stateOf(row);
    return state === 'handed' || state === 'unseen';
  }

  /** The same of a wave that is its last. */
  isAwaitedIn(row: number, wave: number): boolean {
    return this.isAwaited(row) && this.waveOf(row) === wave;
  }

  /** Waves that this contact was handed over in; one that was certainly not placed does not count. */
  attemptsOf(row: number): number {
    return this.records[row * this.#stride + 1] as number;
  }

  setAttempts(row: number, attempts: number): void {
    this.records[row * this.#stride + 1] = attempts;
    this.#changed.add(row);
  }

  /** The last wave it was handed over in; 0 if none. */
  waveOf(row: number): number {
    return this.#records.getUint32(row * this.#stride + WAVE_AT, true) & (2 ** WAVE_BITS - 1);
  }

  setWave(row: number, wave: number): void {
    this.#setWave(row, wave, this.#recalledOf(row) & MOST_RECALLED);
  }

  #setWave(row: number, wave: number, recalled: number): void {
    this.#records.setUint32(row * this.#stride + WAVE_AT, wave + recalled * 2 ** WAVE_BITS, true);
    this.#changed.add(row);
  }

  /** When it may be called again, in milliseconds since the epoch; 0 for one that is new. */
  dueOf(row: number): number {
    return this.#records.getFloat64(row * this.#stride + DUE_AT, true);
  }

  /** In whole milliseconds. */
  setDue(row: number, due: number): void {
    this.#records.setFloat64(row * this.#stride + DUE_AT, Math.ceil(due), true);
    this.#changed.add(row);
  }

  /** The latest dials of the phone by anybody, in milliseconds since the epoch, the latest at 0; 0 where there were not so many. */
  dialOf(row: number, rank: number): number {
    return this.#records.getFloat64(row * this.#stride + HEADER_BYTES + rank * NUMBER_BYTES, true);
  }

  /** `none` for a dial that is not one of the latest few. */
  markOf(row: number, rank: number): DialMark {
    return rank < MARKED_DIALS ? (((this.#marksOf(row) >> (2 * rank)) & 3) as DialMark) : DIAL_MARKS.none;
  }

  /** Adds a dial; the same instant twice is one dial, with the mark that says more. */
  addDial(row: number, at: number, mark: DialMark = DIAL_MARKS.none): void {
    const start = row * this.#stride + HEADER_BYTES;
    let moving = at;
    let movingMark: number = mark;
    for (let rank = 0; rank < this.dials; rank++) {
      const offset = start + rank * NUMBER_BYTES;
      const known = this.#records.getFloat64(offset, true);
      if (known > moving) continue;
      const knownMark = this.markOf(row, rank);
      this.#mark(row, rank, known === moving ? Math.max(knownMark, movingMark) : movingMark);
      if (known === moving) return;
      this.#records.setFloat64(offset, moving, true);
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
    this.#setMarks(row, this.#marksOf(row) | RECALLED);
    this.recalledAttempts += 1;
    const count = (this.#recalledOf(row) & MOST_RECALLED) + 1;
    this.#setWave(row, this.waveOf(row), count | LAST_IS_RECALLED);
  }

  /** A call of a wave that is not awaited came to light: if it is that of a recalled attempt, what it cost is known. */
  seeRecalled(row: number, wave: number): void {
    const isLast = wave === this.waveOf(row);
    const last = this.#recalledOf(row) & LAST_IS_RECALLED;
    const count = this.#recalledOf(row) & MOST_RECALLED;
    const earlier = last === 0 ? count : count - 1;
    if (isLast ? last === 0 : earlier === 0) return;
    this.recalledAttempts -= 1;
    this.#setWave(row, this.waveOf(row), (count - 1) | (isLast ? 0 : last));
  }

  /** Whether the log has a call of its last wave of which nobody knows what came of it. */
  isUnclear(row: number): boolean {
    return (this.#marksOf(row) & UNCLEAR) !== 0;
  }

  setUnclear(row: number, isUnclear: boolean): void {
    if (this.isUnclear(row) !== isUnclear) this.#setMarks(row, this.#marksOf(row) ^ UNCLEAR);
  }

  #recalledOf(row: number): number {
    return this.records[row * this.#stride + WAVE_AT + WAVE_BITS / 8] as number;
  }

  #mark(row: number, rank: number, mark: number): void {
    if (rank >= MARKED_DIALS) return;
    const marks = this.#marksOf(row);
    const marked = (marks & ~(3 << (2 * rank))) | (mark << (2 * rank));
    if (marked !== marks) this.#setMarks(row, marked);
  }

  #marksOf(row: number): number {
    return this.#records.getUint16(row * this.#stride + MARKS_AT, true);
  }

  #setMarks(row: number, marks: number): void {
    this.#records.setUint16(row * this.#stride + MARKS_AT, marks, true);
    this.#changed.add(row);
  }

  /** As `RosterDraft.record` takes it; dials apart. */
  recordOf(row: number): { numbers: number[]; dials: number[] } {
    const due = this.dueOf(row);
    const numbers = [
      this.records[row * this.#stride] as number,
      this.attemptsOf(row),
      this.waveOf(row),
      this.#recalledOf(row),
      this.#marksOf(row),
      due === Number.POSITIVE_INFINITY ? NEVER_DUE : due,
    ];
    return { numbers, dials: Array.from({ length: this.dials }, (_none, rank) => this.dialOf(row, rank)) };
  }

  /** The rows that have changed since the last call, rising. */
  takeChanged(): number[] {
    const rows = [...this.#changed].sort((one, other) => one - other);
    this.#changed = new Set();
    return rows;
  }
}

/** The digits of a radix sort. A phone has at most 15 decimal digits: less than four of these. */
const RADIX = 1 << 16;
const DIGITS = 4;

/** The rows in the order of their phones, and of one phone in their own. A comparing sort takes four times as long. */
function sortedByPhone(roster: Roster): Uint32Array {
  const { size } = roster;
  const digits = new Uint16Array(size * DIGITS);
  for (let row = 0; row < size; row++) {
    let phone = roster.phoneOf(row);
    for (let at = row * DIGITS; phone > 0; phone = Math.floor(phone / RADIX)) digits[at++] = phone % RADIX;
  }
  let order = new Uint32Array(size);
  for (let row = 0; row < size; row++) order[row] = row;
  let next = new Uint32Array(size);
  for (let digit = 0; digit < DIGITS; digit++) {
    const places = placesByDigit(digits, digit);
    // An iterator would make a million objects.
    for (let at = 0; at < size; at++) {
      const row = order[at] as number;
      const value = digits[row * DIGITS + digit] as number;
      const place = places[value] as number;
      places[value] = place + 1;
      next[place] = row;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** For each value of a digit, where the first row that has it goes. */
function placesByDigit(digits: Uint16Array, digit: number): Uint32Array {
  const places = new Uint32Array(RADIX);
  for (let at = digit; at < digits.length; at += DIGITS) (places[digits[at] as number] as number) += 1;
  let before = 0;
  for (let value = 0; value < RADIX; value++) {
    const count = places[value] as number;
    places[value] = before;
    before += count;
  }
  return places;
}

/**
 * The contacts of a plan, as columns of numbers: a million of them take some tens of megabytes. What never changes (phone and
 * place) and what does (the records) are two blocks of bytes, so that a file can hold them as they are and a changed record is
 * written alone.
 *
 * A record: state (1 byte), attempts (1), unused (2), wave (4), due (8), then the latest dials, 8 bytes each. Little-endian.
 */
export const CONTACT_STATES = ['new', 'handed', 'again', 'reached', 'exhausted', 'unseen', 'excluded', 'left'] as const;
export type ContactState = (typeof CONTACT_STATES)[number];

const HEADER_BYTES = 16;
const NUMBER_BYTES = 8;
/** A phone and a place. */
export const STATIC_BYTES = 16;

export function recordBytes(dials: number): number {
  return HEADER_BYTES + dials * NUMBER_BYTES;
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
    for (let row = 0; row < this.size; row++) this.counts[this.stateOf(row)] += 1;
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

  setState(row: number, state: ContactState): void {
    this.counts[this.stateOf(row)] -= 1;
    this.counts[state] += 1;
    this.records[row * this.#stride] = CONTACT_STATES.indexOf(state);
    this.#changed.add(row);
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
    return this.#records.getUint32(row * this.#stride + 4, true);
  }

  setWave(row: number, wave: number): void {
    this.#records.setUint32(row * this.#stride + 4, wave, true);
    this.#changed.add(row);
  }

  /** When it may be called again, in milliseconds since the epoch; 0 for one that is new. */
  dueOf(row: number): number {
    return this.#records.getFloat64(row * this.#stride + 8, true);
  }

  setDue(row: number, due: number): void {
    this.#records.setFloat64(row * this.#stride + 8, due, true);
    this.#changed.add(row);
  }

  /** The latest dials of the phone by anybody, in milliseconds since the epoch, the latest at 0; 0 where there were not so many. */
  dialOf(row: number, rank: number): number {
    return this.#records.getFloat64(row * this.#stride + HEADER_BYTES + rank * NUMBER_BYTES, true);
  }

  /** Adds a dial; the same instant twice is one dial. */
  addDial(row: number, at: number): void {
    const start = row * this.#stride + HEADER_BYTES;
    let moving = at;
    for (let rank = 0; rank < this.dials; rank++) {
      const offset = start + rank * NUMBER_BYTES;
      const known = this.#records.getFloat64(offset, true);
      if (known === moving) return;
      if (known > moving) continue;
      this.#records.setFloat64(offset, moving, true);
      this.#changed.add(row);
      moving = known;
    }
  }

  /** The rows that have changed since the last call, rising. */
  takeChanged(): number[] {
    const rows = [...this.#changed].sort((one, other) => one - other);
    this.#changed = new Set();
    return rows;
  }
}

function sortedByPhone(roster: Roster): Uint32Array {
  const phones = new Float64Array(roster.size);
  for (let row = 0; row < roster.size; row++) phones[row] = roster.phoneOf(row);
  const order = new Uint32Array(roster.size);
  for (let row = 0; row < roster.size; row++) order[row] = row;
  return order.sort((one, other) => (phones[one] as number) - (phones[other] as number) || one - other);
}

/** The entries of the log that may be of somebody who was called, by their marks and by their phones. */
import type { CallLogEntry } from '../../contract.ts';
import { Column } from '../../text/column.ts';
import { SeenTexts } from '../../text/seen-texts.ts';
import { Entry } from './entry.ts';
import { EntryColumns } from './entry-columns.ts';

export class Entries {
  readonly #columns = new EntryColumns();
  /** By phone, the row of one of its entries plus 1; and by entry, that of the next one of its phone. 0 means that there is none. */
  readonly #first: Uint32Array;
  readonly #next = new Column(Uint32Array);

  constructor(phones: number) {
    this.#first = new Uint32Array(phones);
  }

  get(mark: string): Entry | undefined {
    const place = this.#columns.marks.indexOf(mark);
    const entry = new Entry(this.#columns, place);
    return place !== -1 && entry.isTaken ? entry : undefined;
  }

  /** Adds an entry, or puts it in the place of the one with its mark, which `remove` has taken from its phone. */
  put(mark: string, call: CallLogEntry, phone: number): Entry {
    const entry = new Entry(this.#columns, this.#columns.marks.add(mark));
    entry.write(call, phone);
    this.#next.set(entry.place, this.#first[phone] as number);
    this.#first[phone] = entry.place + 1;
    return entry;
  }

  /** Takes an entry from its phone. */
  remove({ place, phone }: Entry): void {
    const following = this.#next.at(place);
    let before = this.#first[phone] as number;
    if (before === place + 1) this.#first[phone] = following;
    while (before !== 0 && this.#next.at(before - 1) !== place + 1) before = this.#next.at(before - 1);
    if (before !== 0) this.#next.set(before - 1, following);
  }

  /** In no order. */
  of(phone: number): Entry[] {
    const entries: Entry[] = [];
    for (let row = this.#first[phone] ?? 0; row !== 0; row = this.#next.at(row - 1))
      entries.push(new Entry(this.#columns, row - 1));
    return entries;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let place = 0; place < this.#columns.marks.size; place++) {
      const entry = new Entry(this.#columns, place);
      if (entry.isTaken) yield entry;
    }
  }

  seenAnew(): SeenTexts {
    return new SeenTexts(this.#columns.marks);
  }

  /** What times that name no zone are ahead of UTC by, in milliseconds. */
  set ahead(ahead: number) {
    this.#columns.ahead = ahead;
  }
}

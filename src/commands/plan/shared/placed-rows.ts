/** Collects, while a file of contacts is checked, the original row and the place of each contact. */
import type { AcceptedRows } from '../../../contacts/check-file.ts';
import { OriginalRows } from '../../../contacts/original-rows.ts';
import type { Contact } from '../../../contract.ts';
import { InputError } from '../../../errors.ts';
import type { Place } from '../../../plans/rules/plan.ts';
import type { KeptRows } from '../../../text/kept-rows.ts';

/** What a file's check says of where a contact is; the same object for the same zones and country. */
export interface Whereabouts {
  zones: readonly string[];
  country: string | null;
}

/** The roster has two bytes for the index of a place. */
const MOST_PLACES = 1 << 16;

export class PlacedRows implements AcceptedRows {
  readonly places: Place[] = [];
  /** For each contact the index of its place. */
  placeOf: number[] = [];
  readonly #original = new OriginalRows();
  readonly #placed: (where: Whereabouts) => Place;
  readonly #indexes = new Map<Whereabouts, number>();
  readonly #byName = new Map<string, number>();

  /** `placed` is the place that counts for a contact. */
  constructor(placed: (where: Whereabouts) => Place) {
    this.#placed = placed;
  }

  begin(header: readonly string[] | undefined): void {
    this.#original.begin(header);
  }

  row(cells: readonly string[], _contact: Contact, where: Whereabouts | undefined): void {
    this.#original.row(cells);
    this.placeOf.push(this.#indexOf(where ?? { zones: [], country: null }));
  }

  /** Leaves out contacts that are not among `left`, which are some of `all` in the same order. */
  keepThoseOf(left: readonly Contact[], all: readonly Contact[]): void {
    this.#original.keepThoseOf(left, all);
    let next = 0;
    this.placeOf = this.placeOf.filter((_place, row) => {
      const isLeft = all[row] === left[next];
      if (isLeft) next++;
      return isLeft;
    });
  }

  get rows(): KeptRows {
    return this.#original.rows;
  }

  #indexOf(where: Whereabouts): number {
    const known = this.#indexes.get(where);
    if (known !== undefined) return known;
    const place = this.#placed(where);
    const name = JSON.stringify([place.zones, place.country]);
    const index = this.#byName.get(name) ?? this.places.length;
    if (index === this.places.length) {
      if (index === MOST_PLACES) throw new InputError(`The contacts are in more than ${MOST_PLACES} different places.`);
      this.places.push(place);
      this.#byName.set(name, index);
    }
    this.#indexes.set(where, index);
    return index;
  }
}

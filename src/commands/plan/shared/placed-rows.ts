/** Collects, while a file of contacts is checked, the original row and the place of each contact. */
import { OriginalRows } from '../../../contacts/original-rows.ts';
import type { Whereabouts } from '../../../contacts/zones/zones.ts';
import type { Contact } from '../../../contract.ts';
import { InputError } from '../../../errors.ts';
import type { Place } from '../../../plans/rules/plan.ts';

/** The roster has two bytes for the index of a place. */
const MOST_PLACES = 1 << 16;

export class PlacedRows extends OriginalRows {
  readonly places: Place[] = [];
  /** For each contact the index of its place. */
  placeOf: number[] = [];
  readonly #placed: (where: Whereabouts) => Place;
  readonly #indexes = new Map<Whereabouts, number>();
  readonly #byName = new Map<string, number>();

  /** `placed` is the place that counts for a contact. */
  constructor(placed: (where: Whereabouts) => Place) {
    super();
    this.#placed = placed;
  }

  override row(cells: readonly string[], _contact?: Contact, where?: Whereabouts): void {
    super.row(cells);
    this.placeOf.push(this.#indexOf(where ?? { zones: [], country: null }));
  }

  override keepThoseOf(left: readonly Contact[], all: readonly Contact[]): void {
    super.keepThoseOf(left, all);
    let next = 0;
    this.placeOf = this.placeOf.filter((_place, row) => {
      const isLeft = all[row] === left[next];
      if (isLeft) next++;
      return isLeft;
    });
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

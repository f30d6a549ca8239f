/** Which parties can claim calls to which phone. In typed arrays: there may be millions. */
import { firstPlace, placeIn } from '../../text/search.ts';
import { HOUR } from '../../text/units.ts';
import type { Echo } from './entries.ts';
import { type Party, rowIn } from './party.ts';

export class Claims {
  /** The phones, as the digits of their keys, ascending and without repeats. A phone is known by its place here. */
  readonly phones: Float64Array;
  /** The claims on phone p are those from `starts[p]` up to but not including `starts[p + 1]`. */
  readonly starts: Uint32Array;
  /** For each claim, the place of its party. */
  readonly sources: Uint32Array;
  /** For each party, the claims of its contacts. */
  readonly ofParties: readonly Uint32Array[];

  readonly #parties: readonly Party[];
  /** For each claim, the contact's place in its party. */
  readonly #indexes: Uint32Array;

  /** Of equal claims, that of the party counts which comes first. */
  constructor(parties: readonly Party[]) {
    this.#parties = parties;
    this.phones = distinct(parties.map(({ contacts }) => contacts.phones));
    this.starts = new Uint32Array(this.phones.length + 1);
    const places = parties.map(({ contacts }) => Uint32Array.from(contacts.phones, (phone) => this.placeOf(phone)));
    for (const own of places) for (const place of own) this.starts[place + 1] = (this.starts[place + 1] as number) + 1;
    for (let place = 0; place < this.phones.length; place++) {
      this.starts[place + 1] = (this.starts[place + 1] as number) + (this.starts[place] as number);
    }
    const count = this.starts.at(-1) ?? 0;
    this.sources = new Uint32Array(count);
    this.#indexes = new Uint32Array(count);
    const free = this.starts.slice();
    // The place of each contact's phone is replaced by its claim.
    this.ofParties = places;
    for (const [source, own] of places.entries()) {
      for (const [index, place] of own.entries()) {
        const claim = free[place] as number;
        free[place] = claim + 1;
        this.sources[claim] = source;
        this.#indexes[claim] = index;
        own[index] = claim;
      }
    }
  }

  partyOf(claim: number): Party {
    return this.#parties[this.sources[claim] as number] as Party;
  }

  rowOf(claim: number): number {
    return rowIn(this.partyOf(claim).contacts, this.#indexes[claim] as number);
  }

  /** Where the service echoes an identifier or a campaign's id, only whose it is can claim the entry. */
  mayShow(claim: number, echo: Echo | undefined): boolean {
    if (echo === undefined) return true;
    const { contacts, campaignId } = this.partyOf(claim);
    if (echo.campaignId !== null && echo.campaignId !== campaignId) return false;
    return echo.identifier === null || contacts.identifierOf(this.rowOf(claim))?.trim() === echo.identifier;
  }

  /** When its first call is expected, in milliseconds since the epoch: a campaign calls its contacts in their order. */
  expectedOf(claim: number): number {
    const { start, callsPerHour } = this.partyOf(claim);
    return start + (this.rowOf(claim) * HOUR) / callsPerHour;
  }

  of(phone: number): { from: number; until: number } {
    return { from: this.starts[phone] as number, until: this.starts[phone + 1] as number };
  }

  phoneOf(claim: number): number {
    return firstPlace(this.starts.length, (phone) => (this.starts[phone] as number) > claim) - 1;
  }

  /** The place of a phone, or -1 if nobody called it. */
  placeOf(phone: number): number {
    return placeIn(this.phones, phone);
  }
}

function distinct(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let kept = 0;
  for (let at = 0; at < all.length; at++) {
    if (at === 0 || all[at] !== all[kept - 1]) all[kept++] = all[at] as number;
  }
  return all.slice(0, kept);
}

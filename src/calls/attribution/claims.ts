/** Who can claim calls to which phone: the contacts of campaigns, and single calls. In typed arrays: there may be millions. */
import { phoneKey } from '../../text/phone.ts';
import type { Launched } from './attribution.ts';
import type { LaunchedCall, LaunchedCampaign } from './launched.ts';

const HOUR = 3_600_000;

export class Claims {
  /** The phones, as the digits of their keys, ascending and without repeats. A phone is known by its place here. */
  readonly phones: Float64Array;
  /** The claims on phone p are those from `starts[p]` up to but not including `starts[p + 1]`. */
  readonly starts: Uint32Array;
  /** For each claim, the place of its campaign, or the number of campaigns plus the place of its call. */
  readonly sources: Uint32Array;
  /** For each claim of a campaign, the row of the contact. */
  readonly rows: Uint32Array;
  /** For each campaign, the claims of its rows. */
  readonly ofCampaigns: readonly Uint32Array[];

  readonly #launched: Launched;

  constructor(launched: Launched) {
    const { campaigns, calls } = launched;
    this.#launched = launched;
    const called = calls.map(({ to }) => Number(phoneKey(to).slice(1)));
    this.phones = distinct([...campaigns.map(({ contacts }) => contacts.phones), Float64Array.from(called)]);
    const sources = [...campaigns.map(({ contacts }) => contacts.phones), ...called.map((phone) => [phone])];
    this.starts = new Uint32Array(this.phones.length + 1);
    const places = sources.map((phones) => Uint32Array.from(phones, (phone) => this.placeOf(phone)));
    for (const own of places) for (const place of own) this.starts[place + 1] = (this.starts[place + 1] as number) + 1;
    for (let place = 0; place < this.phones.length; place++) {
      this.starts[place + 1] = (this.starts[place + 1] as number) + (this.starts[place] as number);
    }
    const count = this.starts.at(-1) ?? 0;
    this.sources = new Uint32Array(count);
    this.rows = new Uint32Array(count);
    const free = this.starts.slice();
    // Single calls come first, then the latest campaign: of equal claims the first one counts.
    const order = [...sources.keys()].reverse();
    this.ofCampaigns = campaigns.map(({ contacts }) => new Uint32Array(contacts.phones.length));
    for (const source of order) {
      for (const [row, place] of (places[source] as Uint32Array).entries()) {
        const claim = free[place] as number;
        free[place] = claim + 1;
        this.sources[claim] = source;
        this.rows[claim] = row;
        const own = this.ofCampaigns[source];
        if (own !== undefined) own[row] = claim;
      }
    }
  }

  /** Undefined for the claim of a single call. */
  campaignOf(claim: number): LaunchedCampaign | undefined {
    return this.#launched.campaigns[this.sources[claim] as number];
  }

  /** Undefined for the claim of a campaign. */
  callOf(claim: number): LaunchedCall | undefined {
    return this.#launched.calls[(this.sources[claim] as number) - this.#launched.campaigns.length];
  }

  rowOf(claim: number): number {
    return this.rows[claim] as number;
  }

  /** What the caller's own system calls the contact, or the call. */
  identifierOf(claim: number): string | undefined {
    const campaign = this.campaignOf(claim);
    return campaign === undefined ? this.callOf(claim)?.identifier : campaign.contacts.identifierOf(this.rowOf(claim));
  }

  /** When its first call is expected, in milliseconds since the epoch: a campaign calls its contacts in their order. */
  expectedOf(claim: number): number {
    const campaign = this.campaignOf(claim);
    if (campaign === undefined) return this.callOf(claim)?.start ?? 0;
    return campaign.start + (this.rowOf(claim) * HOUR) / campaign.callsPerHour;
  }

  /** The claims on a phone. */
  of(phone: number): { from: number; until: number } {
    return { from: this.starts[phone] as number, until: this.starts[phone + 1] as number };
  }

  /** The phone of a claim. */
  phoneOf(claim: number): number {
    let from = 0;
    let to = this.starts.length - 1;
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if ((this.starts[middle] as number) > claim) to = middle - 1;
      else from = middle;
    }
    return from;
  }

  /** The place of a phone, or -1 if nobody called it. */
  placeOf(phone: number): number {
    let from = 0;
    let to = this.phones.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.phones[middle] as number) < phone) from = middle + 1;
      else to = middle;
    }
    return this.phones[from] === phone ? from : -1;
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

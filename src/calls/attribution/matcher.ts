/**
 * The attribution of one agent's calls from one number. Each phone is settled for itself: what a campaign did elsewhere tells
 * only in which zone the log is, how precise its times are, and whether the campaign has ended.
 */
import type { CallLogEntry } from '../../contract.ts';
import { markOf } from '../../paging/identity.ts';
import { phoneKey } from '../../text/phone.ts';
import type { SeenTexts } from '../../text/seen-texts.ts';
import { phoneOf } from '../select.ts';
import type { Attribution, ContactOutcome, Launched, Owner, Tally } from './attribution.ts';
import { Claims } from './claims.ts';
import { Entries } from './entries.ts';
import { type Entry, keptOf } from './entry.ts';
import { writtenCalls } from './expectations.ts';
import type { LaunchedCampaign } from './launched.ts';
import { Marked } from './marked.ts';
import { Precision } from './precision.ts';
import { type Claimant, type Phone, type Reading, read } from './reading.ts';
import { CONTACT_STATES, type ContactState, stateOf } from './states.ts';
import { countEntry, newTally } from './tally.ts';
import { UTC, type ZoneFound, zoneOfLog } from './zone.ts';

/** How much is tried for all phones together, and for one. */
const STEPS = 8_000_000;
const MOST_STEPS = 80_000;
const FEWEST_STEPS = 4_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** More than anything that exists is away from its calls. */
const DOUBT = 1_000 * DAY;

/** In all, about `steps` readings of a call are tried: where there are more, the calls that several may have made are ambiguous. */
export function attribute(launched: Launched, steps = STEPS): Attribution {
  return new Matcher(launched, steps);
}

class Matcher implements Attribution {
  readonly #campaigns: readonly LaunchedCampaign[];
  readonly #agentId: number | undefined;
  readonly #from: string | undefined;
  readonly #claims: Claims;
  /** For each phone. */
  readonly #steps: number;
  readonly #claimants: readonly Claimant[];
  readonly #tallies: Tally[];
  /** By claim, the index of its state in CONTACT_STATES. */
  readonly #states: Uint8Array;
  readonly #isOver: boolean[];
  /** How the last entry of it wrote the number that calls. */
  #spelling: unknown;
  readonly #entries: Entries;
  /** Phones whose entries have changed. */
  readonly #changed: Marked;
  /** Campaigns whose first or last call was given to somebody else. */
  readonly #withoutEnds = new Set<number>();
  /** By campaign, when it ended, where it did before its span. */
  readonly #ends: number[] = [];
  #zone: ZoneFound = UTC;
  #hasTimesWithoutZone = false;
  readonly #precision = new Precision();
  #unclaimed = 0;
  #ofCalls = 0;

  constructor(launched: Launched, steps: number) {
    this.#campaigns = launched.campaigns;
    const [some] = [...launched.campaigns, ...launched.calls];
    this.#agentId = some?.agentId;
    this.#from = some && phoneKey(some.from);
    this.#claims = new Claims(launched);
    this.#entries = new Entries(this.#claims.phones.length);
    this.#changed = new Marked(this.#claims.phones.length);
    this.#steps = Math.min(MOST_STEPS, Math.max(FEWEST_STEPS, steps / this.#claims.phones.length));
    this.#claimants = [
      ...launched.campaigns.map(({ span, attempts, retryDelay: delay, campaignId }) => {
        return { ...span, attempts, delay, doubt: campaignId === undefined ? DOUBT : 0 };
      }),
      ...launched.calls.map(({ span }) => ({ ...span, attempts: 1, delay: 0, doubt: 0 })),
    ];
    this.#tallies = launched.campaigns.map(({ contacts }) => newTally(contacts.phones.length, 'waiting'));
    this.#states = new Uint8Array(this.#claims.sources.length).fill(CONTACT_STATES.indexOf('waiting'));
    this.#isOver = launched.campaigns.map(() => false);
  }

  take(call: CallLogEntry): boolean {
    if (call.agent_id !== this.#agentId || !this.#isFromHere(call.call_from)) return false;
    const phone = this.#claims.placeOf(Number(phoneOf(call.called_to).slice(1)));
    if (phone === -1) return false;
    const mark = markOf(call);
    const standing = this.#entries.get(mark);
    if (standing !== undefined) this.#drop(standing);
    const { written, at } = this.#entries.put(mark, call, phone);
    this.#unclaimed += 1;
    this.#changed.add(phone);
    this.#hasTimesWithoutZone ||= written !== undefined;
    const shown = written ?? at;
    if (shown !== undefined) this.#sharpen(shown);
    return true;
  }

  seenAnew(): SeenTexts {
    return this.#entries.seenAnew();
  }

  /** A time that is told more precisely than all before it narrows what those may have been. */
  #sharpen(at: number): void {
    const { margin } = this.#precision;
    this.#precision.take(at);
    if (this.#precision.margin === margin) return;
    for (const { phone } of this.#entries) this.#changed.add(phone);
  }

  /** Almost all entries write the number in the same way. */
  #isFromHere(from: unknown): boolean {
    if (from === this.#spelling) return true;
    if (phoneOf(from) !== this.#from) return false;
    this.#spelling = from;
    return true;
  }

  /** Takes away an entry that is replaced by a newer version of itself. */
  #drop(entry: Entry): void {
    this.#count(entry, -1);
    this.#entries.remove(entry);
    this.#changed.add(entry.phone);
  }

  resolve(now: number): void {
    if (this.#hasTimesWithoutZone && this.#changed.size > 0) this.#findZone(now);
    for (const [place, campaign] of this.#campaigns.entries()) this.#endIfOver(place, campaign, now);
    if (this.#changed.size === 0) return;
    if (this.#claimants.length > this.#campaigns.length) this.#findEnds();
    for (const phone of this.#changed) this.#settle(phone);
    this.#changed.clear();
  }

  // One phone ---------------------------------------------------------------------------------------------------------

  /** Gives the entries of a phone to those who claim them. */
  #settle(phone: number): void {
    const entries = this.#entries.of(phone).sort(byTime);
    const { from, until } = this.#claims.of(phone);
    const sources = this.#claims.sources.subarray(from, until);
    const claimants = Array.from(sources, (source) => this.#claimants[source] as Claimant);
    const mayClaim = (claimant: number, index: number) => {
      const entry = entries[index] as Entry;
      return (
        this.#mayClaim(from + claimant, entry) &&
        (entry.written !== undefined || isWithin(entry, claimants[claimant], this.#precision.margin))
      );
    };
    // An identifier that is echoed tells the rows of one campaign apart.
    const areAlike = entries.every(({ echo }) => echo?.identifier === undefined);
    const kinds = Array.from(sources, (source, claimant) => (areAlike ? source : claimant));
    const widened = claimants.map((one) => this.#widened(one));
    // Readings look at them again and again.
    const attempted = entries.map(({ at, isCompleted }) => ({ at, isCompleted }));
    const expected = claimants.map((_one, claimant) => this.#claims.expectedOf(from + claimant));
    const whole = { entries: attempted, claimants: widened, expected, mayClaim, kinds, steps: this.#steps };
    const isEnded = (claimant: number, index: number) =>
      this.#isPast(sources[claimant] as number, entries[index] as Entry) && byCall.has(index);
    const byCall = this.#indexesOfCalls(entries, sources, mayClaim);
    const hasEnded =
      byCall.size > 0 && entries.some((_entry, index) => sources.some((_source, at) => isEnded(at, index)));
    const ended = hasEnded && {
      ...whole,
      mayClaim: (claimant: number, index: number) => !isEnded(claimant, index) && mayClaim(claimant, index),
    };
    const { owners, isAmbiguous } = ended ? readWithEnds(whole, ended) : read(whole);
    const counts = new Map<number, number>();
    for (const [index, entry] of entries.entries()) {
      const owner = owners[index] as number;
      const claim = owner === -1 ? -1 : from + owner;
      const attempt = (counts.get(claim) ?? 0) + 1;
      counts.set(claim, attempt);
      const isInDoubt =
        isAmbiguous[index] || this.#isDoubtful(entry, claimants[owner]) || this.#hasTwin(entry, entries, owners);
      this.#give(entry, { claim, attempt: claim === -1 ? 0 : attempt, isAmbiguous: isInDoubt });
    }
    for (let claim = from; claim < until; claim++) this.#updateState(claim, entries);
  }

  /** The entries that single calls may have made. */
  #indexesOfCalls(
    entries: readonly Entry[],
    sources: Uint32Array,
    mayClaim: (claimant: number, index: number) => boolean,
  ): Set<number> {
    const indexes = new Set<number>();
    for (const [claimant, source] of sources.entries()) {
      if (source < this.#campaigns.length) continue;
      const call = this.#widened(this.#claimants[source] as Claimant);
      for (const [index, entry] of entries.entries())
        if (isWithin(entry, call, 0) && mayClaim(claimant, index)) indexes.add(index);
    }
    return indexes;
  }

  #isPast(source: number, { at }: Entry): boolean {
    return at !== undefined && at > (this.#ends[source] ?? Number.POSITIVE_INFINITY);
  }

  /**
   * When campaigns ended, by what the log shows: one that nobody but a single call can have made a call for, for a day and as long as it
   * waits between two.
   */
  #findEnds(): void {
    const last = new Float64Array(this.#campaigns.length).fill(Number.NEGATIVE_INFINITY);
    let latest = Number.NEGATIVE_INFINITY;
    for (const { phone, at } of this.#entries) {
      if (at === undefined) continue;
      latest = Math.max(latest, at);
      for (const source of this.#campaignsAt(phone, at)) last[source] = Math.max(last[source] as number, at);
    }
    for (const [place, { retryDelay, callsPerHour }] of this.#campaigns.entries()) {
      const end = (last[place] as number) + DAY + retryDelay + (2 * HOUR) / callsPerHour;
      const known = end > latest || last[place] === Number.NEGATIVE_INFINITY ? Number.POSITIVE_INFINITY : end;
      if (known === (this.#ends[place] ?? Number.POSITIVE_INFINITY)) continue;
      this.#ends[place] = known;
      for (const claim of this.#claims.ofCampaigns[place] ?? []) this.#changed.add(this.#claims.phoneOf(claim));
    }
  }

  /** The campaigns that can have called a phone then; none if a single call can. */
  #campaignsAt(phone: number, at: number): number[] {
    const { from, until } = this.#claims.of(phone);
    const found: number[] = [];
    for (let claim = from; claim < until; claim++) {
      const source = this.#claims.sources[claim] as number;
      const { from: first, until: last } = this.#widened(this.#claimants[source] as Claimant);
      if (at < first || at > last) continue;
      if (source >= this.#campaigns.length) return [];
      found.push(source);
    }
    return found;
  }

  /** When calls can have been made in any zone in which the log may be written, as precisely as it tells. */
  #widened({ from, until, delay, attempts, doubt }: Claimant): Claimant {
    const { least, most, ahead } = this.#zone;
    const { margin } = this.#precision;
    return {
      attempts,
      from: from + least - ahead - margin,
      until: until + most - ahead + margin,
      delay: delay - margin,
      doubt,
    };
  }

  /** Whether the call was made too early or too late for the claimant in one of these zones, or if the log is precise after all. */
  #isDoubtful({ at, written }: Entry, claimant: Claimant | undefined): boolean {
    if (at === undefined || claimant === undefined) return false;
    const { least, most, ahead } = written === undefined ? UTC : this.#zone;
    return at - (most - ahead) < claimant.from || at - (least - ahead) > claimant.until;
  }

  /** Whether the times do not tell which of two attempts for one contact came first. */
  #hasTwin(entry: Entry, entries: readonly Entry[], owners: readonly number[]): boolean {
    if (this.#precision.margin === 0 || entry.isCompleted) return false;
    const owner = owners[entries.indexOf(entry)];
    const isTwin = (other: Entry, at: number) =>
      other !== entry && other.at === entry.at && !other.isCompleted && owners[at] === owner;
    return owner !== -1 && entries.some(isTwin);
  }

  /** Where the service echoes an identifier or a campaign's id, only whose it is can claim the entry. */
  #mayClaim(claim: number, { echo }: Entry): boolean {
    if (echo === undefined) return true;
    const { identifier, campaignId } = echo;
    if (campaignId !== undefined && campaignId !== this.#claims.campaignOf(claim)?.campaignId) return false;
    return identifier === undefined || this.#claims.identifierOf(claim)?.trim() === identifier;
  }

  #give(entry: Entry, given: Pick<Entry, 'claim' | 'attempt' | 'isAmbiguous'>): void {
    this.#count(entry, -1);
    Object.assign(entry, given);
    this.#count(entry, 1);
  }

  #count(entry: Entry, times: 1 | -1): void {
    if (entry.claim === -1) {
      this.#unclaimed += times;
      return;
    }
    const source = this.#claims.sources[entry.claim] as number;
    const tally = this.#tallies[source];
    if (tally === undefined) this.#ofCalls += times;
    else if (!countEntry(tally, entry, times)) this.#withoutEnds.add(source);
  }

  // States ------------------------------------------------------------------------------------------------------------

  #updateState(claim: number, sorted: readonly Entry[]): void {
    const source = this.#claims.sources[claim] as number;
    const tally = this.#tallies[source];
    if (tally === undefined) return;
    const own = sorted.filter((entry) => entry.claim === claim);
    const state = stateOf(own, this.#campaigns[source]?.attempts ?? 0, this.#isOver[source] === true);
    this.#setState(claim, tally, state);
  }

  #setState(claim: number, tally: Tally, state: ContactState): void {
    const before = CONTACT_STATES[this.#states[claim] as number] as ContactState;
    if (before === state) return;
    tally.states[before] -= 1;
    tally.states[state] += 1;
    this.#states[claim] = CONTACT_STATES.indexOf(state);
  }

  #endIfOver(place: number, campaign: LaunchedCampaign, now: number): void {
    const isOver = campaign.isOver === true || now > campaign.span.until;
    if (isOver === this.#isOver[place]) return;
    this.#isOver[place] = isOver;
    for (const claim of this.#claims.ofCampaigns[place] ?? []) {
      const phone = this.#claims.phoneOf(claim);
      this.#updateState(claim, this.#entries.of(phone).sort(byTime));
    }
  }

  // Times without a zone ----------------------------------------------------------------------------------------------

  #findZone(now: number): void {
    const before = this.#zone;
    const { margin } = this.#precision;
    this.#zone = zoneOfLog(writtenCalls(this.#entries, this.#claims, margin), now + margin);
    const { ahead, least, most } = this.#zone;
    const isSame = before.ahead === ahead && before.least === least && before.most === most;
    if (isSame) return;
    // They are counted by their hours.
    for (const entry of this.#entries) if (entry.written !== undefined) this.#count(entry, -1);
    this.#entries.ahead = ahead;
    for (const entry of this.#entries) {
      if (entry.written !== undefined) this.#count(entry, 1);
      // The times of all have changed.
      this.#changed.add(entry.phone);
    }
  }

  // What is known -----------------------------------------------------------------------------------------------------

  ownerOf(mark: string): Owner | undefined {
    const entry = this.#entries.get(mark);
    if (entry === undefined || entry.claim === -1) return undefined;
    const { attempt, isAmbiguous } = entry;
    const campaign = this.#claims.campaignOf(entry.claim);
    if (campaign !== undefined) {
      return {
        kind: 'campaign',
        key: campaign.key,
        row: this.#claims.rowOf(entry.claim),
        attempt,
        isAmbiguous,
      };
    }
    const call = this.#claims.callOf(entry.claim);
    return call && { kind: 'call', key: call.key, isAmbiguous };
  }

  timeOf(mark: string): number | undefined {
    return this.#entries.get(mark)?.at;
  }

  tallyOf(key: number): Tally {
    const place = this.#placeOf(key);
    const tally = this.#tallies[place] as Tally;
    if (this.#withoutEnds.delete(place)) {
      let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const { claim, at } of this.#entries) {
        if (claim === -1 || this.#claims.sources[claim] !== place || at === undefined) continue;
        first = Math.min(first, at);
        last = Math.max(last, at);
      }
      tally.firstCall = last < first ? undefined : first;
      tally.lastCall = last < first ? undefined : last;
    }
    // In an order that does not depend on the log's.
    tally.byStatus = Object.fromEntries(
      Object.entries(tally.byStatus).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
    return tally;
  }

  *outcomesOf(key: number): Generator<ContactOutcome> {
    for (const [row, claim] of (this.#claims.ofCampaigns[this.#placeOf(key)] ?? new Uint32Array()).entries()) {
      const calls = this.#entries.of(this.#claims.phoneOf(claim)).filter((entry) => entry.claim === claim);
      const state = CONTACT_STATES[this.#states[claim] as number] as ContactState;
      yield {
        row,
        state,
        calls: calls.sort(byTime).map(keptOf),
        isAmbiguous: calls.some(({ isAmbiguous }) => isAmbiguous),
      };
    }
  }

  #placeOf(key: number): number {
    const place = this.#campaigns.findIndex((campaign) => campaign.key === key);
    if (place === -1) throw new Error(`no campaign ${key} is attributed`);
    return place;
  }

  get unclaimed(): number {
    return this.#unclaimed;
  }

  get ofCalls(): number {
    return this.#ofCalls;
  }
}

/** A campaign that has ended claims no call that was also sent singly, unless another would be nobody's then. */
function readWithEnds(whole: Phone, ended: Phone): Reading {
  const claimedIn = ({ owners }: Reading) => owners.filter((owner) => owner !== -1).length;
  const reading = read(ended);
  if (claimedIn(reading) === whole.entries.length) return reading;
  const other = read(whole);
  return claimedIn(other) <= claimedIn(reading) ? reading : other;
}

function isWithin({ at }: Entry, claimant: Claimant | undefined, margin: number): boolean {
  return at === undefined || (claimant !== undefined && at >= claimant.from - margin && at <= claimant.until + margin);
}

/**
 * The oldest first; those whose time cannot be read come last. Of the same times, one that was completed is the later one, because
 * nothing follows it, and then the mark decides.
 */
function byTime(one: Entry, other: Entry): number {
  const [at, than] = [one.at ?? Number.POSITIVE_INFINITY, other.at ?? Number.POSITIVE_INFINITY];
  if (at !== than) return at < than ? -1 : 1;
  if (one.isCompleted !== other.isCompleted) return one.isCompleted ? 1 : -1;
  return one.mark < other.mark ? -1 : 1;
}

/**
 * The attribution of one agent's calls from one number. Phones that one contact or call alone can claim are settled by the rules,
 * each for itself. Those that several can claim are settled together, because what a campaign did elsewhere tells what it did
 * here: they are read up to three times, each time with the habits that the calls given so far show.
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
import { type Dial, Habits } from './habits.ts';
import type { LaunchedCampaign } from './launched.ts';
import { likelihoodOf } from './likelihood.ts';
import { Marked } from './marked.ts';
import { Precision } from './precision.ts';
import { type Claimant, type Phone, type Reading, readByLikelihood, readByRules } from './reading.ts';
import { CONTACT_STATES, type ContactState, stateOf } from './states.ts';
import { countEntry, newTally } from './tally.ts';
import { UTC, type ZoneFound, zoneOfLog } from './zone.ts';

/** How often phones with several claims are read, each time with what was learned the time before. */
const MOST_ROUNDS = 3;
/** The same once, where more phones than these have several claims. */
const FEW = 500;
/** Where they are more than these, those with too many readings are not read for habits: it takes seconds, and they stay ambiguous. */
const VERY_FEW = 50;
/** How much is tried for all phones together, and for one. */
const STEPS = 8_000_000;
const MOST_STEPS = 80_000;
const FEWEST_STEPS = 4_000;
/** Milliseconds: times are compared this exactly, or as exactly as the log tells them. */
const FINE = 30;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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
  /** Whether several may have called very many phones. */
  readonly #isLarge: boolean;
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
  /** Phones with an entry that several can claim, and those of them with so many readings that no habit helps. */
  readonly #contested = new Set<number>();
  readonly #unreadable = new Set<number>();
  /** Campaigns whose first or last call was given to somebody else. */
  readonly #withoutEnds = new Set<number>();
  /** By campaign, when it ended, where it did before its span; and the phones for which it seems to go on. */
  readonly #ends: number[] = [];
  readonly #goesOn = new Set<number>();
  #zone: ZoneFound = UTC;
  #hasTimesWithoutZone = false;
  #latest = Number.NEGATIVE_INFINITY;
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
    this.#isLarge = this.#claims.shared > FEW;
    this.#claimants = [
      ...launched.campaigns.map(({ span, attempts, retryDelay }) => ({ ...span, attempts, delay: retryDelay })),
      ...launched.calls.map(({ span }) => ({ ...span, attempts: 1, delay: 0 })),
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
    for (const phone of this.#changed) {
      for (const { at = this.#latest } of this.#entries.of(phone)) this.#latest = Math.max(this.#latest, at);
      this.#settle(phone, undefined);
      if (this.#entries.of(phone).some(({ isContested }) => isContested)) this.#contested.add(phone);
      else this.#contested.delete(phone);
    }
    this.#changed.clear();
    if (this.#contested.size > 0) this.#settleContested();
  }

  // Phones that several can claim -------------------------------------------------------------------------------------

  #settleContested(): void {
    const readable = [...this.#contested].filter(
      (phone) => this.#claims.shared <= VERY_FEW || !this.#unreadable.has(phone),
    );
    const phones = readable.sort((one, other) => one - other);
    // From the beginning, so that it does not matter in which portions the entries came.
    for (const phone of phones)
      for (const entry of this.#entries.of(phone)) this.#give(entry, { ...givenOf(entry), claim: -1 });
    const { step } = this.#precision;
    const grain = step > 1 ? step + FINE : FINE;
    const habits = this.#campaigns.map((campaign) => new Habits(campaign, grain));
    let unsettled = phones;
    const rounds = this.#isLarge ? 1 : MOST_ROUNDS;
    for (let round = 0; round < rounds && unsettled.length > 0; round++) {
      this.#learn(habits);
      // The first two rounds look at all; what did not change in the second stays.
      unsettled = (round < 2 ? phones : unsettled).filter((phone) => this.#settle(phone, habits));
    }
  }

  #learn(habits: readonly Habits[]): void {
    const dials = habits.map((): Dial[] => []);
    for (let phone = 0; phone < this.#claims.phones.length; phone++) {
      const last = new Map<number, number>();
      for (const { at, claim, attempt } of this.#entries.of(phone).sort(byTime)) {
        if (claim === -1 || at === undefined) continue;
        const campaign = this.#claims.campaignOf(claim);
        if (campaign === undefined) continue;
        const before = last.get(claim);
        const lag = before === undefined ? undefined : at - before - campaign.retryDelay;
        dials[this.#claims.sources[claim] as number]?.push({ at, row: this.#claims.rowOf(claim), attempt, lag });
        last.set(claim, at);
      }
    }
    for (const [place, own] of habits.entries()) own.learn(dials[place] ?? []);
  }

  // One phone ---------------------------------------------------------------------------------------------------------

  /** Gives the entries of a phone to those who claim them; true if anything has changed. */
  #settle(phone: number, habits: readonly Habits[] | undefined): boolean {
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
    const whole = { entries: attempted, claimants: widened, mayClaim, kinds, steps: this.#steps };
    const isEnded = (claimant: number, index: number) =>
      this.#isPast(sources[claimant] as number, entries[index] as Entry) && byCall.has(index);
    const byCall = this.#indexesOfCalls(entries, sources, mayClaim);
    const hasEnded =
      byCall.size > 0 && entries.some((_entry, index) => sources.some((_source, at) => isEnded(at, index)));
    const ended = hasEnded && {
      ...whole,
      mayClaim: (claimant: number, index: number) => !isEnded(claimant, index) && mayClaim(claimant, index),
    };
    const known = ended && !this.#goesOn.has(phone) ? ended : whole;
    for (const { at, claim } of entries) this.#habitsAt(habits, claim, (own) => at !== undefined && own.remove(at));
    const { owners, isAmbiguous, isCut } =
      habits === undefined
        ? this.#readByRules(phone, whole, ended || undefined)
        : {
            isCut: false,
            owners: readByLikelihood(
              known,
              likelihoodOf(attempted, from, { claims: this.#claims, habits, latest: this.#latest }),
              entries.map(({ byRules }) => (byRules === -1 ? -1 : byRules - from)),
            ),
            isAmbiguous: entries.map(({ isContested }) => isContested),
          };

    if (isCut) this.#unreadable.add(phone);
    else if (habits === undefined) this.#unreadable.delete(phone);
    const hasContested = isAmbiguous.includes(true);
    const counts = new Map<number, number>();
    let hasChanged = false;
    for (const [index, entry] of entries.entries()) {
      const owner = owners[index] as number;
      const claim = owner === -1 ? -1 : from + owner;
      const attempt = (counts.get(claim) ?? 0) + 1;
      counts.set(claim, attempt);
      hasChanged ||= entry.claim !== claim;
      const isContested = isAmbiguous[index] === true;
      if (habits === undefined && hasContested) entry.byRules = claim;
      this.#give(entry, {
        claim,
        attempt: claim === -1 ? 0 : attempt,
        isContested,
        isAmbiguous: isContested || this.#isDoubtful(entry, claimants[owner]) || this.#hasTwin(entry, entries, owners),
      });
      this.#habitsAt(habits, claim, (own) => entry.at !== undefined && own.add(entry.at));
    }
    for (let claim = from; claim < until; claim++) this.#updateState(claim, entries);
    return hasChanged;
  }

  /** A campaign that has ended claims no call that was also sent singly, unless another would be nobody's then. */
  #readByRules(phone: number, whole: Phone, ended: Phone | undefined): Reading {
    this.#goesOn.delete(phone);
    if (ended === undefined) return readByRules(whole);
    const claimedIn = ({ owners }: Reading) => owners.filter((owner) => owner !== -1).length;
    const reading = readByRules(ended);
    if (claimedIn(reading) === whole.entries.length) return reading;
    const other = readByRules(whole);
    if (claimedIn(other) <= claimedIn(reading)) return reading;
    this.#goesOn.add(phone);
    return other;
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
  #widened({ from, until, delay, attempts }: Claimant): Claimant {
    const { least, most, ahead } = this.#zone;
    const { margin } = this.#precision;
    return {
      attempts,
      from: from + least - ahead - margin,
      until: until + most - ahead + margin,
      delay: delay - margin,
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

  #habitsAt(habits: readonly Habits[] | undefined, claim: number, act: (own: Habits) => void): void {
    const own = claim === -1 ? undefined : habits?.[this.#claims.sources[claim] as number];
    if (own !== undefined) act(own);
  }

  /** Where the service echoes an identifier or a campaign's id, only whose it is can claim the entry. */
  #mayClaim(claim: number, { echo }: Entry): boolean {
    if (echo === undefined) return true;
    const { identifier, campaignId } = echo;
    if (campaignId !== undefined && campaignId !== this.#claims.campaignOf(claim)?.campaignId) return false;
    return identifier === undefined || this.#claims.identifierOf(claim)?.trim() === identifier;
  }

  #give(entry: Entry, { claim, attempt, isAmbiguous, isContested }: Given): void {
    this.#count(entry, -1);
    Object.assign(entry, { claim, attempt, isAmbiguous, isContested });
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
    if (!isSame) this.#latest = Number.NEGATIVE_INFINITY;
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

type Given = Pick<Entry, 'claim' | 'attempt' | 'isAmbiguous' | 'isContested'>;

function givenOf({ claim, attempt, isAmbiguous, isContested }: Entry): Given {
  return { claim, attempt, isAmbiguous, isContested };
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

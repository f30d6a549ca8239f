/**
 * The attribution of one agent's calls from one number. Phones that one contact or call alone can claim are settled by the rules,
 * each for itself. Those that several can claim are settled together, because what a campaign did elsewhere tells what it did
 * here: they are read up to three times, each time with the habits that the calls given so far show.
 */
import type { CallLogEntry } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { phoneOf } from '../select.ts';
import type { Attribution, ContactOutcome, Launched, Owner, Tally } from './attribution.ts';
import { Claims } from './claims.ts';
import { type Entry, entryOf, keptOf } from './entry.ts';
import { writtenCalls } from './expectations.ts';
import { type Dial, Habits } from './habits.ts';
import type { LaunchedCampaign } from './launched.ts';
import { likelihoodOf } from './likelihood.ts';
import { type Claimant, readByLikelihood, readByRules } from './reading.ts';
import { CONTACT_STATES, type ContactState, stateOf } from './states.ts';
import { countEntry, newTally } from './tally.ts';
import { UTC, type ZoneFound, zoneOfLog } from './zone.ts';

/** How often phones with several claims are read, each time with what was learned the time before. */
const MOST_ROUNDS = 3;
/** Milliseconds: times are compared this exactly, or to the second where the service rounds to it. */
const FINE = 30;
const SECOND = 1_000;
/** Different labels that are kept only once. */
const MOST_TEXTS = 1_000;

export function attribute(launched: Launched): Attribution {
  return new Matcher(launched);
}

class Matcher implements Attribution {
  readonly #campaigns: readonly LaunchedCampaign[];
  readonly #agentId: number | undefined;
  readonly #from: string | undefined;
  readonly #claims: Claims;
  readonly #claimants: readonly Claimant[];
  readonly #tallies: Tally[];
  /** By claim, the index of its state in CONTACT_STATES. */
  readonly #states: Uint8Array;
  readonly #isOver: boolean[];
  /** How the last entry of it wrote the number that calls. */
  #spelling: unknown;
  readonly #texts = new Map<string, string>();
  readonly #entries = new Map<string, Entry>();
  /** By phone, the first of its entries. */
  readonly #first: (Entry | undefined)[] = [];
  /** Phones whose entries have changed. */
  readonly #changed = new Set<number>();
  /** Phones with an entry that several can claim. */
  readonly #contested = new Set<number>();
  /** Campaigns whose first or last call was given to somebody else. */
  readonly #withoutEnds = new Set<number>();
  #zone: ZoneFound = UTC;
  #hasTimesWithoutZone = false;
  #latest = Number.NEGATIVE_INFINITY;
  #isRounded = true;
  #unclaimed = 0;
  #ofCalls = 0;

  constructor(launched: Launched) {
    this.#campaigns = launched.campaigns;
    const [some] = [...launched.campaigns, ...launched.calls];
    this.#agentId = some?.agentId;
    this.#from = some && phoneKey(some.from);
    this.#claims = new Claims(launched);
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
    const entry = entryOf(call, phone, (text) => this.#only(text));
    const standing = this.#entries.get(entry.mark);
    if (standing !== undefined) this.#drop(standing);
    this.#entries.set(entry.mark, entry);
    entry.next = this.#first[phone];
    this.#first[phone] = entry;
    this.#unclaimed += 1;
    this.#changed.add(phone);
    this.#hasTimesWithoutZone ||= entry.written !== undefined;
    if (entry.at !== undefined && entry.at % SECOND !== 0) this.#isRounded = false;
    return true;
  }

  /** Almost all entries write the number in the same way. */
  #isFromHere(from: unknown): boolean {
    if (from === this.#spelling) return true;
    if (phoneOf(from) !== this.#from) return false;
    this.#spelling = from;
    return true;
  }

  #only(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < MOST_TEXTS) this.#texts.set(text, text);
    return text;
  }

  /** Takes away an entry that is replaced by a newer version of itself. */
  #drop(entry: Entry): void {
    this.#count(entry, -1);
    let before = this.#first[entry.phone];
    if (before === entry) this.#first[entry.phone] = entry.next;
    while (before !== undefined && before.next !== entry) before = before.next;
    if (before !== undefined) before.next = entry.next;
    this.#changed.add(entry.phone);
  }

  resolve(now: number): void {
    if (this.#hasTimesWithoutZone && this.#changed.size > 0) this.#findZone(now);
    for (const [place, campaign] of this.#campaigns.entries()) this.#endIfOver(place, campaign, now);
    if (this.#changed.size === 0) return;
    for (const phone of this.#changed) {
      for (const { at = this.#latest } of this.#entriesOf(phone)) this.#latest = Math.max(this.#latest, at);
      this.#settle(phone, undefined);
      if (this.#entriesOf(phone).some(({ isContested }) => isContested)) this.#contested.add(phone);
      else this.#contested.delete(phone);
    }
    this.#changed.clear();
    if (this.#contested.size > 0) this.#settleContested();
  }

  // Phones that several can claim -------------------------------------------------------------------------------------

  #settleContested(): void {
    const phones = [...this.#contested].sort((one, other) => one - other);
    // From the beginning, so that it does not matter in which portions the entries came.
    for (const phone of phones) for (const entry of this.#entriesOf(phone)) this.#give(entry, { ...entry, claim: -1 });
    const grain = this.#isRounded ? SECOND + FINE : FINE;
    const habits = this.#campaigns.map((campaign) => new Habits(campaign, grain));
    let unsettled = phones;
    for (let round = 0; round < MOST_ROUNDS && unsettled.length > 0; round++) {
      this.#learn(habits);
      // The first two rounds look at all; what did not change in the second stays.
      unsettled = (round < 2 ? phones : unsettled).filter((phone) => this.#settle(phone, habits));
    }
  }

  #learn(habits: readonly Habits[]): void {
    const dials = habits.map((): Dial[] => []);
    for (const first of this.#first) {
      const last = new Map<number, number>();
      for (const { at, claim, attempt } of chain(first).sort(byTime)) {
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
    const entries = this.#entriesOf(phone).sort(byTime);
    const { from, until } = this.#claims.of(phone);
    const sources = this.#claims.sources.subarray(from, until);
    const claimants = Array.from(sources, (source) => this.#claimants[source] as Claimant);
    const mayClaim = (claimant: number, index: number) => {
      const entry = entries[index] as Entry;
      return (
        this.#mayClaim(from + claimant, entry) && (entry.written !== undefined || isWithin(entry, claimants[claimant]))
      );
    };
    // An identifier that is echoed tells the rows of one campaign apart.
    const areAlike = entries.every(({ echo }) => echo?.identifier === undefined);
    const kinds = Array.from(sources, (source, claimant) => (areAlike ? source : claimant));
    const known = { entries, claimants: claimants.map((one) => this.#widened(one)), mayClaim, kinds };
    for (const { at, claim } of entries) this.#habitsAt(habits, claim, (own) => at !== undefined && own.remove(at));
    const { owners, isAmbiguous } =
      habits === undefined
        ? readByRules(known)
        : {
            owners: readByLikelihood(
              known,
              likelihoodOf(entries, from, { claims: this.#claims, habits, latest: this.#latest }),
              entries.map(({ byRules }) => (byRules === -1 ? -1 : byRules - from)),
            ),
            isAmbiguous: entries.map(({ isContested }) => isContested),
          };

    const counts = new Map<number, number>();
    let hasChanged = false;
    for (const [index, entry] of entries.entries()) {
      const owner = owners[index] as number;
      const claim = owner === -1 ? -1 : from + owner;
      const attempt = (counts.get(claim) ?? 0) + 1;
      counts.set(claim, attempt);
      hasChanged ||= entry.claim !== claim;
      const isContested = isAmbiguous[index] === true;
      if (habits === undefined) entry.byRules = claim;
      this.#give(entry, {
        claim,
        attempt,
        isContested,
        isAmbiguous: isContested || this.#isDoubtful(entry, claimants[owner]),
      });
      this.#habitsAt(habits, claim, (own) => entry.at !== undefined && own.add(entry.at));
    }
    for (let claim = from; claim < until; claim++) this.#updateState(claim, entries);
    return hasChanged;
  }

  /** When calls can have been made in any zone in which the log may be written. */
  #widened({ from, until, ...claimant }: Claimant): Claimant {
    return {
      ...claimant,
      from: from + this.#zone.least - this.#zone.ahead,
      until: until + this.#zone.most - this.#zone.ahead,
    };
  }

  /** Whether the call was made too early or too late for the claimant in one of these zones. */
  #isDoubtful({ at, written }: Entry, claimant: Claimant | undefined): boolean {
    const { least, most, ahead } = this.#zone;
    if (written === undefined || least === most || at === undefined || claimant === undefined) return false;
    return at - (most - ahead) < claimant.from || at - (least - ahead) > claimant.until;
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
      this.#updateState(claim, this.#entriesOf(phone).sort(byTime));
    }
  }

  // Times without a zone ----------------------------------------------------------------------------------------------

  #findZone(now: number): void {
    const before = this.#zone;
    this.#zone = zoneOfLog(writtenCalls(this.#entries.values(), this.#claims), now);
    const { ahead, least, most } = this.#zone;
    const isSame = before.ahead === ahead && before.least === least && before.most === most;
    if (!isSame) this.#latest = Number.NEGATIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.written !== undefined) {
        // It is counted by its hour.
        this.#count(entry, -1);
        entry.at = entry.written - ahead;
        this.#count(entry, 1);
      }
      // The times of all have changed.
      if (!isSame) this.#changed.add(entry.phone);
    }
  }

  // What is known -----------------------------------------------------------------------------------------------------

  #entriesOf(phone: number): Entry[] {
    return chain(this.#first[phone]);
  }

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
      for (const { claim, at } of this.#entries.values()) {
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
      const calls = this.#entriesOf(this.#claims.phoneOf(claim)).filter((entry) => entry.claim === claim);
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

function chain(first: Entry | undefined): Entry[] {
  const entries: Entry[] = [];
  for (let entry = first; entry !== undefined; entry = entry.next) entries.push(entry);
  return entries;
}

function isWithin({ at }: Entry, claimant: Claimant | undefined): boolean {
  return at === undefined || (claimant !== undefined && at >= claimant.from && at <= claimant.until);
}

/** The oldest first; those whose time cannot be read come last, and the mark decides between the same times. */
function byTime(one: Entry, other: Entry): number {
  const [at, than] = [one.at ?? Number.POSITIVE_INFINITY, other.at ?? Number.POSITIVE_INFINITY];
  if (at !== than) return at < than ? -1 : 1;
  return one.mark < other.mark ? -1 : 1;
}

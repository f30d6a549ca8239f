/**
 * Which entries of the call log are of which party, contact and attempt: for the calls of one agent from one number. Each phone is
 * attributed for itself: what a campaign did elsewhere tells only in which zone the log is, how precise its times are, and whether the
 * campaign has ended.
 */
import { markOf } from '../../calls/paging/identity.ts';
import { phoneOf } from '../../calls/select.ts';
import { type CallLogEntry, CONTACT_STATES, type ContactState } from '../../contract.ts';
import type { SeenTexts } from '../../text/seen-texts.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../text/units.ts';
import { Claims } from './claims.ts';
import { type Echo, Entries, type Entry, type KeptCall } from './entries.ts';
import type { Party } from './party.ts';
import { type Claimant, type Phone, type Reading, read } from './reading.ts';
import { stateOf } from './states.ts';
import { countEntry, newTally, type Tally } from './tally.ts';
import { UTC, type ZoneFound, zoneOfLog } from './zone.ts';

/** Whose an entry is. */
export interface Owner<P extends Party = Party> {
  party: P;
  /** The contact's row in its campaign, from 0. */
  row: number;
  /** From 1. */
  attempt: number;
  /** Whether another party or contact could have made the call as well. */
  isAmbiguous: boolean;
}

/** What came of one contact. */
export interface ContactOutcome {
  row: number;
  state: ContactState;
  /** The entries of its attempts, the oldest first. */
  calls: readonly KeptCall[];
  isAmbiguous: boolean;
}

/** How much is tried for all phones together, and for one. */
const STEPS = 8_000_000;
const MOST_STEPS = 80_000;
const FEWEST_STEPS = 4_000;
/** More than anything that exists is away from its calls. */
const DOUBT = 1_000 * DAY;
/** Milliseconds to which a service may round the times of its log, the coarsest first. */
const PRECISIONS = [5 * MINUTE, MINUTE, SECOND, 1];

/** A party, and what is known of it. */
interface Standing<P extends Party> {
  party: P;
  claimant: Claimant;
  /** By contact. */
  claims: Uint32Array;
  /** Of a campaign. */
  tally: Tally | undefined;
  /** Whether its first or last call was given to somebody else. */
  hasLostEnd: boolean;
  isOver: boolean;
  /** When a campaign ended, if it did before its span. */
  end: number;
}

/**
 * Takes entries of the log in any order, again when they change, and says whose they are. What it says depends on the entries alone, not on
 * their order.
 */
export class Attribution<P extends Party = Party> {
  readonly #parties: readonly Standing<P>[];
  readonly #standings: ReadonlyMap<Party, Standing<P>>;
  readonly #hasCalls: boolean;
  readonly #agentId: number | undefined;
  readonly #from: string | undefined;
  readonly #claims: Claims;
  /** For each phone. */
  readonly #steps: number;
  /** By claim, the index of its state in CONTACT_STATES. */
  readonly #states: Uint8Array;
  /** How the last entry of it wrote the number that calls. */
  #spelling: unknown;
  readonly #entries: Entries;
  /** For each phone, whether its entries have changed; and whether any have. */
  readonly #isChanged: Uint8Array;
  #hasChanged = false;
  #zone: ZoneFound = UTC;
  #hasTimesWithoutZone = false;
  /** Milliseconds: the coarsest precision with which all times so far can have been told. */
  #precision = PRECISIONS[0] as number;

  /** In all, about `steps` readings of a call are tried: where there are more, the calls that several may have made are ambiguous. */
  constructor(parties: readonly P[], steps = STEPS) {
    // Of equal claims that of a single call counts, then that of the latest campaign.
    const calls = parties.filter(({ isSingleCall }) => isSingleCall).toReversed();
    const ranked = [...calls, ...parties.filter(({ isSingleCall }) => !isSingleCall).toReversed()];
    this.#hasCalls = calls.length > 0;
    this.#agentId = parties[0]?.agentId;
    this.#from = parties[0]?.from;
    this.#claims = new Claims(ranked);
    this.#parties = ranked.map((party, place) => standingOf(party, this.#claims.ofParties[place] as Uint32Array));
    this.#standings = new Map(this.#parties.map((standing) => [standing.party, standing]));
    const phones = this.#claims.phones.length;
    this.#entries = new Entries(phones);
    this.#isChanged = new Uint8Array(phones);
    this.#steps = Math.min(MOST_STEPS, Math.max(FEWEST_STEPS, steps / phones));
    this.#states = new Uint8Array(this.#claims.sources.length).fill(CONTACT_STATES.indexOf('waiting'));
  }

  /** False if the entry is of another agent or number, or to nobody who was called. One with a known mark replaces the earlier. */
  take(call: CallLogEntry): boolean {
    if (call.agent_id !== this.#agentId || !this.#isFromHere(call.call_from)) return false;
    const phone = this.#claims.placeOf(Number(phoneOf(call.called_to).slice(1)));
    if (phone === -1) return false;
    const mark = markOf(call);
    const standing = this.#entries.get(mark);
    if (standing !== undefined) this.#drop(standing);
    const { written, at } = this.#entries.put(mark, call, phone);
    this.#change(phone);
    this.#hasTimesWithoutZone ||= written !== undefined;
    const shown = written ?? at;
    if (shown !== undefined) this.#sharpen(shown);
    return true;
  }

  /** Nothing yet: for a reading of the log, which remembers in it what it has shown. It shares the memory for the marks. */
  seenAnew(): SeenTexts {
    return this.#entries.seenAnew();
  }

  #change(phone: number): void {
    this.#isChanged[phone] = 1;
    this.#hasChanged = true;
  }

  /** A time that is told more precisely than all before it narrows what those may have been. */
  #sharpen(at: number): void {
    const margin = this.#margin;
    while (at % this.#precision !== 0) this.#precision = PRECISIONS.find((step) => step < this.#precision) ?? 1;
    if (this.#margin !== margin) for (const { phone } of this.#entries) this.#change(phone);
  }

  /** Milliseconds by which a call may have been made earlier or later than is shown: a second more or less is within every span. */
  get #margin(): number {
    return this.#precision > SECOND ? this.#precision : 0;
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
    this.#change(entry.phone);
  }

  /** Works out whose the entries are. `now`, by the service's clock, decides what is over. */
  resolve(now: number): void {
    if (this.#hasTimesWithoutZone && this.#hasChanged) this.#findZone(now);
    for (const standing of this.#parties) this.#endIfOver(standing, now);
    if (!this.#hasChanged) return;
    if (this.#hasCalls) this.#findEnds();
    for (let phone = this.#isChanged.indexOf(1); phone !== -1; phone = this.#isChanged.indexOf(1, phone + 1))
      this.#attribute(phone);
    this.#isChanged.fill(0);
    this.#hasChanged = false;
  }

  // One phone ---------------------------------------------------------------------------------------------------------

  /** Gives the entries of a phone to those who claim them. */
  #attribute(phone: number): void {
    const entries = this.#entries.of(phone).sort(byTime);
    const { from, until } = this.#claims.of(phone);
    const sources = this.#claims.sources.subarray(from, until);
    const parties = Array.from(sources, (source) => this.#parties[source] as Standing<P>);
    const echoes = entries.map(({ echo }) => echo);
    const mayClaim = (claimant: number, index: number) => {
      const entry = entries[index] as Entry;
      return (
        this.#mayClaim(from + claimant, echoes[index]) &&
        (entry.written !== undefined || isWithin(entry, parties[claimant]?.claimant, this.#margin))
      );
    };
    // An identifier that is echoed tells the rows of one campaign apart.
    const areAlike = echoes.every((echo) => !echo?.identifier);
    const claimants = parties.map(({ claimant }) => this.#widened(claimant));
    const whole: Phone = {
      // Readings look at them again and again.
      entries: entries.map(({ at, label: { isCompleted } }) => ({ at, isCompleted })),
      claimants,
      mayClaim,
      steps: this.#steps,
      expected: claimants.map((_one, claimant) => this.#claims.expectedOf(from + claimant)),
      kinds: Array.from(sources, (source, claimant) => (areAlike ? source : claimant)),
    };
    const isOfCall = (entry: Entry, index: number) =>
      parties.some(({ party }, at) => party.isSingleCall && isWithin(entry, claimants[at], 0) && mayClaim(at, index));
    const ofCalls = this.#hasCalls ? entries.map(isOfCall) : [];
    const hasEnded = (claimant: number, index: number) =>
      ofCalls[index] === true && (entries[index]?.at ?? 0) > (parties[claimant] as Standing<P>).end;
    const { owners, isAmbiguous } = ofCalls.includes(true) ? readWithEnds(whole, hasEnded) : read(whole);
    const counts = new Map<number, number>();
    for (const [index, entry] of entries.entries()) {
      const owner = owners[index] as number;
      const claim = owner === -1 ? -1 : from + owner;
      const attempt = (counts.get(claim) ?? 0) + 1;
      counts.set(claim, attempt);
      const isInDoubt =
        isAmbiguous[index] ||
        this.#isDoubtful(entry, parties[owner]?.claimant) ||
        this.#hasTwin(entry, entries, owners);
      this.#count(entry, -1);
      entry.give({ claim, attempt: claim === -1 ? 0 : attempt, isAmbiguous: isInDoubt });
      this.#count(entry, 1);
    }
    for (let claim = from; claim < until; claim++) this.#updateState(claim, entries);
  }

  /**
   * When campaigns ended, by what the log shows: one that nobody but a single call can have made a call for, for a day and as long as it
   * waits between two.
   */
  #findEnds(): void {
    const last = new Map<Standing<P>, number>();
    let latest = Number.NEGATIVE_INFINITY;
    for (const { phone, at } of this.#entries) {
      if (at === undefined) continue;
      latest = Math.max(latest, at);
      for (const one of this.#campaignsAt(phone, at)) last.set(one, Math.max(last.get(one) ?? at, at));
    }
    for (const standing of this.#parties) {
      const { party, claims, end } = standing;
      const quiet = (last.get(standing) ?? Number.POSITIVE_INFINITY) + DAY + party.retryDelay;
      const ended = quiet + (2 * HOUR) / party.callsPerHour;
      standing.end = ended > latest ? Number.POSITIVE_INFINITY : ended;
      if (standing.end !== end) for (const claim of claims) this.#change(this.#claims.phoneOf(claim));
    }
  }

  /** The campaigns that can have called a phone then; none if a single call can. */
  #campaignsAt(phone: number, at: number): Standing<P>[] {
    const { from, until } = this.#claims.of(phone);
    const found: Standing<P>[] = [];
    for (let claim = from; claim < until; claim++) {
      const standing = this.#parties[this.#claims.sources[claim] as number] as Standing<P>;
      const { from: first, until: last } = this.#widened(standing.claimant);
      if (at < first || at > last) continue;
      if (standing.party.isSingleCall) return [];
      found.push(standing);
    }
    return found;
  }

  /** When calls can have been made in any zone in which the log may be written, as precisely as it tells. */
  #widened({ from, until, delay, attempts, doubt }: Claimant): Claimant {
    const { least, most, ahead } = this.#zone;
    const margin = this.#margin;
    // Written out, because it is made for every phone.
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
    if (this.#margin === 0 || entry.label.isCompleted) return false;
    const owner = owners[entries.indexOf(entry)];
    const isTwin = (other: Entry, at: number) =>
      other !== entry && other.at === entry.at && !other.label.isCompleted && owners[at] === owner;
    return owner !== -1 && entries.some(isTwin);
  }

  /** Where the service echoes an identifier or a campaign's id, only whose it is can claim the entry. */
  #mayClaim(claim: number, echo: Echo | undefined): boolean {
    if (echo === undefined) return true;
    const { identifier, campaignId } = echo;
    if (campaignId !== null && campaignId !== this.#claims.partyOf(claim).campaignId) return false;
    return identifier === null || this.#claims.identifierOf(claim)?.trim() === identifier;
  }

  #count(entry: Entry, times: 1 | -1): void {
    const standing = this.#standingOf(entry.claim);
    if (standing?.tally !== undefined && !countEntry(standing.tally, entry, times)) standing.hasLostEnd = true;
  }

  #standingOf(claim: number): Standing<P> | undefined {
    return this.#parties[this.#claims.sources[claim] as number];
  }

  // States ------------------------------------------------------------------------------------------------------------

  #updateState(claim: number, sorted: readonly Entry[]): void {
    const { tally, party, isOver } = this.#standingOf(claim) as Standing<P>;
    if (tally === undefined) return;
    const own = sorted.filter((entry) => entry.claim === claim).map(({ label }) => label);
    const state = stateOf(own, party.attempts, isOver);
    const before = this.#stateOf(claim);
    if (before === state) return;
    tally.states[before] -= 1;
    tally.states[state] += 1;
    this.#states[claim] = CONTACT_STATES.indexOf(state);
  }

  #stateOf(claim: number): ContactState {
    return CONTACT_STATES[this.#states[claim] as number] as ContactState;
  }

  #endIfOver(standing: Standing<P>, now: number): void {
    const isOver = standing.party.isOver === true || now > standing.party.span.until;
    if (isOver === standing.isOver) return;
    standing.isOver = isOver;
    for (const claim of standing.claims)
      this.#updateState(claim, this.#entries.of(this.#claims.phoneOf(claim)).sort(byTime));
  }

  // Times without a zone ----------------------------------------------------------------------------------------------

  #findZone(now: number): void {
    const before = this.#zone;
    this.#zone = zoneOfLog(this.#entries, this.#claims, this.#margin, now + this.#margin);
    const { ahead, least, most } = this.#zone;
    const isSame = before.ahead === ahead && before.least === least && before.most === most;
    if (isSame) return;
    // They are counted by their hours.
    for (const entry of this.#entries) if (entry.written !== undefined) this.#count(entry, -1);
    this.#entries.ahead = ahead;
    for (const entry of this.#entries) {
      if (entry.written !== undefined) this.#count(entry, 1);
      // The times of all have changed.
      this.#change(entry.phone);
    }
  }

  // What is known -----------------------------------------------------------------------------------------------------

  ownerOf(mark: string): Owner<P> | undefined {
    const entry = this.#entries.get(mark);
    const standing = entry && this.#standingOf(entry.claim);
    if (entry === undefined || standing === undefined) return undefined;
    const { claim, attempt, isAmbiguous } = entry;
    return { party: standing.party, row: this.#claims.rowOf(claim), attempt, isAmbiguous };
  }

  /** When an entry was made, in milliseconds since the epoch, by what is known of the log's zone; undefined if nobody can tell. */
  timeOf(mark: string): number | undefined {
    return this.#entries.get(mark)?.at;
  }

  tallyOf(campaign: P): Tally {
    const standing = this.#known(campaign);
    const tally = standing.tally as Tally;
    if (standing.hasLostEnd) {
      standing.hasLostEnd = false;
      let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const { claim, at } of this.#entries) {
        if (this.#standingOf(claim) !== standing || at === undefined) continue;
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

  /** Each contact of a campaign, in the order of sending. */
  *outcomesOf(campaign: P): Generator<ContactOutcome> {
    for (const claim of this.#known(campaign).claims) {
      const calls = this.#entries.of(this.#claims.phoneOf(claim)).filter((entry) => entry.claim === claim);
      yield {
        row: this.#claims.rowOf(claim),
        state: this.#stateOf(claim),
        calls: calls.sort(byTime).map(({ kept }) => kept),
        isAmbiguous: calls.some(({ isAmbiguous }) => isAmbiguous),
      };
    }
  }

  #known(party: P): Standing<P> {
    const standing = this.#standings.get(party);
    if (standing === undefined) throw new Error('calls of another party are attributed');
    return standing;
  }
}

function standingOf<P extends Party>(party: P, claims: Uint32Array): Standing<P> {
  const { isSingleCall, span, attempts, retryDelay, campaignId, contacts } = party;
  const doubt = isSingleCall || campaignId !== undefined ? 0 : DOUBT;
  return {
    ...{ party, claims, claimant: { ...span, attempts, delay: retryDelay, doubt } },
    tally: isSingleCall ? undefined : newTally(contacts.phones.length),
    ...{ hasLostEnd: false, isOver: false, end: Number.POSITIVE_INFINITY },
  };
}

/** A campaign that has ended claims no call that was also sent singly, unless another would be nobody's then. */
function readWithEnds(whole: Phone, hasEnded: (claimant: number, entry: number) => boolean): Reading {
  if (!whole.entries.some((_entry, at) => whole.claimants.some((_one, claimant) => hasEnded(claimant, at))))
    return read(whole);
  const claimedIn = ({ owners }: Reading) => owners.filter((owner) => owner !== -1).length;
  const mayClaim = (claimant: number, at: number) => !hasEnded(claimant, at) && whole.mayClaim(claimant, at);
  const reading = read({ ...whole, mayClaim });
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
  const [isCompleted, wasCompleted] = [one.label.isCompleted, other.label.isCompleted];
  if (isCompleted !== wasCompleted) return isCompleted ? 1 : -1;
  return one.mark < other.mark ? -1 : 1;
}

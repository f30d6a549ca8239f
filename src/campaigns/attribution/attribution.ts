/**
 * Which entries of the call log are of which party, contact and attempt: for the calls of one agent from one number. Each phone is
 * attributed for itself: what a campaign did elsewhere tells only in which zone the log is, and how precise its times are.
 */
import { markOf } from '../../calls/paging/identity.ts';
import { phoneOf } from '../../calls/select.ts';
import type { CallLogEntry, ContactState } from '../../contract.ts';
import type { SeenTexts } from '../../text/text-index.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../text/units.ts';
import { Claims } from './claims.ts';
import { Entries, type Entry, type KeptCall } from './entries.ts';
import type { Party } from './party.ts';
import { type Claimant, read } from './reading.ts';
import { copyOf, countContact, type LiveTally, newTally, stateOf, type Tally } from './tally.ts';
import { UTC, type ZoneFound, zoneOfLog } from './zone.ts';

/** Whose an entry is. */
export interface Owner<P extends Party = Party> {
  party: P;
  /** The contact's row in its campaign, from 0. */
  row: number;
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

export interface RecentCall extends Pick<KeptCall, 'callId' | 'status' | 'outcome'> {
  /** Milliseconds since the epoch. */
  at: number;
  number: string;
  /** Seconds; undefined if unknown. */
  duration: number | undefined;
}

export interface Recently {
  /** The latest first. */
  last: RecentCall[];
  /** How many were made in the last hour. */
  inLastHour: number;
  /** How many the service may still complete. */
  open: number;
}

/** Milliseconds for which what is not settled is waited for: some services never add the rest. */
const PATIENCE = HOUR / 4;
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
  isOver: boolean;
  /** From when it was first asked for, without the contacts whose entries are about to change. */
  tally: LiveTally | undefined;
  /** The same of the latest entries: by their places all that were made after `since`, which is in milliseconds since the epoch. */
  latest: { entries: Map<number, Entry>; since: number } | undefined;
}

/**
 * Takes entries of the log in any order, again when they change, and says whose they are. What it says depends on the entries
 * alone, not on their order.
 */
export class Attribution<P extends Party = Party> {
  readonly #parties: readonly Standing<P>[];
  readonly #agentId: number | undefined;
  readonly #from: string | undefined;
  readonly #claims: Claims;
  /** For each phone. */
  readonly #steps: number;
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

  /**
   * In all, about `steps` readings of a call are tried: where there are more, the calls that several may have made are ambiguous.
   */
  constructor(parties: readonly P[], steps = STEPS) {
    // Of equal claims that of a single call counts, then that of the latest campaign.
    const rankOf = ({ isSingleCall }: P) => (isSingleCall ? 0 : 1);
    const ranked = parties.toReversed().sort((one, other) => rankOf(one) - rankOf(other));
    this.#agentId = parties[0]?.agentId;
    this.#from = parties[0]?.from;
    this.#claims = new Claims(ranked);
    this.#parties = ranked.map((party, place) => {
      const { isSingleCall, span, attempts, retryDelay: delay, campaignId } = party;
      const doubt = isSingleCall || campaignId !== undefined ? 0 : DOUBT;
      const claims = this.#claims.ofParties[place] as Uint32Array;
      const claimant = { ...span, attempts, delay, doubt };
      return { party, claims, claimant, isOver: false, tally: undefined, latest: undefined };
    });
    const phones = this.#claims.phones.length;
    this.#entries = new Entries(phones);
    this.#isChanged = new Uint8Array(phones);
    this.#steps = Math.min(MOST_STEPS, Math.max(FEWEST_STEPS, steps / phones));
  }

  /** False if the entry is of another agent or number, or to nobody who was called. One with a known mark replaces the earlier. */
  take(call: CallLogEntry): boolean {
    if (call.agent_id !== this.#agentId || !this.#isFromHere(call.call_from)) return false;
    const to = phoneOf(call.called_to);
    const phone = this.#claims.placeOf(Number(to.slice(1)));
    if (phone === -1) return false;
    const mark = markOf(call);
    const replaced = this.#entries.get(mark);
    if (replaced !== undefined) this.#change(replaced.phone);
    this.#change(phone);
    const entry = this.#entries.put(mark, call, phone, to);
    this.#hasTimesWithoutZone ||= entry.written !== undefined;
    const shown = entry.written ?? entry.at;
    if (shown !== undefined) this.#sharpen(shown);
    return true;
  }

  /** Nothing yet: for a reading of the log, which remembers in it what it has shown. It shares the memory for the marks. */
  seenAnew(): SeenTexts {
    return this.#entries.seenAnew();
  }

  /** Before the entries of a phone change, so that what they counted for is taken away as it was added. */
  #change(phone: number): void {
    if (this.#isChanged[phone] === 1) return;
    this.#count(phone, -1);
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

  /** Works out whose the entries are. `now`, by the service's clock, decides what is over. */
  resolve(now: number): void {
    if (this.#hasTimesWithoutZone && this.#hasChanged) this.#findZone(now);
    for (const standing of this.#parties) {
      const isOver = standing.party.isOver === true || now > standing.party.span.until;
      if (isOver !== standing.isOver) standing.tally = undefined;
      standing.isOver = isOver;
    }
    if (!this.#hasChanged) return;
    for (let phone = this.#isChanged.indexOf(1); phone !== -1; phone = this.#isChanged.indexOf(1, phone + 1))
      this.#attribute(phone);
    this.#isChanged.fill(0);
    this.#hasChanged = false;
  }

  /** The service is taken to write all times that name no zone in one. */
  #findZone(now: number): void {
    const before = this.#zone;
    const { ahead, least, most } = zoneOfLog(this.#entries, this.#claims, this.#margin, now + this.#margin);
    if (before.ahead === ahead && before.least === least && before.most === most) return;
    this.#zone = { ahead, least, most };
    for (const { phone } of this.#entries) this.#change(phone);
    this.#entries.ahead = ahead;
  }

  // One phone ---------------------------------------------------------------------------------------------------------

  /** Gives the entries of a phone to those who claim them. */
  #attribute(phone: number): void {
    const entries = this.#entries.of(phone).sort(byTime);
    const { from, until } = this.#claims.of(phone);
    const sources = this.#claims.sources.subarray(from, until);
    const parties = Array.from(sources, (source) => this.#parties[source] as Standing<P>);
    const echoes = entries.map(({ echo }) => echo);
    // An identifier that is echoed tells the rows of one campaign apart.
    const areAlike = echoes.every((echo) => !echo?.identifier);
    const { owners, isAmbiguous } = read({
      // Readings look at them again and again.
      entries: entries.map(({ at, label: { isCompleted } }) => ({ at, isCompleted })),
      claimants: parties.map(({ claimant }) => this.#widened(claimant)),
      steps: this.#steps,
      expected: parties.map((_one, claimant) => this.#claims.expectedOf(from + claimant)),
      kinds: Array.from(sources, (source, claimant) => (areAlike ? source : claimant)),
      mayClaim: (claimant, index) => {
        const { at, written } = entries[index] as Entry;
        const isWithin = written !== undefined || isIn(at, (parties[claimant] as Standing<P>).claimant, this.#margin);
        return isWithin && this.#claims.mayShow(from + claimant, echoes[index]);
      },
    });
    for (const [index, entry] of entries.entries()) {
      const owner = owners[index] as number;
      const isInDoubt =
        isAmbiguous[index] ||
        this.#isDoubtful(entry, parties[owner]?.claimant) ||
        this.#hasTwin(entry, entries, owners);
      entry.give(owner === -1 ? -1 : from + owner, isInDoubt);
    }
    this.#count(phone, 1);
  }

  /** Adds what the parties know of a phone, or takes it away. */
  #count(phone: number, times: 1 | -1): void {
    const { from, until } = this.#claims.of(phone);
    for (let claim = from; claim < until; claim++) {
      const standing = this.#parties[this.#claims.sources[claim] as number] as Standing<P>;
      const { tally, latest } = standing;
      if (tally === undefined && latest === undefined) continue;
      const { state, entries } = this.#contactOf(standing, claim);
      if (tally !== undefined) countContact(tally, state, entries, times);
      if (latest === undefined) continue;
      for (const entry of entries) {
        const { place, at } = entry;
        if (at === undefined || at < latest.since) continue;
        // Of several at that instant it is not known which ones are there.
        if (at === latest.since) standing.latest = undefined;
        else if (times === 1) latest.entries.set(place, entry);
        else latest.entries.delete(place);
      }
    }
  }

  /** When calls can have been made in any zone in which the log may be written, as precisely as it tells. */
  #widened({ from, until, delay, attempts, doubt }: Claimant): Claimant {
    const { least, most, ahead } = this.#zone;
    const margin = this.#margin;
    const [earliest, latest] = [from + least - ahead - margin, until + most - ahead + margin];
    // Written out, because it is made for every phone.
    return { attempts, from: earliest, until: latest, delay: delay - margin, doubt };
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

  // What is known -----------------------------------------------------------------------------------------------------

  ownerOf(mark: string): Owner<P> | undefined {
    const entry = this.#entries.get(mark);
    if (entry === undefined || entry.claim === -1) return undefined;
    const { claim, isAmbiguous } = entry;
    const { party } = this.#parties[this.#claims.sources[claim] as number] as Standing<P>;
    return { party, row: this.#claims.rowOf(claim), isAmbiguous };
  }

  /** When an entry was made, in milliseconds since the epoch, by what is known of the log's zone; undefined if nobody can tell. */
  timeOf(mark: string): number | undefined {
    return this.#entries.get(mark)?.at;
  }

  /** The last calls of a campaign, at most `count`; `now` is in milliseconds since the epoch. */
  recentlyOf(campaign: P, count: number, now: number): Recently {
    const standing = this.#known(campaign);
    const last: { at: number; entry: Entry }[] = [];
    const recently = { inLastHour: 0, open: 0 };
    const entries = new Map<number, Entry>();
    for (const entry of this.#latestOf(standing, count, now)) {
      const { at, claim } = entry;
      if (at === undefined || claim === -1 || this.#parties[this.#claims.sources[claim] as number] !== standing)
        continue;
      addLatest(last, { at, entry }, count);
      if (at <= now - HOUR) continue;
      entries.set(entry.place, entry);
      if (at <= now) recently.inLastHour += 1;
      if (!entry.isSettled && at > now - PATIENCE) recently.open += 1;
    }
    for (const { entry } of last) entries.set(entry.place, entry);
    const oldest = last.length < count ? Number.NEGATIVE_INFINITY : (last.at(-1)?.at ?? now);
    if (!this.#hasChanged) standing.latest = { entries, since: Math.min(now - HOUR, oldest) };
    return { ...recently, last: last.map(({ entry }) => this.#shown(entry)) };
  }

  /** All entries, or those that are known to be the latest ones of a party. */
  #latestOf({ latest }: Standing<P>, count: number, now: number): Iterable<Entry> {
    if (latest === undefined || this.#hasChanged || latest.since > now - HOUR) return this.#entries;
    const { entries, since } = latest;
    return entries.size < count && since !== Number.NEGATIVE_INFINITY ? this.#entries : entries.values();
  }

  #shown(entry: Entry): RecentCall {
    const { callId, at = 0, status, outcome } = entry.kept;
    const number = entry.spelling ?? `+${this.#claims.phones[entry.phone]}`;
    return { callId, at, number, status, outcome, duration: entry.seconds };
  }

  /** It stays as it is, whatever is taken later. */
  tallyOf(campaign: P): Tally {
    const standing = this.#known(campaign);
    const known = standing.tally;
    const knowsEnds = known !== undefined && (known.firstCall === undefined || (known.atFirst > 0 && known.atLast > 0));
    if (knowsEnds && !this.#hasChanged) return copyOf(known);
    const tally = newTally();
    for (const { state, entries } of this.#contactsOf(standing)) countContact(tally, state, entries);
    if (!this.#hasChanged) standing.tally = tally;
    return copyOf(tally);
  }

  /** Each contact of a campaign, in the order of sending. */
  *outcomesOf(campaign: P): Generator<ContactOutcome> {
    for (const { row, state, entries } of this.#contactsOf(this.#known(campaign))) {
      const isAmbiguous = entries.some((entry) => entry.isAmbiguous);
      yield { row, state, calls: entries.map(({ kept }) => kept), isAmbiguous };
    }
  }

  *#contactsOf(standing: Standing<P>) {
    for (const claim of standing.claims) yield this.#contactOf(standing, claim);
  }

  #contactOf({ party, isOver }: Standing<P>, claim: number) {
    const entries = this.#entries.of(this.#claims.phoneOf(claim)).filter((entry) => entry.claim === claim);
    if (entries.length > 1) entries.sort(byTime);
    const labels = entries.map(({ label }) => label);
    return { row: this.#claims.rowOf(claim), state: stateOf(labels, party.attempts, isOver), entries };
  }

  #known(party: P): Standing<P> {
    const standing = this.#parties.find((one) => one.party === party);
    if (standing === undefined) throw new Error('calls of another party are attributed');
    return standing;
  }
}

/** Puts an entry among the latest ones, the latest first, of which there are at most `count`. */
function addLatest(last: { at: number; entry: Entry }[], one: { at: number; entry: Entry }, count: number): void {
  const oldest = last.at(-1);
  if (last.length >= count && oldest !== undefined && one.at < oldest.at) return;
  // Of the same instant, one is always the later one, so that they do not change places.
  const isEarlier = ({ at, entry }: { at: number; entry: Entry }) =>
    at < one.at || (at === one.at && entry.mark < one.entry.mark);
  const place = last.findIndex(isEarlier);
  last.splice(place === -1 ? last.length : place, 0, one);
  if (last.length > count) last.pop();
}

function isIn(at: number | undefined, { from, until }: Claimant, margin: number): boolean {
  return at === undefined || (at >= from - margin && at <= until + margin);
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

/** The entries of the log that may be of somebody who was called, by their marks and by their phones. */
import { isUnnamed } from '../../calls/paging/identity.ts';
import { secondsOf, timeOf } from '../../calls/select.ts';
import { isSettled } from '../../calls/wait.ts';
import { type CallLogEntry, isVoicemail } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { eachNamed } from '../../text/json.ts';
import { Column, PackedTexts, SeenTexts, TextIndex } from '../../text/text-index.ts';
import { DETAIL_NAMES, type Details, detailsOf } from './details.ts';

/** What a service shows of the request beyond the interface. */
export interface Echo {
  identifier: string | null;
  campaignId: number | null;
}

/** What a service says of how a call ended; of a million entries few differ. */
interface Label {
  status: string;
  outcome: string;
  isCompleted: boolean;
  isVoicemail: boolean;
}

/** What is kept of an entry. */
export interface KeptCall {
  /** `markOf` the entry. */
  mark: string;
  callId: string | undefined;
  /** Undefined if its time cannot be read. */
  at: number | undefined;
  status: string;
  outcome: string;
  /** Seconds; 0 if unknown. */
  duration: number;
  details: Details;
}

const IS_AMBIGUOUS = 1;
const HAS_ZONE = 2;
const IS_TAKEN = 4;
const IS_SETTLED = 8;

function echoOf({ custom_identifiers, campaign_id }: CallLogEntry): Echo | undefined {
  if (custom_identifiers === undefined && campaign_id === undefined) return undefined;
  // A list or an object is something of the service's own.
  const identifier = (typeof custom_identifiers === 'object' ? '' : plainText(custom_identifiers).trim()) || null;
  // Campaigns are counted from 1: a 0 means none.
  const campaignId = /^0*[1-9]\d{0,14}$/.test(plainText(campaign_id)) ? Number(campaign_id) : null;
  return identifier === null && campaignId === null ? undefined : { identifier, campaignId };
}

/** A look at one row of the columns: there may be millions, which would be too many as objects. */
export class Entry {
  readonly place: number;
  readonly #columns: Entries;

  constructor(columns: Entries, place: number) {
    this.#columns = columns;
    this.place = place;
  }

  get mark(): string {
    return this.#columns.marks.textOf(this.place);
  }

  /** The place of its phone among those that were called. */
  get phone(): number {
    return this.#columns.phones.at(this.place);
  }

  /** By what is known of the log's zone; undefined if its time cannot be read. */
  get at(): number | undefined {
    return this.#is(HAS_ZONE) ? this.#columns.times.at(this.place) : this.#readAt(this.#columns.ahead);
  }

  /** Where its time names no zone: that time, read as UTC. */
  get written(): number | undefined {
    return this.#is(HAS_ZONE) ? undefined : this.#readAt(0);
  }

  #readAt(ahead: number): number | undefined {
    const time = this.#columns.times.at(this.place);
    return Number.isNaN(time) ? undefined : time - ahead;
  }

  get label(): Label {
    const { labels, labelled } = this.#columns;
    return labels[labelled.at(this.place)] as Label;
  }

  /** Undefined where the service echoes nothing. */
  get echo(): Echo | undefined {
    return this.#columns.echoAt(this.place);
  }

  /** Whose it is: the claim, or -1. */
  get claim(): number {
    return this.#columns.claims.at(this.place) - 1;
  }

  get isAmbiguous(): boolean {
    return this.#is(IS_AMBIGUOUS);
  }

  give(claim: number, isAmbiguous: boolean): void {
    const { claims, flags } = this.#columns;
    claims.set(this.place, claim + 1);
    const others = flags.at(this.place) & ~IS_AMBIGUOUS;
    flags.set(this.place, isAmbiguous ? others | IS_AMBIGUOUS : others);
  }

  /** Undefined if unknown. */
  get seconds(): number | undefined {
    const seconds = this.#columns.durations.at(this.place);
    return Number.isNaN(seconds) ? undefined : seconds;
  }

  /** Whether nothing more will be added to it. */
  get isSettled(): boolean {
    return this.#is(IS_SETTLED);
  }

  /** The number that was called, as it was written, if not in the usual way. */
  get spelling(): string | undefined {
    return this.#columns.spellings.at(this.place);
  }

  get kept(): KeptCall {
    const { mark, at, place } = this;
    const { status, outcome } = this.label;
    const duration = this.seconds ?? 0;
    const details = this.#columns.detailsAt(place);
    return { mark, callId: isUnnamed(mark) ? undefined : mark, at, status, outcome, duration, details };
  }

  #is(flag: number): boolean {
    return (this.#columns.flags.at(this.place) & flag) !== 0;
  }
}

/** Texts of entries, of which an empty one is none. */
class TextColumn {
  /** Counted from 1, because 0 means none. */
  readonly #places = new Column(Uint32Array);
  readonly #texts = new PackedTexts();

  set(place: number, text: string): void {
    const standing = this.#places.at(place);
    // Entries are read again and again while calls are made.
    if (standing !== 0 && text !== '' && this.#texts.replace(standing - 1, text)) return;
    this.#places.set(place, text === '' ? 0 : this.#texts.add(text) + 1);
  }

  at(place: number): string | undefined {
    const at = this.#places.at(place);
    return at === 0 ? undefined : this.#texts.at(at - 1);
  }
}

/** A column for each thing that is kept of entries: 100 bytes a call, and no object. */
export class Entries {
  /** By what identifies them: the row of an entry is the number of its mark. Others that were read may be between them. */
  readonly marks = new TextIndex();
  /** As they were written, in milliseconds since the epoch; NaN for those that cannot be read. */
  readonly times = new Column(Float64Array);
  /** What those that name no zone are ahead of UTC by. */
  ahead = 0;
  readonly durations = new Column(Float64Array);
  readonly phones = new Column(Uint32Array);
  readonly flags = new Column(Uint8Array);
  /** Counted from 1, because 0 means none. */
  readonly claims = new Column(Uint32Array);
  /** By the number of a status and an outcome. */
  readonly labels: Label[] = [];
  readonly labelled = new Column(Uint32Array);
  /** How numbers were written that were not written in the usual way. */
  readonly spellings = new TextColumn();
  readonly #details = eachNamed(DETAIL_NAMES, () => new TextColumn());
  readonly #echoes = new Column(Uint32Array);
  readonly #numbersOfLabels = new Map<string, number>();
  readonly #echoed = new TextIndex();
  /**
   * By phone, the row of one of its entries plus 1; and by entry, that of the next one of its phone. 0 means that there is none.
   */
  readonly #first: Uint32Array;
  readonly #next = new Column(Uint32Array);

  constructor(phones: number) {
    this.#first = new Uint32Array(phones);
  }

  get(mark: string): Entry | undefined {
    const place = this.marks.indexOf(mark);
    return this.#isTaken(place) ? new Entry(this, place) : undefined;
  }

  /** A mark may also be of an entry that was read and is nobody's. */
  #isTaken(place: number): boolean {
    return place !== -1 && (this.flags.at(place) & IS_TAKEN) !== 0;
  }

  /**
   * Adds an entry that nobody has claimed, or puts it in the place of the one with its mark. `spelling`: the usual
   * way to write the number.
   */
  put(mark: string, call: CallLogEntry, phone: number, spelling: string): Entry {
    const place = this.marks.add(mark);
    if (this.#isTaken(place)) this.#remove(place, this.phones.at(place));
    const time = timeOf(call);
    this.times.set(place, time?.epochMs ?? Number.NaN);
    this.flags.set(place, IS_TAKEN + (time?.hasOffset ? HAS_ZONE : 0) + (isSettled(call) ? IS_SETTLED : 0));
    this.durations.set(place, secondsOf(call) ?? Number.NaN);
    const written = plainText(call.called_to);
    this.spellings.set(place, written === spelling ? '' : written);
    this.phones.set(place, phone);
    this.claims.set(place, 0);
    this.labelled.set(place, this.#labelOf(call));
    const details = detailsOf(call, String);
    for (const name of DETAIL_NAMES) this.#details[name].set(place, details[name] ?? '');
    const echo = echoOf(call);
    this.#echoes.set(place, echo === undefined ? 0 : this.#echoed.add(JSON.stringify(echo)) + 1);
    this.#next.set(place, this.#first[phone] as number);
    this.#first[phone] = place + 1;
    return new Entry(this, place);
  }

  #labelOf(call: CallLogEntry): number {
    const [status, outcome] = [plainText(call.call_status), plainText(call.call_outcome)];
    const name = `${status.length} ${status}${outcome}`;
    const known = this.#numbersOfLabels.get(name);
    if (known !== undefined) return known;
    const isCompleted = status === 'completed';
    const label = { status, outcome, isCompleted, isVoicemail: isCompleted && isVoicemail(outcome) };
    this.#numbersOfLabels.set(name, this.labels.length);
    return this.labels.push(label) - 1;
  }

  echoAt(place: number): Echo | undefined {
    const at = this.#echoes.at(place);
    return at === 0 ? undefined : JSON.parse(this.#echoed.textOf(at - 1));
  }

  detailsAt(place: number): Details {
    const details: Details = {};
    for (const name of DETAIL_NAMES) details[name] = this.#details[name].at(place);
    return details;
  }

  /** Takes an entry from its phone. */
  #remove(place: number, phone: number): void {
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
      entries.push(new Entry(this, row - 1));
    return entries;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let place = 0; place < this.marks.size; place++) if (this.#isTaken(place)) yield new Entry(this, place);
  }

  seenAnew(): SeenTexts {
    return new SeenTexts(this.marks);
  }
}

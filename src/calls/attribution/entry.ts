/** What is kept of an entry of the call log to find out whose it is, and to tell what came of it. */
import { type CallLogEntry, parseInstant } from '../../contract.ts';
import { isUnnamed } from '../../paging/identity.ts';
import { plainText } from '../../text/csv.ts';
import { secondsOf } from '../select.ts';
import type { KeptCall } from './attribution.ts';
import type { EntryColumns } from './entry-columns.ts';
import { isVoicemail } from './states.ts';

/** What a service shows of the request beyond the interface. */
export interface Echo {
  identifier: string | undefined;
  campaignId: number | undefined;
}

const IS_AMBIGUOUS = 1;
const HAS_TIME = 2;
const HAS_ZONE = 4;
const IS_TAKEN = 8;

/** A look at one row of the columns: there may be millions, which would be too many as objects. */
export class Entry implements Omit<KeptCall, 'callId'> {
  /** Its row. */
  readonly place: number;
  readonly #columns: EntryColumns;

  constructor(columns: EntryColumns, place: number) {
    this.#columns = columns;
    this.place = place;
  }

  /** Takes over what the log says. Nobody has claimed it yet. `phone` is the place of its phone among those that were called. */
  write(call: CallLogEntry, phone: number): void {
    const { timestamp, recording_url } = call;
    const columns = this.#columns;
    const instant = typeof timestamp === 'string' ? parseInstant(timestamp) : undefined;
    const [status, outcome] = [plainText(call.call_status), plainText(call.call_outcome)];
    columns.times.set(this.place, instant?.epochMs ?? 0);
    columns.flags.set(this.place, IS_TAKEN + (instant ? HAS_TIME : 0) + (instant?.hasOffset ? HAS_ZONE : 0));
    columns.durations.set(this.place, secondsOf(call) ?? 0);
    columns.phones.set(this.place, phone);
    columns.setLabel(this.place, {
      status,
      outcome,
      isCompleted: status === 'completed',
      isVoicemail: status === 'completed' && isVoicemail(call),
    });
    columns.setRecordingUrl(this.place, plainText(recording_url));
    columns.setEcho(this.place, echoOf(call));
    this.claim = -1;
    this.attempt = 0;
  }

  /** A mark may also be of an entry that was read and is nobody's. */
  get isTaken(): boolean {
    return this.#is(IS_TAKEN);
  }

  get mark(): string {
    return this.#columns.marks.textOf(this.place);
  }

  get phone(): number {
    return this.#columns.phones.at(this.place);
  }

  /** By what is known of the log's zone. */
  get at(): number | undefined {
    const { times, ahead } = this.#columns;
    if (!this.#is(HAS_TIME)) return undefined;
    return times.at(this.place) - (this.#is(HAS_ZONE) ? 0 : ahead);
  }

  /** Where its time names no zone: that time, read as UTC. */
  get written(): number | undefined {
    return this.#is(HAS_TIME) && !this.#is(HAS_ZONE) ? this.#columns.times.at(this.place) : undefined;
  }

  get status(): string {
    return this.#columns.labelOf(this.place).status;
  }

  get outcome(): string {
    return this.#columns.labelOf(this.place).outcome;
  }

  get isCompleted(): boolean {
    return this.#columns.labelOf(this.place).isCompleted;
  }

  get isVoicemail(): boolean {
    return this.#columns.labelOf(this.place).isVoicemail;
  }

  get duration(): number {
    return this.#columns.durations.at(this.place);
  }

  get recordingUrl(): string | undefined {
    return this.#columns.recordingUrlOf(this.place);
  }

  /** Undefined where the service echoes nothing. */
  get echo(): Echo | undefined {
    return this.#columns.echoOf(this.place);
  }

  /** Whose it is: the claim, or -1. */
  get claim(): number {
    return this.#columns.claims.at(this.place) - 1;
  }

  set claim(claim: number) {
    this.#columns.claims.set(this.place, claim + 1);
  }

  get attempt(): number {
    return this.#columns.attempts.at(this.place);
  }

  set attempt(attempt: number) {
    this.#columns.attempts.set(this.place, attempt);
  }

  get isAmbiguous(): boolean {
    return this.#is(IS_AMBIGUOUS);
  }

  set isAmbiguous(is: boolean) {
    const { flags } = this.#columns;
    const standing = flags.at(this.place);
    flags.set(this.place, is ? standing | IS_AMBIGUOUS : standing & ~IS_AMBIGUOUS);
  }

  #is(flag: number): boolean {
    return (this.#columns.flags.at(this.place) & flag) !== 0;
  }
}

function echoOf({ custom_identifiers, campaign_id }: CallLogEntry): Echo | undefined {
  if (custom_identifiers === undefined && campaign_id === undefined) return undefined;
  // A list or an object is something of the service's own.
  const identifier =
    typeof custom_identifiers === 'object' ? undefined : plainText(custom_identifiers).trim() || undefined;
  // Campaigns are counted from 1: a 0 means none.
  const campaignId = /^0*[1-9]\d{0,14}$/.test(plainText(campaign_id)) ? Number(campaign_id) : undefined;
  return identifier === undefined && campaignId === undefined ? undefined : { identifier, campaignId };
}

export function keptOf({ mark, at, status, outcome, duration, recordingUrl }: Entry): KeptCall {
  return { mark, callId: isUnnamed(mark) ? undefined : mark, at, status, outcome, duration, recordingUrl };
}

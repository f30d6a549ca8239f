/**
 * What is kept of an entry of the call log until it is attributed: transcripts of a day's calls would fill the memory. And
 * of entries that were attributed and are read again: a service may still change what it says of a call.
 */
import { hash } from 'node:crypto';
import { callIdOf, markOf } from '../../calls/paging/identity.ts';
import { phoneOf, secondsOf, timeOf } from '../../calls/select.ts';
import { detailsOf } from '../../campaigns/attribution/details.ts';
import { type CallLogEntry, isCallStatus, isVoicemail, resultOf } from '../../contract.ts';
import { plainText } from '../../text/csv.ts';
import { HOUR, SECOND } from '../../text/units.ts';
import type { Called, PlanEvent, Revised } from '../rules/events.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { calledBy, type SeenCall } from './attempts.ts';

/** The farthest that a time without a zone may be from the real one. */
export const ANY_ZONE = 14 * HOUR;
/** Milliseconds by which a service may correct the time of a call. */
export const SAME_CALL = 30 * SECOND;
/** Characters of a hash. */
const IDENTITY_LENGTH = 16;

export interface KeptEntry {
  /** Without its transcript; its `call_id` is its mark. */
  call: CallLogEntry;
  mark: string;
  /** `phoneKeyOfDigits` of the number that was called. */
  phone: number;
  /** When it was made, by what it says itself; undefined if that cannot be read. Milliseconds since the epoch. */
  at: number | undefined;
  /** Whether that names its zone. */
  isCertain: boolean;
  result: Pick<SeenCall, 'status' | 'outcome' | 'isVoicemail' | 'seconds' | 'callId' | 'details'> & {
    identity: string;
  };
}

/** Undefined for a phone that the plan does not have. `redact` redacts the key: a service may repeat it in anything it says. */
export function keptEntry(
  entry: CallLogEntry,
  { roster }: Pick<LoadedPlan, 'roster'>,
  redact: (text: string) => string,
): KeptEntry | undefined {
  const phone = phoneIn(entry);
  if (roster.rowsOfPhone(phone).length === 0) return undefined;
  const mark = markOf(entry);
  const time = timeOf(entry);
  const { transcript: _, ...call } = entry;
  const callId = callIdOf(entry);
  const status = redact(plainText(entry.call_status));
  return {
    call: { ...call, call_id: mark },
    mark,
    phone,
    at: time?.epochMs,
    isCertain: time?.hasOffset === true,
    result: {
      status,
      outcome: redact(plainText(entry.call_outcome)),
      isVoicemail: status === 'completed' && isVoicemail(plainText(entry.call_outcome)),
      seconds: secondsOf(entry) ?? 0,
      identity: identityOf(entry, phone),
      ...(callId !== undefined && { callId: redact(callId) }),
      details: detailsOf(entry, redact),
    },
  };
}

/** `phoneKeyOfDigits` of the number that was called. */
export function phoneIn({ called_to }: CallLogEntry): number {
  return Number(phoneOf(called_to).slice(1));
}

/** The same for an entry whatever changes in it: without a call_id, who was called by whom and when is that. */
function identityOf(entry: CallLogEntry, phone: number): string {
  const { agent_id, call_from, timestamp } = entry;
  const same = JSON.stringify([phone, callIdOf(entry) ?? [agent_id, call_from, timestamp]]);
  return hash('sha256', same, 'base64url').slice(0, IDENTITY_LENGTH);
}

/** Whether nothing more is expected of an entry. */
export function isFinal({ result }: KeptEntry): boolean {
  return isCallStatus(result.status);
}

// Known entries ------------------------------------------------------------------------------------------------------

/** For so long after a call, its entry is read again. */
const CHANGES_WITHIN = HOUR;

/** What is known of an entry; undefined if it was not attributed yet. */
export function knownAs({ at, result }: KeptEntry, recorded: RecordedEntries): RecordedEntry | undefined {
  const known = recorded.get(result.identity);
  return known !== undefined && at !== undefined && Math.abs(at - known.saidAt) <= SAME_CALL ? known : undefined;
}

/** Until when an entry with a final status may change, in milliseconds since the epoch; `now` by the service's clock. */
export function changesUntil(entry: KeptEntry, recorded: RecordedEntries, now: number): number {
  const { at, isCertain } = entry;
  if (at === undefined) return Number.NEGATIVE_INFINITY;
  const known = knownAs(entry, recorded);
  if (known !== undefined) return known.until;
  if (isCertain) return Math.min(at, now) + CHANGES_WITHIN;
  return at > now - ANY_ZONE - CHANGES_WITHIN ? now + CHANGES_WITHIN : Number.NEGATIVE_INFINITY;
}

/** Whether an entry says what is known of it as a call of the plan: most of those that are read again do. */
export function saysTheSame(entry: KeptEntry, recorded: RecordedEntries): boolean {
  const own = knownAs(entry, recorded)?.own;
  const again = own && revisedBy(entry, own);
  return again !== undefined && isSame(again, own as RecordedCall);
}

/**
 * What the service says of known calls now, where that is something else. An entry that one reading shows with two contents is
 * left as it was; `same` are those that it shows as they are known.
 */
export function saidAgain(
  entries: readonly KeptEntry[],
  recorded: RecordedEntries,
  same: ReadonlySet<string>,
): Revised[] {
  const said = new Map<string, Revised | undefined>();
  for (const entry of entries) {
    if (same.has(entry.result.identity)) continue;
    const own = knownAs(entry, recorded)?.own;
    const again = own && revisedBy(entry, own);
    if (again === undefined) continue;
    const { identity } = entry.result;
    const other = said.get(identity);
    said.set(identity, said.has(identity) && !(other && isSame(other, again)) ? undefined : again);
  }
  return [...said].flatMap(([identity, again]) =>
    again === undefined || isSame(recorded.get(identity)?.own as RecordedCall, again) ? [] : [again],
  );
}

/** Undefined for a call that is said to be going on. */
function revisedBy({ result: entry }: KeptEntry, own: RecordedCall): Revised | undefined {
  const { row, wave, at, isAmbiguous } = own;
  const seen: SeenCall = { row, wave, at, isAmbiguous, ...entry };
  const result = resultOf(seen);
  if (result === undefined) return undefined;
  const was = { result: own.result, seconds: own.seconds };
  return { ...calledBy(seen, result), event: 'revised', was };
}

/** What a reading of the log has shown, and what was made of it. */
export interface Reading {
  entries: readonly KeptEntry[];
  /** Those among them that are calls of the plan. */
  own: readonly SeenCall[];
  events: readonly PlanEvent[];
  /** When it was read, by the service's clock. */
  now: number;
}

/** What is known after a reading: of what was read in it, and of what was not and may still change. */
export function recordedAfter(recorded: RecordedEntries, { entries, own, events, now }: Reading): RecordedEntries {
  const calls = new Map<string, RecordedCall>();
  for (const event of events)
    if (event.event === 'called' || event.event === 'revised') calls.set(keyOf(event), recordedCall(event));
  const after = new Map<string, RecordedEntry>();
  for (const entry of recorded.values()) {
    if (entry.until <= now) continue;
    const call = entry.own && calls.get(keyOf(entry.own));
    after.set(entry.identity, call === undefined ? entry : { ...entry, own: call });
  }
  const ownKeys = new Map(own.map((call) => [call.identity, keyOf(call)]));
  for (const entry of entries) {
    const until = changesUntil(entry, recorded, now);
    const { identity } = entry.result;
    if (!isFinal(entry) || entry.at === undefined || until <= now || after.has(identity)) continue;
    const key = ownKeys.get(identity);
    const call = key === undefined ? undefined : calls.get(key);
    // Two entries of one contact and instant are one call: the first of them is recorded as it.
    if (key !== undefined) calls.delete(key);
    after.set(identity, { identity, saidAt: entry.at, until, own: call });
  }
  return after;
}

function keyOf({ row, at }: Pick<Called, 'row' | 'at'>): string {
  return `${row} ${at}`;
}

const SAID = ['result', 'seconds', 'status', 'outcome'] as const;

function isSame(one: Pick<Called, (typeof SAID)[number]>, other: typeof one): boolean {
  return SAID.every((field) => one[field] === other[field]);
}

/** A call of the plan's own, as its events have it. */
export interface RecordedCall
  extends Pick<Called, 'row' | 'wave' | 'at' | 'result' | 'seconds' | 'status' | 'outcome'> {
  isAmbiguous: boolean;
}

export interface RecordedEntry {
  /** By which it is known again. */
  identity: string;
  /** The time that it says itself. */
  saidAt: number;
  /** Until when it may change. */
  until: number;
  /** Undefined for what others called, or what the plan knew of already. */
  own: RecordedCall | undefined;
}

export type RecordedEntries = ReadonlyMap<string, RecordedEntry>;

/** Without the names of its fields: tens of thousands are kept at each reconciliation. */
export function recordedValues({ identity, saidAt, until, own }: RecordedEntry): readonly unknown[] {
  if (own === undefined) return [identity, saidAt, until];
  const { row, wave, at, result, seconds, status, outcome, isAmbiguous } = own;
  return [identity, saidAt, until, row, wave, at, result, seconds, status, outcome, isAmbiguous];
}

/** Of an entry with the names of its fields, as an earlier version kept it, the same. */
export function recordedOf(values: ReturnType<typeof recordedValues> | RecordedEntry): RecordedEntry {
  if (!Array.isArray(values)) return values as RecordedEntry;
  const [identity, saidAt, until, row, wave, at, result, seconds, status, outcome, isAmbiguous] = values;
  const own = row === undefined ? undefined : { row, wave, at, result, seconds, status, outcome, isAmbiguous };
  return { identity, saidAt, until, own };
}

function recordedCall(event: Omit<Called, 'event'>): RecordedCall {
  const { row, wave, at, result, seconds, status, outcome, ambiguous } = event;
  return { row, wave, at, result, seconds, status, outcome, isAmbiguous: ambiguous === true };
}

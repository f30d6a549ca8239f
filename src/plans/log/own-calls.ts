/** The waves of a plan as campaigns whose calls the log may show, and entries of the log as their calls. */
import type { Owner } from '../../campaigns/attribution/attribution.ts';
import { onlyPhones, type Party, rowIn, type Span } from '../../campaigns/attribution/party.ts';
import { phoneKey } from '../../text/phone.ts';
import { HOUR } from '../../text/units.ts';
import type { LoadedPlan, OpenWave } from '../rules/plan.ts';
import { DIAL_MARKS, type Roster } from '../rules/roster.ts';
import { UNSEEN_AFTER } from '../rules/rules.ts';
import { blocksUntil, endOf } from '../rules/waves.ts';
import type { SeenCall } from './attempts.ts';
import { type KeptEntry, SAME_CALL } from './kept-entry.ts';

/** A wave of the plan whose calls an entry may be. */
export interface OwnWave {
  wave: number;
  /** As a campaign, without the contacts whose call was seen: a further call to them may be another plan's. */
  launched: Party;
  /** The row of a contact by its place in the wave; undefined if that is not known any more. */
  rowAt(index: number): number | undefined;
}

/** Milliseconds by which a service may round the time of a call. */
const ROUNDED = 2_000;

/** A wave that has contacts without news. */
export function openWave(
  { plan, roster }: LoadedPlan,
  open: OpenWave,
  { rows, identifiers }: { rows: readonly number[]; identifiers: readonly (string | undefined)[] },
): OwnWave {
  const { wave, from, start, interval, campaignId } = open;
  const contacts = {
    phones: Float64Array.from(rows, (row) => roster.phoneOf(row)),
    identifierOf: (index: number) => identifiers[index],
  };
  const launched: Party = {
    ...{ campaignId, agentId: plan.agent_id, from: phoneKey(from), start, callsPerHour: HOUR / interval },
    ...limits(start, endOf(open)),
    contacts: onlyPhones(contacts, (_phone, index) => roster.isAwaitedIn(rows[index] as number, wave)),
  };
  return { wave, launched, rowAt: (index) => rows[index] };
}

/** A wave that the plan waits for no longer, as it was sent; a call of it may still come to light. */
export function pastWave(roster: Roster, wave: number, sent: Party): OwnWave {
  const rowOf = (phone: number) => {
    const rows = roster.rowsOfPhone(phone);
    return rows.find((row) => roster.isAwaitedIn(row, wave)) ?? rows.find((row) => roster.isRecalled(row));
  };
  const { phones } = sent.contacts;
  const contacts = onlyPhones(sent.contacts, (phone) => rowOf(phone) !== undefined);
  const end = sent.start + (phones.length * HOUR) / sent.callsPerHour;
  return {
    wave,
    launched: { ...sent, contacts, ...limits(sent.start, end) },
    rowAt: (index) => rowOf(phones[index] as number),
  };
}

/** One attempt for each contact, from the start until it would be unseen. */
function limits(start: number, end: number): Pick<Party, 'span' | 'attempts' | 'retryDelay'> {
  return { span: { from: start - ROUNDED, until: end + UNSEEN_AFTER }, attempts: 1, retryDelay: 0 };
}

export interface RefusedWave {
  wave: number;
  /** The key of the number that would have called. */
  from: string;
  /** When its calls would have been made. */
  span: Span;
  /** The contacts; asked only for calls in its span that nothing else explains. */
  rows(): ReadonlySet<number>;
}

export function spanOf(wave: Parameters<typeof blocksUntil>[0]): Span {
  return { from: wave.start - ROUNDED, until: blocksUntil(wave) };
}

// Calls --------------------------------------------------------------------------------------------------------------

/** A service that tries again unasked does so after an hour: that is what it does where nothing else is said. */
const RETRIED = 2 * HOUR;

export type Identified = Pick<SeenCall, 'row' | 'wave' | 'at' | 'isAmbiguous' | 'isOfRefused'>;

/** Undefined if it is no call of an own wave. */
export function callOf(
  own: readonly OwnWave[],
  owner: Owner | undefined,
  at: number | undefined,
): Identified | undefined {
  const made = own.find(({ launched }) => launched === owner?.party);
  if (owner === undefined || made === undefined) return undefined;
  const { wave, launched } = made;
  const row = made.rowAt(owner.row);
  if (row === undefined) return undefined;
  const planned = launched.start + (owner.row * HOUR) / launched.callsPerHour;
  return { row, wave, at: at ?? planned, isAmbiguous: owner.isAmbiguous };
}

/** Somebody was reached, whose call is awaited and may have been this one: nobody calls again for not knowing who made it. */
export function reachedBy(
  own: readonly OwnWave[],
  { phone, result: { status, isVoicemail } }: KeptEntry,
  at: number,
): Identified | undefined {
  if (status !== 'completed' || isVoicemail) return undefined;
  for (const { wave, launched, rowAt } of own) {
    const place = launched.contacts.phones.indexOf(phone);
    if (place === -1 || at < launched.span.from || at > launched.span.until) continue;
    const row = rowAt(rowIn(launched.contacts, place));
    if (row !== undefined) return { row, wave, at, isAmbiguous: true };
  }
  return undefined;
}

/**
 * The contact, if its last wave has called it already, and not long before, or in this wave and after: nobody else that is known
 * can have called, and which of two calls comes into the log first says nothing. `beginOf`: from when on a wave of this line
 * calls; undefined for another line's, or where it is not known. `knownAt`: when the calls were made that may be that one, in
 * milliseconds since the epoch: rows of one phone share what is known.
 */
export function secondCall(
  { roster }: LoadedPlan,
  { phone }: KeptEntry,
  at: number | undefined,
  beginOf: (wave: number) => number | undefined,
): { call: Identified; knownAt: readonly number[] } | undefined {
  if (at === undefined) return undefined;
  for (const row of roster.rowsOfPhone(phone)) {
    const begin = beginOf(roster.waveOf(row));
    const own = roster.dialsOf(row).filter((_dial, rank) => roster.markOf(row, rank) === DIAL_MARKS.own);
    const [latest] = own;
    if (begin === undefined || latest === undefined || roster.isAwaited(row)) continue;
    const isAfter = at > latest + SAME_CALL && at <= latest + RETRIED;
    const isBefore = at < latest - SAME_CALL && at >= begin - SAME_CALL;
    if (!isAfter && !isBefore) continue;
    const knownAt = own.filter((dial) => dial === latest || dial >= begin - SAME_CALL);
    return { call: { row, wave: roster.waveOf(row), at, isAmbiguous: false }, knownAt };
  }
  return undefined;
}

/** Whether a call that would be news of a contact was taken for somebody's before: then it remains that. */
export function isAttributed({ roster }: LoadedPlan, { row, wave, at }: Identified): boolean {
  return roster.isAwaitedIn(row, wave) && roster.dialsOf(row).includes(at);
}

/** The call as one of a refused wave, if it can be: it is not known yet, and was made to a contact of the wave in its time. */
export function refusedCall(
  { roster }: LoadedPlan,
  refused: readonly RefusedWave[],
  { phone, from, at }: Pick<KeptEntry, 'phone' | 'at'> & { from: string },
): Identified | undefined {
  if (at === undefined) return undefined;
  const waves = refused.filter((wave) => wave.from === from && wave.span.from <= at && at <= wave.span.until);
  if (waves.length === 0) return undefined;
  const rows = roster.rowsOfPhone(phone);
  if (rows.some((row) => roster.dialsOf(row).some((dial) => Math.abs(dial - at) <= SAME_CALL))) return undefined;
  for (const { wave, rows: rowsOf } of waves) {
    const row = rows.find((candidate) => rowsOf().has(candidate));
    if (row !== undefined) return { row, wave, at, isAmbiguous: false, isOfRefused: true };
  }
  return undefined;
}

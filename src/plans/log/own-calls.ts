/** Entries of the log as calls of a plan's waves. */
import type { Owner } from '../../campaigns/attribution/attribution.ts';
import { rowIn } from '../../campaigns/attribution/party.ts';
import { HOUR } from '../../text/units.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { DIAL_MARKS, type Roster } from '../rules/roster.ts';
import type { SeenCall } from './attempts.ts';
import type { KeptEntry } from './kept-entry.ts';
import { type OwnWave, SAME_CALL } from './own-waves.ts';

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

/** Somebody was reached, whose call is awaited and may have been this one: nobody calls again for not knowing whose it was. */
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

/** From when on a wave of this line calls; undefined for one that is another line's, or not known. */
export type BeginOf = (wave: number) => number | undefined;

/** A call of a contact of which a call is known. */
export interface SecondCall {
  call: Identified;
  /** When the calls were made that may be that one, in milliseconds since the epoch: rows of one phone share what is known. */
  knownAt: readonly number[];
}

/**
 * The contact, if its last wave has called it already, and not long before, or in this wave and after: nobody else that is known can
 * have called, and which of two calls comes into the log first says nothing.
 */
export function secondCall(
  { roster }: LoadedPlan,
  { phone }: KeptEntry,
  at: number | undefined,
  beginOf: BeginOf,
): SecondCall | undefined {
  if (at === undefined) return undefined;
  for (const row of roster.rowsOfPhone(phone)) {
    const begin = beginOf(roster.waveOf(row));
    const own = ownDials(roster, row);
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

/** The latest first. */
function ownDials(roster: Roster, row: number): number[] {
  const dials: number[] = [];
  for (let rank = 0; rank < roster.dials; rank++)
    if (roster.markOf(row, rank) === DIAL_MARKS.own) dials.push(roster.dialOf(row, rank));
  return dials;
}

/** Whether a call that would be news of a contact was taken for somebody's before: then it remains that. */
export function isToldApart(roster: Roster, { row, wave, at }: Identified): boolean {
  return roster.isAwaitedIn(row, wave) && hasDialAt(roster, row, at);
}

function hasDialAt(roster: Roster, row: number, at: number): boolean {
  for (let rank = 0; rank < roster.dials; rank++) if (roster.dialOf(row, rank) === at) return true;
  return false;
}

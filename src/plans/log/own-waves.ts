/** The waves of a plan as campaigns whose calls the log may show. */
import { onlyPhones, type Party, type Span } from '../../campaigns/attribution/party.ts';
import { phoneKey } from '../../text/phone.ts';
import { HOUR, SECOND } from '../../text/units.ts';
import type { LoadedPlan, OpenWave } from '../rules/plan.ts';
import type { Roster } from '../rules/roster.ts';
import { UNSEEN_AFTER } from '../rules/rules.ts';
import { blocksUntil, endOf } from '../rules/waves.ts';
import type { SeenCall } from './attempts.ts';
import type { KeptEntry } from './kept-entry.ts';

/** A wave of the plan whose calls an entry may be. */
export interface OwnWave {
  wave: number;
  /** As a campaign. A contact whose call was seen claims no other, which may be another plan's. */
  launched: Party;
  /** The row of a contact by its place in the wave; undefined if that is not known any more. */
  rowAt(index: number): number | undefined;
}

/** Milliseconds by which a service may round the time of a call. */
export const ROUNDED = 2_000;

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

/** Milliseconds by which a service may correct the time of a call. */
export const SAME_CALL = 30 * SECOND;

/** The call as one of a refused wave, if it can be: it is not known yet, and was made to a contact of the wave in its time. */
export function refusedCall(
  { roster }: LoadedPlan,
  refused: readonly RefusedWave[],
  { phone, from, at }: Pick<KeptEntry, 'phone' | 'at'> & { from: string },
): Pick<SeenCall, 'row' | 'wave' | 'at' | 'isAmbiguous' | 'isOfRefused'> | undefined {
  const waves = refused.filter((wave) => wave.from === from && at !== undefined && isIn(wave.span, at));
  if (at === undefined || waves.length === 0) return undefined;
  const rows = roster.rowsOfPhone(phone);
  const isKnown = rows.some((row) =>
    Array.from({ length: roster.dials }, (_none, rank) => roster.dialOf(row, rank)).some(
      (dial) => Math.abs(dial - at) <= SAME_CALL,
    ),
  );
  if (isKnown) return undefined;
  for (const { wave, rows: rowsOf } of waves) {
    const row = rows.find((candidate) => rowsOf().has(candidate));
    if (row !== undefined) return { row, wave, at, isAmbiguous: false, isOfRefused: true };
  }
  return undefined;
}

function isIn({ from, until }: Span, at: number): boolean {
  return from <= at && at <= until;
}

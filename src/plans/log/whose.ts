/** Which entries of the log are calls of a plan's own waves, and which are others' calls to its phones. */
import type { Owner } from '../../calls/attribution/attribution.ts';
import type { LaunchedCall, LaunchedCampaign, Span } from '../../calls/attribution/launched.ts';
import { attribute } from '../../calls/attribution/matcher.ts';
import { type Party, together } from '../../calls/attribution/together.ts';
import { phoneOf } from '../../calls/select.ts';
import type { CallLogEntry } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { markOf } from '../apply.ts';
import type { CalledByOthers } from '../events.ts';
import type { Busy } from '../free-at.ts';
import type { LoadedPlan } from '../plan.ts';
import { DIAL_MARKS, type Roster } from '../roster.ts';
import type { SeenCall } from '../settle.ts';
import type { KeptEntry } from './kept-entry.ts';
import { type RefusedWave, refusedCall, SAME_CALL } from './refused.ts';
import { unfinished } from './unfinished.ts';

const HOUR = 3_600_000;
const ANY_ZONE = 14 * HOUR;
/** A service that tries again unasked does so after an hour: that is what it does where nothing else is said. */
const RETRIED = 2 * HOUR;

/** A wave of the plan whose calls an entry may be. */
export interface OwnWave {
  wave: number;
  /** As a campaign; its key is of no importance. */
  launched: LaunchedCampaign;
  /** The row of a contact by its place in the wave; undefined if that is not known any more. */
  rowAt(index: number): number | undefined;
}

/** Who may have made the calls. */
export interface Callers {
  waves: readonly OwnWave[];
  /** Waves that nobody should have been called by. */
  refused: readonly RefusedWave[];
  campaigns: readonly (LaunchedCampaign & Party)[];
  calls: readonly LaunchedCall[];
  /** The key of the number that a wave of the plan calls from; undefined if that is not known. */
  fromOf(wave: number): string | undefined;
  /** The same campaigns and calls, and what they may still do. */
  busy: readonly Busy[];
  /** Whether the service is known to call nobody of a wave twice: then a second call is somebody else's. */
  callsOnce: boolean;
}

export interface ToldApart {
  own: SeenCall[];
  /** Only calls that the roster does not know. */
  others: CalledByOthers[];
}

/** The waves of the contacts that entries may be news of. `sent`: all waves that were, or may have been, placed. */
export function wavesIn(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  sent: ReadonlyMap<number, Pick<LaunchedCampaign, 'start' | 'span'>>,
): Set<number> {
  const { roster } = loaded;
  const waves = new Set<number>();
  for (const entry of entries) {
    if (!isFromPlan(loaded, entry)) continue;
    for (const row of roster.rowsOfPhone(entry.phone)) {
      if (isAwaited(roster, row)) waves.add(roster.waveOf(row));
      if (roster.isRecalled(row)) for (const wave of wavesAt(sent, entry.at)) waves.add(wave);
    }
  }
  return waves;
}

/** The waves whose calls may have been made at a time; all if it is not known. */
function wavesAt(sent: Parameters<typeof wavesIn>[2], at: number | undefined): number[] {
  const isThen = ({ start, span }: Pick<LaunchedCampaign, 'start' | 'span'>) =>
    at === undefined || (at >= start - ANY_ZONE && at <= span.until);
  return [...sent].flatMap(([wave, part]) => (isThen(part) ? [wave] : []));
}

/** `now` by the service's clock, in milliseconds since the epoch. */
export function tellApart(loaded: LoadedPlan, entries: readonly KeptEntry[], callers: Callers, now: number): ToldApart {
  const told: ToldApart = { own: [], others: [] };
  const lines = new Map<string, KeptEntry[]>();
  for (const entry of entries) {
    const from = isFromPlan(loaded, entry) ? phoneOf(entry.call.call_from) : '';
    const line = lines.get(from);
    if (line === undefined) lines.set(from, [entry]);
    else line.push(entry);
  }
  for (const [from, line] of lines) {
    if (from === '') for (const entry of line) addOthers(told, loaded, entry, entry.at ?? now, callers);
    else tellLine(told, loaded, line, { ...callers, from, now });
  }
  return told;
}

/** The calls of the plan's agent from one number. */
function tellLine(
  told: ToldApart,
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  callers: Callers & { from: string; now: number },
): void {
  const { waves, refused, campaigns, calls, callsOnce, from, now } = callers;
  const { agent_id: agentId } = loaded.plan;
  const isOfLine = (one: { agentId: number; from: string }) => one.agentId === agentId && phoneKey(one.from) === from;
  const own = waves.filter(({ launched }) => isOfLine(launched));
  const isFromHere = (wave: number) => (callers.fromOf(wave) ?? from) === from;
  const uninvited = (entry: KeptEntry, at: number | undefined) =>
    (callsOnce ? undefined : secondCall(loaded, entry, at, isFromHere)) ??
    refusedCall(loaded, refused, { phone: entry.phone, from, at });
  const isInDoubt = (entry: KeptEntry) => uninvited(entry, entry.at) !== undefined;
  const inDoubt = new Set(entries.filter(isInDoubt).map(({ phone }) => phone));
  if (own.length === 0 && inDoubt.size === 0) {
    for (const entry of entries) addOthers(told, loaded, entry, entry.at ?? now, callers);
    return;
  }
  const isInTime = timesOf(entries);
  const isThen = (one: LaunchedCall | LaunchedCampaign) => isOfLine(one) && isInTime(one.span);
  const others = unfinished(loaded, entries, {
    campaigns: campaigns.filter(isThen),
    calls: calls.filter(isThen),
    busy: callers.busy,
  });
  const attribution = attribute({
    campaigns: partiesOf(own, others.campaigns, { from, inDoubt }),
    calls: others.calls,
  });
  const taken = new Set(entries.filter(({ call }) => attribution.take(call)).map(({ mark }) => mark));
  attribution.resolve(now);
  for (const entry of entries) {
    const isTaken = taken.has(entry.mark);
    const owner = isTaken ? attribution.ownerOf(entry.mark) : undefined;
    const at = (isTaken ? attribution.timeOf(entry.mark) : undefined) ?? entry.at;
    const call =
      callOf(own, owner, at) ??
      (owner === undefined ? uninvited(entry, at) : undefined) ??
      (owner?.isAmbiguous && at !== undefined ? reachedBy(own, entry, at) : undefined);
    if (call === undefined) addOthers(told, loaded, entry, at ?? now, callers);
    else if (!isToldApart(loaded.roster, call)) told.own.push({ ...call, ...entry.result });
  }
}

/**
 * The own waves, and whatever campaigns may have made their calls, or calls to phones of which it is in doubt whether they were
 * called twice, or by a refused wave. Waves of the plan have negative keys: no entry of a register and no campaign has such a one.
 */
function partiesOf(
  own: readonly OwnWave[],
  others: Callers['campaigns'],
  { from, inDoubt }: { from: string; inDoubt: ReadonlySet<number> },
): readonly (LaunchedCampaign & Party)[] {
  const parties = own.map(({ launched }, at) => ({
    ...launched,
    key: -1 - at,
    from,
    phones: () => launched.contacts.phones,
  }));
  const isWanted = ({ key, phones }: LaunchedCampaign & Party) =>
    key < 0 || (inDoubt.size > 0 && phones().some((phone) => inDoubt.has(phone)));
  return together([...others.map((party) => ({ ...party, from })), ...parties], isWanted).flat();
}

function timesOf(entries: readonly KeptEntry[]): (span: Span) => boolean {
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at = 0 } of entries) {
    // A time without a zone is known to half a day.
    from = Math.min(from, at - ANY_ZONE);
    until = Math.max(until, at + ANY_ZONE);
  }
  return (span) => span.until >= from && span.from <= until;
}

type Identified = Pick<SeenCall, 'row' | 'wave' | 'at' | 'isAmbiguous' | 'isOfRefused'>;

/** Undefined if it is no call of an own wave. */
function callOf(own: readonly OwnWave[], owner: Owner | undefined, at: number | undefined): Identified | undefined {
  if (owner?.kind !== 'campaign' || owner.key >= 0) return undefined;
  const { wave, launched, rowAt } = own[-1 - owner.key] as OwnWave;
  const row = rowAt(owner.row);
  if (row === undefined) return undefined;
  const planned = launched.start + (owner.row * HOUR) / launched.callsPerHour;
  return { row, wave, at: at ?? planned, isAmbiguous: owner.isAmbiguous };
}

/** Somebody was reached, whose call is awaited and may have been this one: nobody calls again for not knowing whose it was. */
function reachedBy(
  own: readonly OwnWave[],
  { phone, result: { status, isVoicemail } }: KeptEntry,
  at: number,
): Identified | undefined {
  if (status !== 'completed' || isVoicemail) return undefined;
  for (const { wave, launched, rowAt } of own) {
    const place = launched.contacts.phones.indexOf(phone);
    if (place === -1 || at < launched.span.from || at > launched.span.until) continue;
    const row = rowAt(place);
    if (row !== undefined) return { row, wave, at, isAmbiguous: true };
  }
  return undefined;
}

/** The contact, if its last wave has called it already, and not long before: nobody else that is known can have called. */
function secondCall(
  { roster }: LoadedPlan,
  { phone }: KeptEntry,
  at: number | undefined,
  isFromHere: (wave: number) => boolean,
): Identified | undefined {
  if (at === undefined) return undefined;
  for (const row of roster.rowsOfPhone(phone)) {
    const latest = latestOwnDial(roster, row);
    const isAfter = latest !== undefined && at > latest + SAME_CALL && at <= latest + RETRIED;
    if (!isAfter || isAwaited(roster, row) || !isFromHere(roster.waveOf(row))) continue;
    return { row, wave: roster.waveOf(row), at, isAmbiguous: false };
  }
  return undefined;
}

function latestOwnDial(roster: Roster, row: number): number | undefined {
  for (let rank = 0; rank < roster.dials; rank++)
    if (roster.markOf(row, rank) === DIAL_MARKS.own) return roster.dialOf(row, rank);
  return undefined;
}

/** Whether a call that would be news of a contact was taken for somebody's before: then it remains that. */
function isToldApart(roster: Roster, { row, wave, at }: Identified): boolean {
  return isAwaited(roster, row) && roster.waveOf(row) === wave && hasDialAt(roster, row, at);
}

function hasDialAt(roster: Roster, row: number, at: number): boolean {
  for (let rank = 0; rank < roster.dials; rank++) if (roster.dialOf(row, rank) === at) return true;
  return false;
}

function isFromPlan({ plan }: LoadedPlan, { call }: KeptEntry): boolean {
  if (call.agent_id !== plan.agent_id) return false;
  const from = phoneOf(call.call_from);
  return plan.from.some((number) => phoneKey(number) === from);
}

/** Whether there is no news of the last wave of a contact. */
function isAwaited(roster: Roster, row: number): boolean {
  const state = roster.stateOf(row);
  return state === 'handed' || state === 'unseen';
}

function addOthers(
  { others }: ToldApart,
  { roster }: LoadedPlan,
  { phone, call }: KeptEntry,
  at: number,
  callers: Pick<Callers, 'campaigns' | 'calls'>,
): void {
  const [row] = roster.rowsOfPhone(phone);
  if (row === undefined) return;
  const event: CalledByOthers = { event: 'others', at, row };
  if (isSentBy(callers, call, at)) event.sent = call.call_status === 'completed' ? 'answered' : 'not_answered';
  if (isNews(roster, event)) others.push(event);
}

/** Whether another request of this register may have made a call, whomever it calls: that is compared where it matters. */
function isSentBy({ campaigns, calls }: Pick<Callers, 'campaigns' | 'calls'>, call: CallLogEntry, at: number): boolean {
  const from = phoneOf(call.call_from);
  const isOf = (one: { agentId: number; from: string; span: Span }) =>
    one.agentId === call.agent_id && phoneKey(one.from) === from && one.span.from <= at && at <= one.span.until;
  return campaigns.some(isOf) || calls.some(isOf);
}

/** Whether a dial would change what is known of the latest ones. One without a mark may be the plan's own, and remains so. */
function isNews(roster: Roster, event: CalledByOthers): boolean {
  const { row, at } = event;
  for (let rank = 0; rank < roster.dials; rank++) {
    if (roster.dialOf(row, rank) !== at) continue;
    return roster.markOf(row, rank) !== DIAL_MARKS.none && markOf(event) > roster.markOf(row, rank);
  }
  return at > roster.dialOf(row, roster.dials - 1);
}

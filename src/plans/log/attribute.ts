/** Which entries of the log are calls of a plan's own waves, and which are others' calls to its phones. */
import { phoneOf } from '../../calls/select.ts';
import { Attribution } from '../../campaigns/attribution/attribution.ts';
import { onlyPhones, type Party, type SentParty, type Span, together } from '../../campaigns/attribution/party.ts';
import type { CallLogEntry } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { markOf } from '../rules/apply.ts';
import type { EventOf } from '../rules/events.ts';
import { callersAt, type Pending } from '../rules/pending.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { DIAL_MARKS, type Roster } from '../rules/roster.ts';
import type { SeenCall } from './attempts.ts';
import { ANY_ZONE, type KeptEntry } from './kept-entry.ts';
import {
  callOf,
  type Identified,
  isAttributed,
  type OwnWave,
  type RefusedWave,
  reachedBy,
  refusedCall,
  secondCall,
} from './own-calls.ts';

/** Who may have made the calls. */
export interface Callers {
  waves: readonly OwnWave[];
  /** Waves that nobody should have been called by. */
  refused: readonly RefusedWave[];
  /** Other campaigns, and single calls. */
  others: readonly SentParty[];
  /** The key of the number that a wave of the plan calls from, and when it begins; undefined if that is not known. */
  sentAs(wave: number): Pick<Party, 'from' | 'start'> | undefined;
  /** What the others may still do. */
  pending: readonly Pending[];
  /** Whether the service is known to call nobody of a wave twice: then a second call is somebody else's. */
  callsOnce: boolean;
}

/** The waves of the contacts that entries may be news of. `sent`: all waves that were, or may have been, placed. */
export function wavesIn(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  sent: ReadonlyMap<number, Pick<Party, 'start' | 'span'>>,
): Set<number> {
  const { roster } = loaded;
  const waves = new Set<number>();
  for (const entry of entries) {
    if (!isFromPlan(loaded, entry)) continue;
    // Of a recalled contact each that may have called then; all if the time is not known.
    const { at } = entry;
    const isThen = ({ start, span }: Pick<Party, 'start' | 'span'>) =>
      at === undefined || (at >= start - ANY_ZONE && at <= span.until);
    for (const row of roster.rowsOfPhone(entry.phone)) {
      if (roster.isAwaited(row)) waves.add(roster.waveOf(row));
      if (roster.isRecalled(row)) for (const [wave, part] of sent) if (isThen(part)) waves.add(wave);
    }
  }
  return waves;
}

/** The campaigns among others that may have made calls of the entries: their contacts are loaded. */
export function campaignsIn<T extends Party>(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  campaigns: readonly T[],
): T[] {
  const own = entries.filter((entry) => isFromPlan(loaded, entry));
  const lines = linesOf(own);
  const isInTime = timesOf(own);
  const isOfPlan = ({ agentId, from }: T) => agentId === loaded.plan.agent_id && lines.has(from);
  return campaigns.filter((campaign) => isOfPlan(campaign) && isInTime(campaign.span));
}

export interface Attributed {
  own: SeenCall[];
  /** Only calls that the roster does not know. */
  others: EventOf<'others'>[];
}

/** `now` by the service's clock, in milliseconds since the epoch. */
export function attribute(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  callers: Callers,
  now: number,
): Attributed {
  const made: Made[] = entries.filter((entry) => !isFromPlan(loaded, entry)).map((entry) => ({ entry }));
  const own = entries.filter((entry) => isFromPlan(loaded, entry));
  for (const [from, line] of linesOf(own)) {
    for (const one of madeFrom(loaded, line, { ...callers, from, now })) made.push(one);
  }
  const found: Attributed = { own: [], others: [] };
  for (const { entry, at = entry.at ?? now, call } of made) {
    const event = call === undefined ? calledByOthers(loaded, entry, at, callers.others) : undefined;
    if (event !== undefined) found.others.push(event);
    if (call === undefined || (isAttributed(loaded, call) && !isBesideAnother(made, entry, call))) continue;
    found.own.push({ ...call, ...entry.result });
  }
  return found;
}

/** Whether somebody else called the same phone at the very instant: then it is that call that was known before. */
function isBesideAnother(made: readonly Made[], { phone }: KeptEntry, { at }: Identified): boolean {
  return made.some((one) => one.call === undefined && one.entry.phone === phone && (one.at ?? one.entry.at) === at);
}

/** An entry, when its call was made as far as that is known, and the call of the plan that it is. */
interface Made {
  entry: KeptEntry;
  at?: number | undefined;
  call?: Identified | undefined;
}

/** What entries are that name the plan's agent and one of its numbers. */
function madeFrom(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  callers: Callers & { from: string; now: number },
): Made[] {
  const { waves, refused, callsOnce, from, now } = callers;
  const { agent_id: agentId } = loaded.plan;
  const isOfLine = (one: Party) => one.agentId === agentId && one.from === from;
  const own = waves.filter(({ launched }) => isOfLine(launched));
  const beginOf = (wave: number) => {
    const sent = callers.sentAs(wave);
    // Of a wave that the register has forgotten only what follows on its calls is of this plan.
    if (sent === undefined) return Number.POSITIVE_INFINITY;
    return sent.from === from ? sent.start : undefined;
  };
  const ofLine = new Set(callers.others.filter(isOfLine).map(({ key }) => key));
  /** The other requests that may have called a row then: asked before a service is said to call twice. */
  const othersAt = callersAt(
    loaded,
    callers.pending.filter(({ key }) => ofLine.has(key)),
    phonesOf(entries),
  );
  const uninvited = (entry: KeptEntry, at: number | undefined) => {
    const second = callsOnce ? undefined : secondCall(loaded, entry, at, beginOf);
    const call = second?.call ?? refusedCall(loaded, refused, { phone: entry.phone, from, at });
    if (call === undefined) return undefined;
    // Of two calls either may be the other's: one that reached somebody was taken for the plan's own.
    const times = second === undefined ? [call.at] : [call.at, ...second.knownAt];
    return times.some((time) => othersAt(call.row, time).length > 0) ? undefined : call;
  };
  const isDisputed = (entry: KeptEntry) => uninvited(entry, entry.at) !== undefined;
  const disputed = new Set(entries.filter(isDisputed).map(({ phone }) => phone));
  if (own.length === 0 && disputed.size === 0) return entries.map((entry) => ({ entry }));
  const isInTime = timesOf(entries);
  const isThen = (one: Party) => isOfLine(one) && isInTime(one.span);
  const others = unfinished(loaded, entries, callers.others.filter(isThen), callers.pending);
  const attribution = new Attribution(partiesOf(own, others, disputed));
  const taken = new Set(entries.filter(({ call }) => attribution.take(call)).map(({ mark }) => mark));
  attribution.resolve(now);
  const made: Made[] = [];
  const unsure: { entry: KeptEntry; at: number }[] = [];
  for (const entry of entries) {
    const isTaken = taken.has(entry.mark);
    const owner = isTaken ? attribution.ownerOf(entry.mark) : undefined;
    const at = (isTaken ? attribution.timeOf(entry.mark) : undefined) ?? entry.at;
    const call = callOf(own, owner, at) ?? (owner === undefined ? uninvited(entry, at) : undefined);
    if (call === undefined && owner?.isAmbiguous && at !== undefined) unsure.push({ entry, at });
    else made.push({ entry, at, call });
  }
  for (const { entry, at } of unsure) {
    const call = reachedBy(own, entry, at);
    const isSame = ({ row, wave }: Identified) => row === call?.row && wave === call.wave;
    const isKnown = made.some((one) => one.call !== undefined && isSame(one.call) && !isAttributed(loaded, one.call));
    made.push({ entry, at, call: isKnown ? undefined : call });
  }
  return made;
}

/**
 * The own waves, and whatever campaigns may have made their calls, or calls to disputed phones, of which nobody knows whether
 * they were called twice, or by a refused wave; and the single calls.
 */
function partiesOf(own: readonly OwnWave[], others: readonly Party[], disputed: ReadonlySet<number>): readonly Party[] {
  const waves = new Set<Party>(own.map(({ launched }) => launched));
  const isWanted = (party: Party) =>
    waves.has(party) || (disputed.size > 0 && party.contacts.phones.some((phone) => disputed.has(phone)));
  const campaigns = others.filter(({ isSingleCall }) => !isSingleCall);
  const calls = others.filter(({ isSingleCall }) => isSingleCall);
  return [...together([...campaigns, ...waves], isWanted).flat(), ...calls];
}

function linesOf(entries: readonly KeptEntry[]): ReadonlyMap<string, KeptEntry[]> {
  const lines = new Map<string, KeptEntry[]>();
  for (const entry of entries) {
    const from = phoneOf(entry.call.call_from);
    const line = lines.get(from);
    if (line === undefined) lines.set(from, [entry]);
    else line.push(entry);
  }
  return lines;
}

function phonesOf(entries: readonly KeptEntry[]): ReadonlySet<number> {
  return new Set(entries.map(({ phone }) => phone));
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

function isFromPlan({ plan }: LoadedPlan, { call }: KeptEntry): boolean {
  if (call.agent_id !== plan.agent_id) return false;
  const from = phoneOf(call.call_from);
  return plan.from.some((number) => phoneKey(number) === from);
}

// Others -------------------------------------------------------------------------------------------------------------

/**
 * Other requests without the phones that they cannot have called at the times of the entries: what they may do is over, or the log
 * has shown it before. On the local engine they may do everything.
 */
function unfinished(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  others: readonly SentParty[],
  pending: readonly Pending[],
): readonly Party[] {
  const keys = new Set(others.map(({ key }) => key));
  const known = pending.filter(({ key, isCertain }) => keys.has(key) && !isCertain);
  if (known.length === 0) return others;
  const callers = callersAt(loaded, known, phonesOf(entries));
  /** The requests that may have called a phone. */
  const callersOf = new Map<number, Set<number>>();
  for (const { phone, at, isCertain } of entries) {
    const [row] = loaded.roster.rowsOfPhone(phone);
    if (row === undefined) continue;
    const all = callersOf.get(phone) ?? new Set();
    callersOf.set(phone, all);
    for (const key of at === undefined || !isCertain ? keys : callers(row, at)) all.add(key);
  }
  const isKnown = new Set(known.map(({ key }) => key));
  const isOver = (key: number, phone: number) => isKnown.has(key) && callersOf.get(phone)?.has(key) === false;
  return others.flatMap((party) => {
    const { key, contacts } = party;
    if (!contacts.phones.some((phone) => isOver(key, phone))) return party;
    const left = onlyPhones(contacts, (phone) => !isOver(key, phone));
    return left.phones.length === 0 ? [] : { ...party, contacts: left };
  });
}

/** The event of a call that is not the plan's own; undefined if it is no news. */
function calledByOthers(
  { roster }: LoadedPlan,
  { phone, call }: KeptEntry,
  at: number,
  sent: readonly Party[],
): EventOf<'others'> | undefined {
  const [row] = roster.rowsOfPhone(phone);
  if (row === undefined) return undefined;
  const event: EventOf<'others'> = { event: 'others', at, row };
  if (isSentBy(sent, call, at)) event.sent = call.call_status === 'completed' ? 'answered' : 'not_answered';
  return isNews(roster, event) ? event : undefined;
}

/** Whether another request of this register may have made a call, whomever it calls: that is compared where it matters. */
function isSentBy(sent: readonly Party[], call: CallLogEntry, at: number): boolean {
  const from = phoneOf(call.call_from);
  return sent.some(
    (one) => one.agentId === call.agent_id && one.from === from && one.span.from <= at && at <= one.span.until,
  );
}

/** Whether a dial would change what is known of the latest ones. One without a mark was nobody's whom we know, and remains so. */
function isNews(roster: Roster, event: EventOf<'others'>): boolean {
  const { row, at } = event;
  const rank = roster.dialsOf(row).indexOf(at);
  if (rank === -1) return at > roster.dialOf(row, roster.dials - 1);
  const mark = roster.markOf(row, rank);
  return mark !== DIAL_MARKS.none && markOf(event) > mark;
}

/**
 * The same with every ambiguous call attributed to the others, unless somebody was reached: a later log will show more, and until
 * then nobody is called again. Its `others` are part of the plan already. `pending` is what else was sent.
 */
export function withoutPending(loaded: LoadedPlan, { own }: Attributed, pending: readonly Pending[]): Attributed {
  const isUnsure = ({ isAmbiguous, status, isVoicemail }: SeenCall) =>
    isAmbiguous && (status !== 'completed' || isVoicemail);
  const unsure = own.filter(isUnsure);
  if (unsure.length === 0) return { own, others: [] };
  // What is certain is in the log already.
  const callers = callersAt(
    loaded,
    pending.filter(({ isCertain }) => !isCertain),
    new Set(unsure.map(({ row }) => loaded.roster.phoneOf(row))),
  );
  const mayBePending = (call: SeenCall) => isUnsure(call) && callers(call.row, call.at).length > 0;
  const others = own.filter(mayBePending).map(({ row, at, status }): EventOf<'others'> => {
    return { event: 'others', at, row, sent: status === 'completed' ? 'answered' : 'not_answered' };
  });
  return { own: own.filter((call) => !mayBePending(call)), others };
}

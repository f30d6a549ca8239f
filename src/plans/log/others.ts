/** What else was sent from here, and others' calls to the phones of a plan. */

import { phoneOf } from '../../calls/select.ts';
import { onlyPhones, type Party, type SentParty } from '../../campaigns/attribution/party.ts';
import type { CallLogEntry } from '../../contract.ts';
import { markOf } from '../rules/apply.ts';
import type { EventOf } from '../rules/events.ts';
import { callersAt, type Pending } from '../rules/pending.ts';
import type { LoadedPlan } from '../rules/plan.ts';
import { DIAL_MARKS, type Roster } from '../rules/roster.ts';
import type { SeenCall } from './attempts.ts';
import type { KeptEntry } from './kept-entry.ts';

export interface Attributed {
  own: SeenCall[];
  /** Only calls that the roster does not know. */
  others: EventOf<'others'>[];
}

/**
 * Other requests without the phones that they cannot have called at the times of the entries: what they may do is over, or the log
 * has shown it before. On the local engine they may do everything.
 */
export function unfinished(
  loaded: LoadedPlan,
  entries: readonly KeptEntry[],
  others: readonly SentParty[],
  pending: readonly Pending[],
): readonly Party[] {
  const keys = new Set(others.map(({ key }) => key));
  const known = pending.filter(({ key, isCertain }) => keys.has(key) && !isCertain);
  if (known.length === 0) return others;
  const callers = callersAt(loaded, known, new Set(entries.map(({ phone }) => phone)));
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

/** The event of a call that is not the plan's own; undefined if it tells nothing new. */
export function calledByOthers(
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
 * The same with every call in doubt given to the others, unless somebody was reached: whose it was, the next one will show, and
 * until then nobody is called again. Its `others` are part of the plan already. `pending` is what else was sent.
 */
export function withoutDoubtful(loaded: LoadedPlan, { own }: Attributed, pending: readonly Pending[]): Attributed {
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
  const isDoubtful = (call: SeenCall) => isUnsure(call) && callers(call.row, call.at).length > 0;
  const others = own.filter(isDoubtful).map(({ row, at, status }): EventOf<'others'> => {
    return { event: 'others', at, row, sent: status === 'completed' ? 'answered' : 'not_answered' };
  });
  return { own: own.filter((call) => !isDoubtful(call)), others };
}

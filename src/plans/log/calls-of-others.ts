/** Entries of the log as calls that others made to the phones of a plan. */
import type { Span } from '../../calls/attribution/launched.ts';
import { phoneOf } from '../../calls/select.ts';
import type { CallLogEntry } from '../../contract.ts';
import { phoneKey } from '../../text/phone.ts';
import { markOf } from '../apply.ts';
import type { CalledByOthers } from '../events.ts';
import type { LoadedPlan } from '../plan.ts';
import { DIAL_MARKS, type Roster } from '../roster.ts';
import type { KeptEntry } from './kept-entry.ts';
import type { Others } from './unfinished.ts';

/** The event of a call that is not the plan's own; undefined if it tells nothing new. */
export function calledByOthers(
  { roster }: LoadedPlan,
  { phone, call }: KeptEntry,
  at: number,
  sent: Others,
): CalledByOthers | undefined {
  const [row] = roster.rowsOfPhone(phone);
  if (row === undefined) return undefined;
  const event: CalledByOthers = { event: 'others', at, row };
  if (isSentBy(sent, call, at)) event.sent = call.call_status === 'completed' ? 'answered' : 'not_answered';
  return isNews(roster, event) ? event : undefined;
}

/** Whether another request of this register may have made a call, whomever it calls: that is compared where it matters. */
function isSentBy({ campaigns, calls }: Others, call: CallLogEntry, at: number): boolean {
  const from = phoneOf(call.call_from);
  const isOf = (one: { agentId: number; from: string; span: Span }) =>
    one.agentId === call.agent_id && phoneKey(one.from) === from && one.span.from <= at && at <= one.span.until;
  return campaigns.some(isOf) || calls.some(isOf);
}

/** Whether a dial would change what is known of the latest ones. One without a mark was nobody's whom this machine knows, and remains so. */
function isNews(roster: Roster, event: CalledByOthers): boolean {
  const { row, at } = event;
  for (let rank = 0; rank < roster.dials; rank++) {
    if (roster.dialOf(row, rank) !== at) continue;
    return roster.markOf(row, rank) !== DIAL_MARKS.none && markOf(event) > roster.markOf(row, rank);
  }
  return at > roster.dialOf(row, roster.dials - 1);
}

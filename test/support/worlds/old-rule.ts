/**
 * How results were counted before calls were attributed: each campaign alone took every call of its agent, from its number, to
 * its contacts, since two minutes before its start. Kept to measure against.
 */

import { certainInstantOf, phoneOf } from '../../../src/calls/select.ts';
import type { CallLogEntry } from '../../../src/contract.ts';
import { phoneKeyOfDigits } from '../../../src/text/phone.ts';
import type { LaunchedCampaign } from './keyed.ts';

const LAG = 120_000;

/** The results of one campaign: all calls that count, and the state of each contact. */
export function byOldRule(
  { agentId, from, start, attempts, contacts }: LaunchedCampaign,
  entries: readonly CallLogEntry[],
) {
  const tallies = new Map([...contacts.phones].map((phone) => [phone, { calls: 0, isCompleted: false }]));
  let counted = 0;
  for (const entry of entries) {
    if (entry.agent_id !== agentId || phoneOf(entry.call_from) !== from) continue;
    if ((certainInstantOf(entry) ?? start) < start - LAG) continue;
    const tally = tallies.get(phoneKeyOfDigits(Number(phoneOf(entry.called_to).slice(1))));
    if (tally === undefined) continue;
    counted += 1;
    tally.calls += 1;
    tally.isCompleted ||= entry.call_status === 'completed';
  }
  const states = Array.from(contacts.phones, (phone) => {
    const { calls = 0, isCompleted = false } = tallies.get(phone) ?? {};
    if (isCompleted) return 'reached';
    return calls >= attempts ? 'exhausted' : 'waiting';
  });
  return { counted, states };
}

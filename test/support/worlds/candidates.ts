/** Who could have made an entry, by nothing but agent, numbers, time and what is echoed; and what really came of each contact. */
import { instantOf, phoneOf } from '../../../src/calls/select.ts';
import type { CallLogEntry, ContactState } from '../../../src/contract.ts';
import { phoneKey, phoneKeyOfDigits } from '../../../src/text/phone.ts';
import { MACHINES } from './by-careless-service.ts';
import type { LaunchedCampaign } from './keyed.ts';
import type { World } from './world.ts';

export type Candidate = { key: number; row: number } | { key: number };

/** The furthest a zone is from UTC. */
const ZONES = 14 * 3_600_000;

/** By call_id. A time without a zone may be of any zone. */
export function candidatesOf(world: World): Map<string, Candidate[]> {
  const { campaigns, calls, entries, showing } = world;
  const zones = showing.zone === 'none' || showing.zone === 'none, local' ? ZONES : 0;
  // A second more or less is within the times of what was sent.
  const slack = zones + (showing.unit > 1_000 ? showing.unit : 0);
  const rows = campaigns.map(({ contacts }) => {
    const byPhone = new Map<number, number[]>();
    contacts.phones.forEach((phone, row) => {
      byPhone.set(phone, [...(byPhone.get(phone) ?? []), row]);
    });
    return byPhone;
  });
  const could = (entry: CallLogEntry): Candidate[] => {
    const at = instantOf(entry) ?? Number.NaN;
    const to = phoneOf(entry.called_to);
    const isEcho = (identifier: string | undefined) =>
      !entry.custom_identifiers || entry.custom_identifiers === identifier;
    const isOf = (sent: (typeof calls)[number] | (typeof campaigns)[number]) =>
      sent.agentId === entry.agent_id &&
      sent.from === entry.call_from &&
      at >= sent.span.from - slack &&
      at <= sent.span.until + slack;
    const ofCampaigns = campaigns.flatMap((sent, nth) => {
      const isNamed = entry.campaign_id === undefined || entry.campaign_id === sent.campaignId;
      const found = isNamed && isOf(sent) ? (rows[nth]?.get(phoneKeyOfDigits(Number(to.slice(1)))) ?? []) : [];
      return found.filter((row) => isEcho(sent.contacts.identifierOf(row))).map((row) => ({ key: sent.key, row }));
    });
    const ofCalls = calls.filter(
      (sent) => entry.campaign_id === undefined && isOf(sent) && phoneKey(sent.to) === to && isEcho(sent.identifier),
    );
    return [...ofCampaigns, ...ofCalls.map(({ key }) => ({ key }))];
  };
  return new Map(entries.map((entry) => [String(entry.call_id), could(entry)]));
}

export interface TrueRow {
  state: ContactState;
  callIds: string[];
}

export function trueRows(world: World, campaign: LaunchedCampaign): TrueRow[] {
  const { truth, entries, now } = world;
  const isOver = now > campaign.span.until;
  const calls = Array.from(campaign.contacts.phones, (): { attempt: number; entry: CallLogEntry }[] => []);
  for (const entry of entries) {
    const owner = truth.get(String(entry.call_id));
    if (owner?.key === campaign.key && 'row' in owner) calls[owner.row]?.push({ attempt: owner.attempt, entry });
  }
  return calls.map((all) => {
    const inOrder = all.toSorted((left, right) => left.attempt - right.attempt).map(({ entry }) => entry);
    return {
      state: stateOf(inOrder, campaign.attempts, isOver),
      callIds: inOrder.map(({ call_id }) => String(call_id)),
    };
  });
}

function stateOf(calls: readonly CallLogEntry[], most: number, isOver: boolean): ContactState {
  const last = calls.at(-1);
  if (last?.call_status === 'completed')
    return MACHINES.includes(String(last.call_outcome)) ? 'not_reached' : 'reached';
  if (calls.length < most && !isOver) return 'waiting';
  return last === undefined ? 'no_result' : 'not_reached';
}

/** What really came of each contact of a campaign. */

import { isVoicemail } from '../../../src/campaigns/attribution/tally.ts';
import type { CallLogEntry, ContactState } from '../../../src/contract.ts';
import type { LaunchedCampaign } from './keyed.ts';
import type { World } from './world.ts';

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
  if (last?.call_status === 'completed') return isVoicemail(last) ? 'voicemail' : 'reached';
  if (calls.length < most && !isOver) return 'waiting';
  return last === undefined ? 'never_called' : (last.call_status as ContactState);
}

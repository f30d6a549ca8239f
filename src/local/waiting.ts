/** What the campaigns of a store have still to call, read before it is asked for. */
import type { Waiting } from '../engine/campaigns.ts';
import type { Campaign } from '../engine/state.ts';
import type { Snapshot } from './store.ts';

/** Of the campaigns in these states; there may be much to read. */
export async function waitingIn(
  { state, waitingOf }: Snapshot,
  statuses: readonly Campaign['status'][] = ['scheduled', 'running', 'paused'],
): Promise<(campaignId: number) => Waiting> {
  const waiting = new Map<number, Waiting>();
  for (const { campaign_id, status } of state.campaigns) {
    if (statuses.includes(status)) waiting.set(campaign_id, await waitingOf(campaign_id));
  }
  return (campaignId) => {
    const found = waiting.get(campaignId);
    if (found === undefined) throw new Error(`what waits in campaign ${campaignId} was not read`);
    return found;
  };
}

/** What is read of a store for people: its organizations at a glance, and what their campaigns have still to call. */
import type { Waiting } from '../engine/campaigns.ts';
import { type Campaign, callsSinceReset } from '../engine/state.ts';
import type { Snapshot, Store } from './store.ts';

export interface OrganizationFacts {
  organization_id: number;
  /** Millionths. */
  balance: number;
  /** How many there are. */
  agents: number;
  campaigns: number;
  calls: number;
}

/** What each holds by its newest committed state, by rising id. Throws FileError, also where one is lost. */
export async function organizationFacts(store: Store): Promise<OrganizationFacts[]> {
  await store.nextIds();
  const facts: OrganizationFacts[] = [];
  for (const organizationId of await store.ids()) {
    const state = (await store.snapshot(organizationId))?.state;
    if (state === undefined) continue;
    facts.push({
      organization_id: organizationId,
      balance: state.organization.balance,
      agents: state.agents.length,
      campaigns: state.campaigns.length,
      calls: callsSinceReset(state),
    });
  }
  return facts;
}

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

/** The organizations of a store at a glance. */
import { callsSinceReset } from '../engine/state.ts';
import type { Store } from './store.ts';

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

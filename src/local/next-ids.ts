/** The ids that count up over all organizations of a store. */
import type { State } from '../engine/state.ts';

/** The ids that the next organization, agent and campaign get. */
export interface NextIds {
  next_organization_id: number;
  next_agent_id: number;
  next_campaign_id: number;
}

/** The lowest that an organization leaves to others: its demo agent may get its id again by a reset, whatever is counted. */
export function idsAfter({ organization, next_agent_id, next_campaign_id }: State): NextIds {
  return {
    next_organization_id: organization.organization_id + 1,
    next_agent_id: Math.max(next_agent_id, organization.demo_agent_id + 1),
    next_campaign_id,
  };
}

export function higher(one: NextIds, other: NextIds): NextIds {
  return {
    next_organization_id: Math.max(one.next_organization_id, other.next_organization_id),
    next_agent_id: Math.max(one.next_agent_id, other.next_agent_id),
    next_campaign_id: Math.max(one.next_campaign_id, other.next_campaign_id),
  };
}

/** What a state counts of it. */
export type GivenIds = Pick<State, 'next_agent_id' | 'next_campaign_id'>;

/** Others may have been given ids since the state was read: it goes on after those. */
export function goOnAfter(state: GivenIds, { next_agent_id, next_campaign_id }: GivenIds): void {
  state.next_agent_id = Math.max(state.next_agent_id, next_agent_id);
  state.next_campaign_id = Math.max(state.next_campaign_id, next_campaign_id);
}

const WHAT = {
  next_organization_id: 'organizations',
  next_agent_id: 'agents',
  next_campaign_id: 'campaigns',
} as const;

/** What is wrong with ids that are lower than the lowest that are left; each completes a sentence about where they are counted. */
export function tooLow(counted: NextIds, least: NextIds): string[] {
  const names = Object.keys(WHAT) as (keyof NextIds)[];
  return names
    .filter((name) => counted[name] < least[name])
    .map(
      (name) =>
        `would give ${WHAT[name]} ids that were given already: ${name} is ${counted[name]}, and must be ${least[name]} or more`,
    );
}

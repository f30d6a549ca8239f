/** All that an engine holds, as text, and what is wrong with it. */
import { dayRange } from '../../src/engine/policy.ts';
import type { LocalEngine } from '../../src/local/open.ts';

const ALL = { ...dayRange(undefined, undefined), agentId: undefined };

/** Every organization with its state, calls, contacts and retries: the same text for stores that hold the same. */
export async function everythingOf({ store }: LocalEngine): Promise<string> {
  const ids = await store.ids();
  const each = ids.map(async (id) => {
    const snapshot = await store.snapshot(id);
    if (snapshot === undefined) return undefined;
    const { state, contactsOf, waitingOf, callPage } = snapshot;
    const campaigns = state.campaigns.map(async ({ campaign_id }) => {
      return { contacts: [...(await contactsOf(campaign_id))], waiting: await waitingOf(campaign_id) };
    });
    return { id, state, calls: await callPage(ALL, 10_000, 0), campaigns: await Promise.all(campaigns) };
  });
  return JSON.stringify(await Promise.all(each));
}

/** What the check of the first organization's store finds. */
export async function problemsOf({ store }: LocalEngine): Promise<unknown[]> {
  return (await store.check({ signal: new AbortController().signal, onCall: () => {} }, 1)).problems;
}

/**
 * The same with organizations, agents and campaigns in the order in which they were made, by whatever ids: what is refused half way
 * may have taken some, which nobody else gets.
 */
export async function everythingButIdsOf(engine: LocalEngine): Promise<string> {
  const all = await everythingOf(engine);
  const given = { organization: new Set<number>(), agent: new Set<number>(), campaign: new Set<number>() };
  JSON.parse(all, (key, value) => {
    const kind = KINDS[key];
    if (kind !== undefined) given[kind].add(value);
    return value;
  });
  return JSON.stringify(
    JSON.parse(all, (key, value) => {
      if (['next_agent_id', 'next_campaign_id', 'api_key'].includes(key)) return undefined;
      const kind = KINDS[key];
      return kind === undefined ? value : [...given[kind]].sort((one, other) => one - other).indexOf(value);
    }),
  );
}

const KINDS: Record<string, 'organization' | 'agent' | 'campaign'> = {
  id: 'organization',
  organization_id: 'organization',
  agent_id: 'agent',
  demo_agent_id: 'agent',
  campaign_id: 'campaign',
};

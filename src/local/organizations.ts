/** What is the same of every store: a check of all its organizations as if they were one, and what is told of each. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Waiting } from '../engine/campaigns.ts';
import { type Campaign, callsSinceReset } from '../engine/state.ts';
import type { CheckOptions, Snapshot, Store, StoreReport } from './store.ts';

/** Problems that are told; all are counted. */
const TOLD = 1_000;

/** Counts are added up; of other facts, the first one's are told. */
export async function checkAll(store: Store, options: CheckOptions): Promise<StoreReport> {
  const all: StoreReport = { facts: {}, problems: [], problemCount: 0, leftovers: [] };
  const tell = ({ problems, leftovers, problemCount }: StoreReport) => {
    all.problems.push(...problems.slice(0, TOLD - all.problems.length));
    all.leftovers.push(...leftovers);
    all.problemCount += problemCount;
  };
  const ids = await store.ids();
  for (const organizationId of ids) {
    const report = await store.check(options, organizationId);
    for (const [name, fact] of Object.entries(report.facts)) {
      const known = all.facts[name];
      if (known === undefined) all.facts[name] = fact;
      else if (typeof known === 'number' && typeof fact === 'number') all.facts[name] = known + fact;
    }
    tell(report);
    // A small one may be looked at without any pause in which an interrupt could arrive.
    await nextTurn();
    options.signal.throwIfAborted();
  }
  // Last, because organizations may get ids meanwhile.
  tell(await store.check(options));
  return ids.length === 1 ? all : { ...all, facts: { organizations: ids.length, ...all.facts } };
}

/** Organizations of which something is kept. */
const KEPT = 256;

/** What is kept of organizations that were used lately, so that what was read of them is not read again. */
export class Recent<Value> {
  /** The one that was used last at the end. */
  readonly #kept = new Map<number, Value>();

  has(organizationId: number): boolean {
    return this.#kept.has(organizationId);
  }

  get(organizationId: number, make: () => Value): Value {
    const value = this.#kept.get(organizationId) ?? make();
    this.#kept.delete(organizationId);
    this.#kept.set(organizationId, value);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}

/** An organization at a glance, for people. */
interface OrganizationFacts {
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

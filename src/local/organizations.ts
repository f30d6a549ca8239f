/** What every store does in the same way: what is asked of one organization, and a check of all of them as if they were one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Waiting } from '../engine/campaigns.ts';
import { type Campaign, callsSinceReset, type State } from '../engine/state.ts';
import type { Change, CheckOptions, IdsReport, Snapshot, Store, StoreReport } from './store.ts';

/** What a store keeps of one organization; as in `Store`. */
export interface Organization {
  transact(changes: readonly Change[], isToSkip: boolean): Promise<boolean>;
  snapshot(): Promise<Snapshot | undefined>;
  reset(fresh: State): Promise<void>;
  glance(): Promise<'new' | 'unfinished' | 'sound'>;
  check(options: CheckOptions): Promise<StoreReport>;
}

/** Problems that are told; all are counted. */
const TOLD = 1_000;

export abstract class Organizations {
  readonly #known = new Recent<Organization>();

  abstract ids(): Promise<number[]>;
  /** Throws FileError where the store is not there as a whole. */
  protected abstract open(organizationId: number): Organization;
  protected abstract checkIds(options: CheckOptions): Promise<IdsReport>;

  async transact(organizationId: number, changes: readonly Change[], isToSkip = false): Promise<boolean> {
    return await this.#of(organizationId).transact(changes, isToSkip);
  }

  async snapshot(organizationId: number): Promise<Snapshot | undefined> {
    return await this.#of(organizationId).snapshot();
  }

  async reset(fresh: State): Promise<void> {
    await this.#of(fresh.organization.organization_id).reset(fresh);
  }

  async glance(organizationId: number): Promise<'new' | 'unfinished' | 'sound'> {
    return await this.#of(organizationId).glance();
  }

  async check(options: CheckOptions, organizationId?: number): Promise<StoreReport> {
    return organizationId === undefined ? await this.#checkAll(options) : await this.#of(organizationId).check(options);
  }

  /** Counts are added up; of other facts, the first one's are told. */
  async #checkAll(options: CheckOptions): Promise<StoreReport> {
    const all: StoreReport = { facts: {}, problems: [], problemCount: 0, leftovers: [] };
    const tell = ({ problems, leftovers, problemCount = problems.length }: IdsReport & { problemCount?: number }) => {
      all.problems.push(...problems.slice(0, TOLD - all.problems.length));
      all.leftovers.push(...leftovers);
      all.problemCount += problemCount;
    };
    const ids = await this.ids();
    for (const organizationId of ids) {
      const report = await this.#of(organizationId).check(options);
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
    tell(await this.checkIds(options));
    return ids.length === 1 ? all : { ...all, facts: { organizations: ids.length, ...all.facts } };
  }

  #of(organizationId: number): Organization {
    return this.#known.get(organizationId, () => this.open(organizationId));
  }
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

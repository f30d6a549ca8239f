/** What every store does in the same way: what is asked of one organization, and a check of all of them as if they were one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { State } from '../engine/state.ts';
import { Recent } from './recent.ts';
import type { Change, CheckOptions, IdsReport, Snapshot, StoreReport } from './store.ts';

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

/** All organizations of a store, checked as if they were one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckOptions, IdsReport, StoreReport } from './store.ts';

/** Problems that are told; all are counted. */
const TOLD = 1_000;

interface CheckedStore {
  ids(): Promise<number[]>;
  checkOne(organizationId: number): Promise<StoreReport>;
  checkIds(): Promise<IdsReport>;
}

/** Counts are added up; of other facts, the first one's are told. */
export async function checkAll(store: CheckedStore, { signal }: Pick<CheckOptions, 'signal'>): Promise<StoreReport> {
  const all: StoreReport = { facts: {}, problems: [], problemCount: 0, leftovers: [] };
  const tell = ({ problems, leftovers, problemCount = problems.length }: IdsReport & { problemCount?: number }) => {
    all.problems.push(...problems.slice(0, TOLD - all.problems.length));
    all.leftovers.push(...leftovers);
    all.problemCount += problemCount;
  };
  const ids = await store.ids();
  for (const organizationId of ids) {
    const report = await store.checkOne(organizationId);
    for (const [name, fact] of Object.entries(report.facts)) {
      const known = all.facts[name];
      if (known === undefined) all.facts[name] = fact;
      else if (typeof known === 'number' && typeof fact === 'number') all.facts[name] = known + fact;
    }
    tell(report);
    // A small one may be looked at without any pause in which an interrupt could arrive.
    await nextTurn();
    signal.throwIfAborted();
  }
  // Last, because organizations may get ids meanwhile.
  tell(await store.checkIds());
  return ids.length === 1 ? all : { ...all, facts: { organizations: ids.length, ...all.facts } };
}

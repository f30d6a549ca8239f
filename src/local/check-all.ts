/** Checks and repairs of several organizations, told as one. */
import type { CheckOptions, RepairOptions, Store, StoreRepair, StoreReport } from './store.ts';

export async function checkAll(stores: readonly Store[], options: CheckOptions): Promise<StoreReport> {
  const reports: StoreReport[] = [];
  for (const store of stores) reports.push(await store.check(options));
  return together(reports);
}

export async function repairAll(stores: readonly Store[], options: RepairOptions): Promise<StoreRepair> {
  const repairs: StoreRepair[] = [];
  for (const store of stores) repairs.push(await store.repair(options));
  return {
    before: together(repairs.map(({ before }) => before)),
    after: together(repairs.map(({ after }) => after)),
    setAside: repairs.flatMap(({ setAside }) => setAside),
    sentences: repairs.flatMap(({ sentences }) => sentences),
  };
}

/** Counts are added up; of other facts, the first one's are told. */
function together(reports: readonly StoreReport[]): StoreReport {
  const [first, ...others] = reports as [StoreReport, ...StoreReport[]];
  if (others.length === 0) return first;
  const facts = { organizations: reports.length, ...first.facts };
  for (const other of others) {
    for (const [name, count] of Object.entries(other.facts)) {
      const sum = facts[name as keyof typeof facts];
      if (typeof sum === 'number' && typeof count === 'number') Object.assign(facts, { [name]: sum + count });
    }
  }
  return {
    facts,
    problems: reports.flatMap(({ problems }) => problems),
    problemCount: reports.reduce((sum, { problemCount }) => sum + problemCount, 0),
    leftovers: reports.flatMap(({ leftovers }) => leftovers),
    keepsOnlyCalls: reports.some(({ keepsOnlyCalls }) => keepsOnlyCalls),
  };
}

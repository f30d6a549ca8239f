/** All organizations of a store, checked as if they were one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckOptions, IdsReport, StoreReport } from './store.ts';

/** Problems that are told; all are counted. */
const TOLD = 1_000;

export interface CheckedStore {
  ids(): Promise<number[]>;
  checkOne(organizationId: number): Promise<StoreReport>;
  checkIds(): Promise<IdsReport>;
}

export async function checkAll(store: CheckedStore, { signal }: Pick<CheckOptions, 'signal'>): Promise<StoreReport> {
  const all = new Together();
  for (const organizationId of await store.ids()) {
    all.add(await store.checkOne(organizationId));
    // A small one may be looked at without any pause in which an interrupt could arrive.
    await nextTurn();
    signal.throwIfAborted();
  }
  // Last, because organizations may get ids meanwhile.
  all.tell(await store.checkIds());
  return all.report();
}

/** Counts are added up; of other facts, the first one's are told. */
class Together {
  readonly #facts: StoreReport['facts'] = {};
  readonly #sum: Omit<StoreReport, 'facts'> = { problems: [], problemCount: 0, leftovers: [] };
  #organizations = 0;

  add({ facts, ...told }: StoreReport): void {
    for (const [name, fact] of Object.entries(facts)) {
      const known = this.#facts[name];
      if (known === undefined) this.#facts[name] = fact;
      else if (typeof known === 'number' && typeof fact === 'number') this.#facts[name] = known + fact;
    }
    this.#organizations++;
    this.tell(told);
  }

  tell({ problems, leftovers, problemCount = problems.length }: Told): void {
    this.#sum.problems.push(...problems.slice(0, TOLD - this.#sum.problems.length));
    this.#sum.leftovers.push(...leftovers);
    this.#sum.problemCount += problemCount;
  }

  report(): StoreReport {
    const facts = this.#organizations === 1 ? this.#facts : { organizations: this.#organizations, ...this.#facts };
    return { facts, ...this.#sum };
  }
}

type Told = Pick<StoreReport, 'problems' | 'leftovers'> & Partial<Pick<StoreReport, 'problemCount'>>;

/** All organizations of a store, checked and repaired as if they were one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdsRepair, Organizations, Store, StoreReport } from './store.ts';

/** Problems that are told; all are counted. */
const TOLD = 1_000;

export function allOf(organizations: Organizations): Pick<Store, 'check' | 'repair'> {
  return {
    async check(options) {
      const all = new Together();
      for await (const store of storesOf(organizations, options.signal)) all.add(await store.check(options));
      // Last, because organizations may get ids meanwhile.
      all.tell(await organizations.checkIds(options));
      return all.report();
    },

    async repair(options) {
      const [before, after] = [new Together(), new Together()];
      const made: IdsRepair = { setAside: [], sentences: [] };
      // First, because an organization whose root is lost gets an agent.
      const ids = await organizations.checkIds(options);
      const isSound = ids.problems.length === 0;
      if (!isSound) add(made, await organizations.repairIds(options));
      for await (const store of storesOf(organizations, options.signal)) {
        const repair = await store.repair(options);
        before.add(repair.before);
        after.add(repair.after);
        add(made, repair);
      }
      before.tell(ids);
      after.tell(isSound ? ids : await organizations.checkIds(options));
      return { before: before.report(), after: after.report(), ...made };
    },
  };
}

function add(sum: IdsRepair, { setAside, sentences }: IdsRepair): void {
  sum.setAside.push(...setAside);
  sum.sentences.push(...sentences);
}

async function* storesOf(organizations: Organizations, signal: AbortSignal): AsyncGenerator<Store> {
  for (const organizationId of await organizations.ids()) {
    const store = await organizations.storeOf(organizationId);
    if (store !== undefined) yield store;
    // A small one may be looked at without any pause in which an interrupt could arrive.
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Counts are added up; of other facts, the first one's are told. */
class Together {
  readonly #facts: StoreReport['facts'] = {};
  readonly #sum: Omit<StoreReport, 'facts'> = { problems: [], problemCount: 0, leftovers: [], keepsOnlyCalls: false };
  #organizations = 0;

  add({ facts, keepsOnlyCalls, ...told }: StoreReport): void {
    for (const [name, fact] of Object.entries(facts)) {
      const known = this.#facts[name];
      if (known === undefined) this.#facts[name] = fact;
      else if (typeof known === 'number' && typeof fact === 'number') this.#facts[name] = known + fact;
    }
    this.#sum.keepsOnlyCalls ||= keepsOnlyCalls;
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

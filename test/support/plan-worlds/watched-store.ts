/** A store of the local engine in memory. It tells of each call which contact of which campaign it was for. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Contact, DocumentedCall } from '../../../src/contract.ts';
import type { CampaignQueues } from '../../../src/engine/campaigns.ts';
import { MemoryQueues } from '../../../src/engine/pace.ts';
import type { State } from '../../../src/engine/state.ts';
import type { Change, Snapshot, Store, Transaction } from '../../../src/local/store.ts';

/** Undefined for a single call. */
export type Placing = { campaignId: number; row: number } | undefined;

export class WatchedStore implements Store {
  readonly location = 'memory';
  readonly #state: State;
  readonly #onCall: (call: DocumentedCall, placing: Placing) => void;
  readonly #contacts = new Map<number, readonly Contact[]>();
  readonly #queues = new Map<number, CampaignQueues>();
  #placing: Placing;
  #last: Promise<unknown> = Promise.resolve();

  constructor(state: State, onCall: (call: DocumentedCall, placing: Placing) => void) {
    this.#state = state;
    this.#onCall = onCall;
  }

  async transact(_organizationId: number, changes: readonly Change[]): Promise<boolean> {
    const transaction: Transaction = {
      state: this.#state,
      appendCall: (entry) => {
        this.#onCall(entry, this.#placing);
        this.#placing = undefined;
      },
      addContacts: (campaignId, contacts) => {
        this.#contacts.set(campaignId, contacts);
        this.#queues.set(campaignId, this.#watched(campaignId, contacts));
      },
      keepRows: () => notOfThis('rows'),
      queuesOf: (campaignId) => this.#queues.get(campaignId) as CampaignQueues,
      issueIds: async (change) => change(),
      prepare: async () => 5_000,
    };
    const result = this.#last.then(async () => {
      for (const change of changes) await change(transaction);
    });
    this.#last = result.catch(() => nextTurn());
    await result;
    return true;
  }

  #watched(campaignId: number, contacts: readonly Contact[]): CampaignQueues {
    const queues = new MemoryQueues((row) => contacts[row] as Contact);
    let next = 0;
    return {
      takeContact: () => {
        this.#placing = { campaignId, row: next++ };
        return queues.takeContact();
      },
      takeRetry: () => {
        const retry = queues.takeRetry();
        this.#placing = { campaignId, row: retry.index };
        return retry;
      },
      retryDue: () => queues.retryDue(),
      addRetry: (retry) => queues.addRetry(retry),
    };
  }

  async snapshot(): Promise<Snapshot> {
    return {
      state: this.#state,
      callPage: async () => notOfThis('the log'),
      contactsOf: async (campaignId) => [...(this.#contacts.get(campaignId) ?? [])],
      rowsOf: async () => undefined,
      waitingOf: async () => notOfThis('what waits'),
    };
  }

  async ids(): Promise<number[]> {
    return [1];
  }

  nextIds(): Promise<never> {
    return notOfThis('ids');
  }

  add(): Promise<never> {
    return notOfThis('another organization');
  }

  receive(): Promise<void> {
    return notOfThis('a copy');
  }

  reset(): Promise<void> {
    return notOfThis('a reset');
  }

  async glance(): Promise<'sound'> {
    return 'sound';
  }

  check(): Promise<never> {
    return notOfThis('a check');
  }
}

function notOfThis(what: string): never {
  throw new Error(`${what}: not of this store`);
}

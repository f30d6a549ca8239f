/** A store of the local engine in memory. It tells of each call which contact of which campaign it was for. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Contact, DocumentedCall } from '../../../src/contract.ts';
import type { CampaignQueues } from '../../../src/engine/campaigns.ts';
import { MemoryQueues } from '../../../src/engine/pace.ts';
import type { State } from '../../../src/engine/state.ts';
import type { Store } from '../../../src/local/store.ts';
import type { Change, Transaction } from '../../../src/local/transaction.ts';

/** Undefined for a single call. */
export type Placing = { campaignId: number; row: number } | undefined;

/** What a world does not need is not there. */
export function watchedStore(state: State, onCall: (call: DocumentedCall, placing: Placing) => void): Store {
  const contactsOf = new Map<number, readonly Contact[]>();
  const queuesOf = new Map<number, CampaignQueues>();
  let placing: Placing;
  let last: Promise<unknown> = Promise.resolve();
  const watched = (campaignId: number, contacts: readonly Contact[]): CampaignQueues => {
    const queues = new MemoryQueues((row) => contacts[row] as Contact);
    let next = 0;
    return {
      takeContact: () => {
        placing = { campaignId, row: next++ };
        return queues.takeContact();
      },
      takeRetry: () => {
        const retry = queues.takeRetry();
        placing = { campaignId, row: retry.index };
        return retry;
      },
      retryDue: () => queues.retryDue(),
      addRetry: (retry) => queues.addRetry(retry),
    };
  };
  const transaction: Partial<Transaction> = {
    state,
    appendCall: (entry) => {
      onCall(entry, placing);
      placing = undefined;
    },
    addContacts: (campaignId, contacts) => {
      contactsOf.set(campaignId, [...contacts]);
      queuesOf.set(campaignId, watched(campaignId, [...contacts]));
    },
    queuesOf: (campaignId) => queuesOf.get(campaignId) as CampaignQueues,
    issueIds: async (change) => change(),
    prepare: async () => 5_000,
  };
  const snapshot = { state, contactsOf: async (campaignId: number) => [...(contactsOf.get(campaignId) ?? [])] };
  const store: Pick<Store, 'location' | 'transact' | 'ids' | 'glance'> = {
    location: 'memory',
    async transact(_organizationId: number, changes: readonly Change[]) {
      const result = last.then(async () => {
        for (const change of changes) await change(transaction as Transaction);
      });
      last = result.catch(() => nextTurn());
      await result;
      return true;
    },
    ids: async () => [1],
    glance: async () => 'sound',
  };
  return { ...store, snapshot: async () => snapshot } as unknown as Store;
}

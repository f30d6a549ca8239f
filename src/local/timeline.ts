/**
 * The store as time has left it: whatever fell due since the last command happens first, each at its own instant, before
 * anything is answered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { advance, nextDue } from '../engine/campaigns.ts';
import type { State } from '../engine/state.ts';
import type { Snapshot, Store, Transaction } from './store.ts';

export interface Clock {
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
  /** Aborts when the operator interrupts: long work stops and is not committed. */
  signal: AbortSignal;
}

/** The engine's clock: the system's plus what was added by `local advance`; it never goes back. */
export function engineNow(state: State, clock: Clock): number {
  return Math.max(state.clock.last, clock.systemNow() + state.clock.offset);
}

export class Timeline {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The newest state, after all that is due; `now` is in milliseconds. */
  async read(): Promise<{ snapshot: Snapshot; now: number }> {
    let snapshot = this.#store.snapshot();
    if (this.#isSomethingDue(snapshot.state)) {
      await this.#store.transact((transaction) => this.#catchUp(transaction));
      snapshot = this.#store.snapshot();
    }
    return { snapshot, now: engineNow(snapshot.state, this.#clock) };
  }

  /** Changes the newest state, after all that is due. A change that succeeds is stamped with `now`. */
  change<T>(change: (transaction: Transaction, now: number) => T): Promise<T> {
    return this.#store.transact(async (transaction) => {
      await this.#catchUp(transaction);
      const now = engineNow(transaction.state, this.#clock);
      const result = change(transaction, now);
      transaction.state.clock.last = now;
      return result;
    });
  }

  /**
   * Moves the clock forward, letting everything on the way happen. `until` says where to, given where the clock stands
   * (milliseconds), or 'idle': to the last thing that any campaign will do. `onCall` hears of every call.
   */
  move(until: (now: number) => number | 'idle', onCall: () => void): Promise<{ from: number; to: number }> {
    return this.#store.transact(async (transaction) => {
      await this.#catchUp(transaction);
      const { state } = transaction;
      const from = engineNow(state, this.#clock);
      await this.#play(transaction, until(from), onCall);
      state.clock.last = Math.max(state.clock.last, from);
      state.clock.offset += state.clock.last - from;
      return { from, to: state.clock.last };
    });
  }

  #isSomethingDue(state: State): boolean {
    const due = nextDue(state);
    return due !== undefined && due <= engineNow(state, this.#clock);
  }

  async #catchUp(transaction: Transaction): Promise<void> {
    const { state } = transaction;
    if (this.#isSomethingDue(state)) await this.#play(transaction, engineNow(state, this.#clock), () => {});
  }

  async #play(transaction: Transaction, until: number | 'idle', onCall: () => void): Promise<void> {
    let sinceTurn = 0;
    for (const call of advance(transaction.state, until, (campaignId) => transaction.queuesOf(campaignId))) {
      transaction.appendCall(call);
      onCall();
      // Long work leaves room for an interrupt to arrive.
      if (++sinceTurn === CALLS_A_TURN) {
        sinceTurn = 0;
        await nextTurn();
        this.#clock.signal.throwIfAborted();
      }
    }
  }
}

const CALLS_A_TURN = 5_000;

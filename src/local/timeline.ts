/**
 * An organization brought up to date: everything that fell due since the last command happens first, at its own instant, before
 * anything is answered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallLogEntry } from '../contract.ts';
import { advance, isStranded, nextDue } from '../engine/campaigns.ts';
import { isWithinCalendar, withinCalendar } from '../engine/policy.ts';
import type { State } from '../engine/state.ts';
import { FileError, InputError, isAnswer, systemCode } from '../errors.ts';
import { NOT_DURABLE } from '../storage/files/durable.ts';
import { isoTime } from '../text/iso.ts';
import type { Snapshot, Store } from './store.ts';
import type { Change, Transaction } from './transaction.ts';

export interface Clock {
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
  /** Aborts when the operator interrupts: long work stops and is not committed. */
  signal: AbortSignal;
  /** Told of each call that fell due since the last command, as it happens; both instants are in milliseconds since the epoch. */
  catchUp?: (since: number, now: number) => CatchUp;
}

interface CatchUp {
  onCall: OnCall;
  end(): void;
}

/** What is told of the calls that fell due since then, until now. */
type Watch = (since: number, now: number) => OnCall;
type OnCall = (call: Pick<CallLogEntry, 'timestamp'>) => void;

/** The engine's clock: the system's plus what `local advance` added; it never goes back, or beyond the calendar. */
export function engineNow(state: State, clock: Pick<Clock, 'systemNow'>): number {
  return timeBy(state.clock, clock.systemNow());
}

function timeBy({ last, offset }: State['clock'], systemNow: number): number {
  return withinCalendar(Math.max(last, systemNow + offset));
}

/** The result of moving the clock. Instants are in milliseconds since the epoch. */
export interface Move {
  from: number;
  to: number;
  /** Ids of campaigns that will never call their last contacts. */
  stranded: number[];
}

/** The system's codes for writing without permission, and those of a database. */
const READ_ONLY = ['EROFS', 'EACCES', 'EPERM', '42501', '25006'];

function isReadOnly(error: unknown): error is FileError {
  return error instanceof FileError && READ_ONLY.includes(systemCode(error.cause) ?? '');
}

export class Timeline {
  readonly #store: Store;
  readonly #organizationId: number;
  readonly #transact: ReturnType<typeof sharedCommits>;
  readonly #clock: Clock;
  readonly #onStale: (cause: FileError) => void;
  #isStaleTold = false;
  /** The clock of the state that was last looked at. */
  #seen: State['clock'] | undefined;

  /** `onStale` is called once if the store cannot be written but is read anyway. */
  constructor(store: Store, organizationId: number, clock: Clock, onStale: (cause: FileError) => void = () => {}) {
    this.#store = store;
    this.#organizationId = organizationId;
    this.#transact = sharedCommits((changes) => store.transact(organizationId, changes));
    this.#clock = clock;
    this.#onStale = onStale;
  }

  /** The time by the state that was last looked at: for what is dated often, and need not be exact. */
  lastKnownNow(): number {
    return this.#seen === undefined ? this.#clock.systemNow() : timeBy(this.#seen, this.#clock.systemNow());
  }

  /** The newest state as stored, before due events happen. */
  async stored(): Promise<Snapshot> {
    const snapshot = await this.#store.snapshot(this.#organizationId);
    if (snapshot === undefined) throw new FileError(`Organization ${this.#organizationId} is no longer there.`);
    this.#seen = snapshot.state.clock;
    return snapshot;
  }

  /**
   * The newest state after all due events, or as stored if nothing can be written; `now` is in milliseconds. `look` gets the
   * stored state before any event happens, and can prevent that by throwing.
   */
  async read(look: (stored: State) => void = () => {}): Promise<{ snapshot: Snapshot; now: number }> {
    let snapshot = await this.stored();
    look(snapshot.state);
    if (isSomethingDue(snapshot.state, engineNow(snapshot.state, this.#clock))) {
      await this.#onceUpToDate(async () => ({ result: undefined })).catch((error) => this.#tellStale(error));
      snapshot = await this.stored();
    }
    return { snapshot, now: engineNow(snapshot.state, this.#clock) };
  }

  #tellStale(error: unknown): void {
    if (!isReadOnly(error)) throw error;
    if (!this.#isStaleTold) this.#onStale(error);
    this.#isStaleTold = true;
  }

  /** Changes the newest state after all due events. A successful change is stamped with `now`. */
  change<T>(change: (transaction: Transaction, now: number) => T | Promise<T>): Promise<T> {
    return this.#onceUpToDate(async (transaction, now) => {
      const result = await change(transaction, now);
      transaction.state.clock.last = now;
      return { result };
    });
  }

  /**
   * Moves the clock forward, with every event on the way. `until` returns the target, given the clock's current time
   * (milliseconds), or 'idle': up to the last event of any campaign. `onCall` is called for every call. Throws InputError if
   * the target is beyond the calendar; `stranded` are the campaigns whose next call is.
   */
  move(until: (now: number) => number | 'idle', onCall: OnCall): Promise<Move> {
    let begun: { from: number; target: number | 'idle' } | undefined;
    return this.#onceUpToDate(async (transaction, now) => {
      const { state } = transaction;
      begun ??= { from: now, target: until(now) };
      const { from, target } = begun;
      if (target !== 'idle' && !isWithinCalendar(target)) {
        const stands = `the simulator's clock stands at ${isoTime(from)}`;
        throw new InputError(`The clock cannot go beyond the year 9999: ${stands}.`);
      }
      const isAtEnd = await this.#play(transaction, target, onCall);
      state.clock.last = Math.max(state.clock.last, now);
      state.clock.offset += state.clock.last - now;
      if (!isAtEnd) return undefined;
      const stranded = state.campaigns.filter(isStranded).map(({ campaign_id }) => campaign_id);
      return { result: { from, to: state.clock.last, stranded } };
    });
  }

  /**
   * Carries out `body` when all that fell due has happened: each time as much as one commit may hold. What `body` leaves undone
   * it says by returning nothing; then it is called again in the next commit.
   */
  async #onceUpToDate<T>(
    body: (transaction: Transaction, now: number) => Promise<{ result: T } | undefined>,
  ): Promise<T> {
    let catchUp: CatchUp | undefined;
    const watch: Watch = (since, now) => {
      catchUp ??= this.#clock.catchUp?.(since, now);
      return catchUp?.onCall ?? (() => {});
    };
    try {
      for (;;) {
        const done = await this.#transact(async (transaction) => {
          // The clock goes on meanwhile. What falls due until it is looked at again would come after what `body` does, and be
          // older.
          const now = engineNow(transaction.state, this.#clock);
          return (await this.#catchUp(transaction, now, watch)) ? await body(transaction, now) : undefined;
        });
        if (done !== undefined) return done.result;
      }
    } finally {
      catchUp?.end();
    }
  }

  /** What is due, as much as one commit may hold, unless another program is at it. */
  async playSome(): Promise<void> {
    const play = async (transaction: Transaction) => {
      await this.#catchUp(transaction, engineNow(transaction.state, this.#clock), () => () => {});
    };
    await this.#store.transact(this.#organizationId, [play], true);
  }

  /** Whether it came to the end. */
  async #catchUp(transaction: Transaction, now: number, watch: Watch): Promise<boolean> {
    const { state } = transaction;
    if (!isSomethingDue(state, now)) return true;
    return this.#play(transaction, now, watch(state.clock.last, now));
  }

  /** As much of it as one commit may hold; whether that was all. */
  async #play(transaction: Transaction, until: number | 'idle', onCall: OnCall): Promise<boolean> {
    let left = await transaction.prepare(until);
    if (left === 0) return false;
    for (const call of advance(transaction.state, until, (campaignId) => transaction.queuesOf(campaignId))) {
      transaction.appendCall(call);
      onCall(call);
      if (--left > 0) continue;
      // Gives an interrupt the chance to arrive during long work.
      await nextTurn();
      this.#clock.signal.throwIfAborted();
      left = await transaction.prepare(until);
      if (left === 0) return false;
    }
    return true;
  }
}

function isSomethingDue(state: State, now: number): boolean {
  const due = nextDue(state);
  return due !== undefined && due <= now;
}

interface Job {
  run: Change;
  /** Tells what came of it, once that is durable. Undefined until it has run to its end. */
  tell?: () => void;
  isRefused: boolean;
  fail(error: unknown): void;
}

/**
 * What runs changes together by `commit`. It resolves when what a change has done is durable. A change that is refused (an
 * InputError, or an error that is the service's answer) must have changed nothing; any other error undoes the whole commit.
 */
function sharedCommits(commit: (changes: readonly Change[]) => Promise<unknown>) {
  let waiting: Job[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const jobs = waiting;
      waiting = [];
      await carryOut(jobs, commit);
    }
    isDraining = false;
  }

  return <T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const job: Job = {
        isRefused: false,
        fail: reject,
        async run(transaction) {
          try {
            const value = await change(transaction);
            job.tell = () => resolve(value);
          } catch (error) {
            if (!(error instanceof InputError || isAnswer(error))) throw error;
            job.isRefused = true;
            job.tell = () => reject(error);
          }
        },
      };
      waiting.push(job);
      if (!isDraining) void drain();
    });
}

async function carryOut(jobs: readonly Job[], commit: (changes: readonly Change[]) => Promise<unknown>): Promise<void> {
  try {
    await commit(jobs.map(({ run }) => run));
    for (const job of jobs) job.tell?.();
  } catch (error) {
    // The change was written, though it may not last: a refused change is reported as refused, not as made.
    const isMade = error instanceof FileError && error.code === NOT_DURABLE;
    for (const job of jobs)
      if (isMade && job.isRefused) job.tell?.();
      else job.fail(error);
  }
}

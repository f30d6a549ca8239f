/**
 * What the local engine needs from a store of any kind. `open.ts` chooses one; everything else uses this interface. A store
 * keeps the engine's small state, contacts and retries of campaigns, and the call log. Failures are FileErrors.
 */
import type { Contact, DocumentedCall } from '../contract.ts';
import type { CampaignQueues, Waiting } from '../engine/campaigns.ts';
import type { CallFilter, CallPage } from '../engine/handlers.ts';
import type { State } from '../engine/state.ts';
import type { OriginalRows } from '../files/rows.ts';

export interface Store {
  /** Where it is kept, in words for people: a folder, for example. */
  readonly location: string;
  /** The most dials that are played in one commit, so that others need not wait long. */
  readonly dialsOfCommit: number;
  /**
   * Runs `change` alone and commits its result; the promise resolves when that is durable. Changes that wait at the same time
   * may share one commit. A change that is refused (an InputError, or an error that is the service's answer) must have changed
   * nothing; any other error undoes the whole commit.
   */
  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T>;
  /** The newest committed state. A store that does not exist yet has the state with which it would be created. */
  snapshot(): Promise<Snapshot>;
  /**
   * Keeps the original rows of a campaign's contacts beside it, as the content of a file of rows; they are no part of the
   * state.
   */
  keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void>;
  /** Replaces everything by a fresh state; its ids continue after those given before. */
  reset(fresh: State): Promise<void>;
  /** A quick check, without reading everything, whether it exists and can be used. Throws what is wrong with it. */
  glance(): Promise<'new' | 'sound'>;
  /** Reads everything and reports damage. Changes nothing. */
  check(options: CheckOptions): Promise<StoreReport>;
  /** Moves damaged parts aside and makes the rest consistent again. A sound store is not touched. */
  repair(options: RepairOptions): Promise<StoreRepair>;
}

/** What a transaction may do. Nobody else sees any of it before the commit. */
export interface Transaction {
  readonly state: State;
  appendCall(entry: DocumentedCall): void;
  /** `taken`: how many of them were dialled already. */
  addContacts(campaignId: number, contacts: readonly Contact[], taken?: number): void;
  queuesOf(campaignId: number): CampaignQueues;
  /** Makes everything ready for dials of the campaigns, and returns for how many: it is asked again after so many. */
  prepare(): Promise<number>;
}

/** One committed state of everything. */
export interface Snapshot {
  readonly state: State;
  callPage(filter: CallFilter, limit: number, offset: number): Promise<CallPage>;
  /** In the order in which they were sent; can be gone through more than once. Of `keys`, the texts are left out where that saves time. */
  contactsOf(campaignId: number, what?: 'keys' | 'all'): Promise<Iterable<Contact>>;
  /** The original rows of the contacts, in the same order; undefined if none were kept. */
  rowsOf(campaignId: number): Promise<OriginalRows | undefined>;
  waitingOf(campaignId: number): Promise<Waiting>;
}

export interface CheckOptions {
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Called after each call that was read, with their total number. */
  onCall(done: number, total: number): void;
}

export interface RepairOptions extends CheckOptions {
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
}

/** Something about a part of the store. */
export interface Remark {
  /** The part, as the store names it. */
  file: string;
  /** From 1; null for a remark about the whole part. */
  line: number | null;
  /** Completes a sentence about it. */
  message: string;
}

export interface StoreReport {
  /** Counts and similar facts, in the order in which they are shown. */
  facts: Record<string, string | number>;
  /** The first problems; `problemCount` counts all. */
  problems: Remark[];
  problemCount: number;
  /** Files that nothing committed belongs to; they do no harm. */
  leftovers: Remark[];
  /** Whether a repair can keep only the calls. */
  keepsOnlyCalls: boolean;
}

export interface StoreRepair {
  before: StoreReport;
  after: StoreReport;
  /** Copies with the content before the repair. */
  setAside: string[];
  /** What happened to the store, one sentence each. */
  sentences: string[];
}

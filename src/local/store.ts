/**
 * What the local engine needs from a store of any kind. `open.ts` chooses one; everything else uses this interface. A store
 * keeps the engine's small state, contacts and retries of campaigns, and the call log. Failures are FileErrors.
 */
import type { CallCounts, Contact, DocumentedCall } from '../contract.ts';
import type { CampaignQueues, Waiting } from '../engine/campaigns.ts';
import type { CallFilter, CallPage } from '../engine/handlers.ts';
import { callsSinceReset, type State } from '../engine/state.ts';
import type { OriginalRows } from '../files/rows.ts';
import type { NextIds } from './next-ids.ts';

/** What a store can say that several programs play at the same time. */
export interface Claims {
  /**
   * Organizations in which something is due at a time of the system (milliseconds since the epoch) and at which no other program is, the
   * longest due first, without those of `except`.
   */
  due(systemNow: number, most: number, except: readonly number[]): Promise<number[]>;
}

/** The organizations of an engine, each with a store of its own: what one does changes nothing of another. */
export interface Organizations {
  readonly location: string;
  /** What the database says of itself; undefined where there is none. Throws FileError. */
  diagnose?(systemNow: () => number): Promise<DatabaseFacts>;
  /** Undefined where nothing is played but when somebody asks. */
  readonly claims?: Claims;
  /** The first is always there: its store is created by its first change. */
  first(): Store;
  /** Undefined if there is no organization with this id. */
  storeOf(organizationId: number): Promise<Store | undefined>;
  /** Rising. */
  ids(): Promise<number[]>;
  /** What each holds by its newest committed state, by rising id. */
  list(): Promise<OrganizationFacts[]>;
  /** Adds one and returns its id. `initial` makes its state; it is given its id and that of its demo agent. */
  add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number>;
  /** Throws FileError. */
  nextIds(): Promise<NextIds>;
  /**
   * Makes a whole engine where there is nothing yet: nobody sees any of it before `body` has resolved, and if it throws, or this program
   * is killed, there is nothing. Throws FileError.
   */
  receive(body: (copy: Copy) => Promise<void>): Promise<void>;
  /** What is wrong with the ids that count up over all. Changes nothing. Throws FileError. */
  checkIds(options: Pick<CheckOptions, 'signal'>): Promise<IdsReport>;
}

/** How many calls of an organization were copied, and of how many. */
export type OnCopied = (done: number, total: number) => void;

/** An engine in the making. */
export interface Copy {
  /** Adds an organization with all that the snapshot knows. Throws FileError where it cannot be kept. */
  add(from: Snapshot, onCopied: OnCopied): Promise<void>;
  /** Of one that was added. */
  snapshotOf(organizationId: number): Promise<Snapshot>;
  countIdsFrom(ids: NextIds): Promise<void>;
}

export interface DatabaseFacts {
  version: string;
  isSupported: boolean;
  /** Milliseconds by which its clock is ahead of this machine's. */
  clockAhead: number;
  /** Seconds for which another program's transaction has been open. */
  longestTransaction: number;
  /** Whether nobody can change anything there: a standby, or a database that was made read-only. */
  isReadOnly: boolean;
  /** Whether this user may change the store, or make it if there is none. */
  mayWrite: boolean;
  /** The tables that this user may not write, if there are tables. */
  forbiddenTables: string[];
}

export interface OrganizationFacts {
  organization_id: number;
  /** Millionths. */
  balance: number;
  /** How many there are. */
  agents: number;
  campaigns: number;
  calls: number;
}

export function factsOf(state: State): OrganizationFacts {
  return {
    organization_id: state.organization.organization_id,
    balance: state.organization.balance,
    agents: state.agents.length,
    campaigns: state.campaigns.length,
    calls: callsSinceReset(state),
  };
}

/** What one organization keeps. */
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
  /** The same, but undefined where another program is changing it; only of a store with claims. */
  transactIfFree?<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<{ result: T } | undefined>;
  /** The newest committed state. A store that does not exist yet has the state with which it would be created. */
  snapshot(): Promise<Snapshot>;
  /**
   * Keeps the original rows of a campaign's contacts beside it, as the content of a file of rows; they are no part of the
   * state.
   */
  keepRows(campaignId: number, file: Iterable<Buffer>): Promise<void>;
  /** Replaces everything by a fresh state; its ids continue after those given before. */
  reset(fresh: State): Promise<void>;
  /**
   * A quick check, without reading everything, whether it exists and can be used; of one that is unfinished, only a copy may be made
   * anew. Throws what is wrong with it.
   */
  glance(): Promise<'new' | 'unfinished' | 'sound'>;
  /** Reads everything and reports damage. Changes nothing. */
  check(options: CheckOptions): Promise<StoreReport>;
}

/** What a transaction may do. Nobody else sees any of it before the commit. */
export interface Transaction {
  readonly state: State;
  appendCall(entry: DocumentedCall): void;
  addContacts(campaignId: number, contacts: readonly Contact[]): void;
  queuesOf(campaignId: number): CampaignQueues;
  /** Runs a change that gives agents or campaigns the next ids of the state, which count up over all organizations. */
  issueIds<T>(change: () => T): Promise<T>;
  /** Makes everything ready for dials of the campaigns, and returns for how many: it is asked again after so many. */
  prepare(): Promise<number>;
}

/** One committed state of everything. */
export interface Snapshot {
  readonly state: State;
  callPage(filter: CallFilter, limit: number, offset: number): Promise<CallPage>;
  /** Calls counted where they are kept; undefined where that is no faster than to read them. */
  callCounts?(filter: CallFilter): Promise<CallCounts>;
  /** In the order in which they were sent; can be gone through more than once. Of `keys`, the texts are left out where that saves time. */
  contactsOf(campaignId: number, what?: 'keys' | 'all'): Promise<Iterable<Contact>>;
  /** The original rows of the contacts, in the same order; undefined if none were kept. */
  rowsOf(campaignId: number): Promise<OriginalRows | undefined>;
  waitingOf(campaignId: number): Promise<Waiting>;
  /** Everything as rows of tables, where it is kept so: also what no other method tells. */
  eachRow?(take: TakeRows): Promise<void>;
}

/** Takes some rows of a table, in an order in which they may be inserted. */
export type TakeRows = (table: string, rows: readonly Row[]) => Promise<void>;
export type Row = Record<string, unknown>;

export interface CheckOptions {
  /** Aborts when the operator interrupts. */
  signal: AbortSignal;
  /** Called after each call that was read, with their total number. */
  onCall(done: number, total: number): void;
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
}

export type IdsReport = Pick<StoreReport, 'problems' | 'leftovers'>;

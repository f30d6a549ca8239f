/**
 * What the local engine needs from a store of any kind. `open.ts` chooses one; everything else uses this interface. A store
 * keeps the engine's small state, contacts and retries of campaigns, and the call log.
 */
import type { CallCounts, Contact } from '../contract.ts';
import type { Waiting } from '../engine/campaigns.ts';
import type { CallFilter, CallPage } from '../engine/handlers.ts';
import type { State } from '../engine/state.ts';
import { FileError } from '../errors.ts';
import type { FileForm } from '../text/kept-rows.ts';
import type { Change } from './transaction.ts';

/** How many calls of an organization were copied, and of how many. */
export type OnCopied = (done: number, total: number) => void;

/** Adds an organization with all that the snapshot knows, and reads what was written. Throws FileError where it cannot be kept. */
export type Receive = (from: Snapshot, onCopied: OnCopied) => Promise<Snapshot>;

/** Where an engine keeps its organizations, by their ids: what one does changes nothing of another. Failures are FileErrors. */
export interface Store {
  /** In words for people: a folder, for example. */
  readonly location: string;
  /** Rising. The first organization is always there: its first change makes the store. */
  ids(): Promise<number[]>;
  /** The ids that come next. Throws where an organization is lost. */
  nextIds(): Promise<NextIds>;
  /** Adds an organization and returns its id. `initial` makes its state; it is given its id and that of its demo agent. */
  add(initial: (organizationId: number, demoAgentId: number) => State): Promise<number>;
  /**
   * Runs the changes one after the other, alone, and commits their result: durable when this resolves. When one throws, nothing
   * was changed, unless the error's code is `not_durable`. With `isToSkip`, nothing happens where another program is changing
   * it: false.
   */
  transact(organizationId: number, changes: readonly Change[], isToSkip?: boolean): Promise<boolean>;
  /**
   * The newest committed state: of a store that does not exist yet, that of its creation. Undefined if there is no such
   * organization.
   */
  snapshot(organizationId: number): Promise<Snapshot | undefined>;
  /** Replaces everything of its organization by a fresh state; its ids continue after those given before. */
  reset(fresh: State): Promise<void>;
  /**
   * A quick check, without reading everything, whether an organization can be used; of a store that is unfinished, only a copy
   * may be made anew. Throws what is wrong with it.
   */
  glance(organizationId: number): Promise<'new' | 'unfinished' | 'sound'>;
  /** Reads all of one organization, or what counts up over all of them, and reports damage. Changes nothing. */
  check(options: CheckOptions, organizationId?: number): Promise<StoreReport>;
  /**
   * Makes a whole store where there is nothing yet: nobody sees any of it before `body` has resolved with the ids that come
   * next, and if it throws, or this program is killed, there is nothing.
   */
  receive(body: (receive: Receive) => Promise<NextIds>): Promise<void>;
}

/** One committed state of everything. */
export interface Snapshot {
  readonly state: State;
  callPage(filter: CallFilter, limit: number, offset: number): Promise<CallPage>;
  /** Calls counted where they are kept; undefined where that is no faster than to read them. */
  callCounts?(filter: CallFilter): Promise<CallCounts>;
  /** In the order in which they were sent; can be gone through more than once. */
  contactsOf(campaignId: number): Promise<Iterable<Contact>>;
  /** The original rows of the contacts, in the same order; undefined if none were kept. */
  rowsOf(campaignId: number): Promise<OriginalRows | undefined>;
  waitingOf(campaignId: number): Promise<Waiting>;
}

/** The original rows of a table of contacts, as they were in its file. */
export interface OriginalRows {
  columns: string[];
  /** How the file was written; a store may not keep it. */
  form?: FileForm | undefined;
  /** Throws FileError at a damaged line. Can be gone through more than once. */
  rows: Iterable<string[]>;
}

/** The content of a file that keeps them: the columns on the first line, then the cells of a row on each. */
export function* linesOf({ columns, form, rows }: OriginalRows): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ columns, ...form })}\n`);
  for (const cells of rows) yield Buffer.from(`${JSON.stringify(cells)}\n`);
}

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

/** Of a check that counts nothing. */
export function report(problems: Remark[], leftovers: Remark[] = []): StoreReport {
  return { facts: {}, problems, problemCount: problems.length, leftovers };
}

/** The error of a store that cannot be used; `damage` completes a sentence about the part that is named before it. */
export function damaged(what: string, { damage = what, cause }: { damage?: string; cause?: unknown } = {}): FileError {
  return new FileError(`The store is damaged: ${what}.`, {
    code: 'store_damaged',
    reason: { kind: 'store_damaged', damage },
    cause,
  });
}

/** The same of one file; `damage` completes a sentence about it. */
export function damagedFile(path: string, damage: string, cause?: unknown): FileError {
  return damaged(`${path} ${damage}`, { damage, cause });
}

/** The ids that the next organization, agent and campaign get: they count up over all organizations of a store. */
export interface NextIds {
  next_organization_id: number;
  next_agent_id: number;
  next_campaign_id: number;
}

/** The lowest that an organization leaves to others: its demo agent may get its id again by a reset, whatever is counted. */
export function idsAfter({ organization, next_agent_id, next_campaign_id }: State): NextIds {
  return {
    next_organization_id: organization.organization_id + 1,
    next_agent_id: Math.max(next_agent_id, organization.demo_agent_id + 1),
    next_campaign_id,
  };
}

export function higher(one: NextIds, other: NextIds): NextIds {
  return {
    next_organization_id: Math.max(one.next_organization_id, other.next_organization_id),
    next_agent_id: Math.max(one.next_agent_id, other.next_agent_id),
    next_campaign_id: Math.max(one.next_campaign_id, other.next_campaign_id),
  };
}

/** What a state counts of it. */
export type GivenIds = Pick<State, 'next_agent_id' | 'next_campaign_id'>;

/** Others may have been given ids since the state was read: it goes on after those. */
export function goOnAfter(state: GivenIds, { next_agent_id, next_campaign_id }: GivenIds): void {
  state.next_agent_id = Math.max(state.next_agent_id, next_agent_id);
  state.next_campaign_id = Math.max(state.next_campaign_id, next_campaign_id);
}

const WHAT = [
  ['next_organization_id', 'organizations'],
  ['next_agent_id', 'agents'],
  ['next_campaign_id', 'campaigns'],
] as const;

/** What is wrong with ids that are lower than the lowest that are left; each completes a sentence about where they are counted. */
export function tooLow(counted: NextIds, least: NextIds): string[] {
  return WHAT.filter(([name]) => counted[name] < least[name]).map(
    ([name, what]) =>
      `would give ${what} ids that were given already: ${name} is ${counted[name]}, and must be ${least[name]} or more`,
  );
}

/** Which entries of the call log belong to which campaign, contact and attempt, and which to a single call. */
import type { CallLogEntry } from '../../contract.ts';
import type { SeenTexts } from '../../text/seen-texts.ts';
import type { LaunchedCall, LaunchedCampaign } from './launched.ts';
import type { ContactState } from './states.ts';

/** Whose an entry is. `row` is the contact's place in its campaign, from 0; `attempt` counts from 1. */
export type Owner =
  | { kind: 'campaign'; key: number; row: number; attempt: number; isAmbiguous: boolean }
  | { kind: 'call'; key: number; isAmbiguous: boolean };

/** What came of one contact. Instants in milliseconds since the epoch; undefined where there is none. */
export interface ContactOutcome {
  row: number;
  state: ContactState;
  /** The entries of its attempts, the oldest first. */
  calls: readonly KeptCall[];
  isAmbiguous: boolean;
}

/** What is kept of an entry. */
export interface KeptCall {
  /** `markOf` the entry. */
  mark: string;
  callId: string | undefined;
  /** Undefined if its time cannot be read. */
  at: number | undefined;
  status: string;
  outcome: string;
  /** Seconds; 0 if unknown. */
  duration: number;
  recordingUrl: string | undefined;
}

/** Counts of a campaign. */
export interface Tally {
  contacts: number;
  states: Record<ContactState, number>;
  attempts: number;
  /** Attempts that another campaign or call could have made as well. */
  ambiguous: number;
  byStatus: Record<string, number>;
  /** By the hour in which it begins, in milliseconds since the epoch. */
  byHour: Map<number, { calls: number; completed: number }>;
  firstCall: number | undefined;
  lastCall: number | undefined;
}

/** Everything that was sent with one agent and one number. */
export interface Launched {
  campaigns: readonly LaunchedCampaign[];
  calls: readonly LaunchedCall[];
}

/**
 * Takes entries of the log in any order, again when they change, and says whose they are. What it says depends on the entries
 * alone, not on their order. `attribute` in `matcher.ts` makes one.
 */
export interface Attribution {
  /** False if the entry is of another agent or number, or to nobody who was called. One with a known mark replaces the earlier. */
  take(call: CallLogEntry): boolean;
  /** Nothing yet: for a reading of the log, which remembers in it what it has shown. It shares the memory for the marks. */
  seenAnew(): SeenTexts;
  /** Works out whose the entries are. `now`, by the service's clock, decides what is over. */
  resolve(now: number): void;
  ownerOf(mark: string): Owner | undefined;
  /** When an entry was made, in milliseconds since the epoch, by what is known of the log's zone; undefined if nobody can tell. */
  timeOf(mark: string): number | undefined;
  tallyOf(key: number): Tally;
  /** Each contact of a campaign, in the order of sending. */
  outcomesOf(key: number): Iterable<ContactOutcome>;
  /** Entries of those that were taken which nobody claims. */
  readonly unclaimed: number;
  /** Entries that single calls claim. */
  readonly ofCalls: number;
}

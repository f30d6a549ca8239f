/** How far a plan has read the call log. */
import type { Heard } from './heard.ts';

/** An entry, and its place, counted from the end of the log: that stays the same when entries are added before it. */
export interface Rung {
  /** By which the entry is recognised. */
  mark: string;
  /** How many entries there are from this one to the end, itself included. */
  below: number;
}

export interface LogPosition {
  /** The first day that was asked for, YYYY-MM-DD; places are counted from there. */
  day: string;
  /** The day that was asked for at first: nothing before it matters to the plan. */
  floor: string;
  /** The first entry of the log, and some after it. */
  rungs: readonly Rung[];
  /** The place of the last entry that may still change; undefined if there is none. */
  unfinished: number | undefined;
}

/** What is known of a log that was read before. */
export interface KeptReading {
  heard: Heard;
  /** When all was heard that the log said of any request by then; absent where an earlier version kept it. */
  heardAllAt?: number | undefined;
  /** Milliseconds by which the service's clock was ahead of this machine's. */
  ahead?: number | undefined;
  /** Undefined if no place in the log is known: it may have been empty. */
  position: LogPosition | undefined;
}

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

/** How far the log was read again for opt-outs (`hearAgain`). */
export interface HeardAgain {
  /** When that was, and when the day began in which all is read once, by the service's clock, in milliseconds since the epoch. */
  at: number;
  began: number;
  /** How many entries there were. */
  total: number;
  /** The entry up to which it was read, and the day from which its place is counted; undefined before the first. */
  to?: (Rung & { day: string }) | undefined;
  /** Whether entries change places. */
  isMoving?: boolean | undefined;
}

/** What is known of a log that was read before. */
export interface KeptReading {
  heard: Heard;
  /** Absent where an earlier version kept it. */
  again?: HeardAgain | undefined;
  /** Milliseconds by which the service's clock was ahead of this machine's. */
  ahead?: number | undefined;
  /** Undefined if no place in the log is known: it may have been empty. */
  position: LogPosition | undefined;
}

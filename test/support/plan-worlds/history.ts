/** What really happened in a world, as the service and the operator saw it. All instants are milliseconds since the epoch. */
import type { Rules } from './world.ts';

/** A contact of a plan: one row of its file. */
export interface Row {
  /** What the service gets as `custom_identifiers`: it tells the rows of all plans apart. */
  key: string;
  phone: string;
  country: string;
  /** All zones in which the number may be. */
  zones: readonly string[];
}

export interface PlanOfHistory {
  name: string;
  rules: Rules;
  createdAt: number;
  start: number | undefined;
  end: number | undefined;
  /** Of the skipped dates, as `2026-12-25`. */
  skip: { date: string; country?: string }[];
  /** What it goes by from some moments on. */
  edits: { seq: number; rules: Rules; end: number | undefined }[];
  /** Those that `plan create` took. */
  rows: Row[];
  /** How many it said it took. */
  contacts: number;
}

/** A request to call somebody that reached the service. */
export interface Post {
  /** The order of everything that happened. */
  seq: number;
  at: number;
  kind: 'campaign' | 'call';
  /** Whose wave it is, and which; absent for what no plan sent. */
  wave?: { plan: number; number: number };
  /** It did not pass through the register. */
  isForeign: boolean;
  from: string;
  contacts: { phone: string; key: string }[];
  startTime: string | undefined;
  callsPerHour: number;
  retries: number;
  /** What its sender was told. */
  answer: 'accepted' | 'refused' | 'unknown';
  /** Of a refusal. */
  status?: number;
  /** It was carried out when its sender was dead. */
  isOrphan?: boolean;
}

/** A call that was really made. */
export interface Dial {
  at: number;
  phone: string;
  from: string;
  status: string;
  outcome: string;
  seconds: number;
  /** The `seq` of the request that caused it, and which of its contacts this is. */
  post: number;
  row: number;
  /** When its entry came into the log. */
  shownAt: number;
}

/** What an operator did, and when it had been done. */
export interface Told {
  seq: number;
  at: number;
  plan: number;
  what: 'ran' | 'stopped' | 'resuming' | 'recalling' | 'cancelled';
}

export interface Excluded {
  seq: number;
  phone: string;
}

/** What a plan says of itself: `plan status --json`, or `plan run --json`, which leaves out some. */
export interface Look {
  seq: number;
  at: number;
  plan: number;
  state: string;
  reason: unknown;
  contacts: Record<string, number>;
  attempts: number | undefined;
  /** Null where the plan has no price. */
  spent: number | null | undefined;
  /** When it will look again; undefined if it says no time. */
  next: number | undefined;
  /** It is the answer of a run. */
  isAfterRun: boolean;
}

export interface History {
  /** Whether the commands played it on their own local engine. */
  isLocal: boolean;
  /** Milliseconds by which the machine's clock is ahead of the service's. */
  ahead: number;
  /** The share of the pace asked for that the service keeps. */
  pace: number;
  plans: PlanOfHistory[];
  posts: Post[];
  /** In the order of time. */
  dials: Dial[];
  told: Told[];
  excluded: Excluded[];
  looks: Look[];
  /** What the commands themselves did wrong: exit codes, answers that are none, no end. */
  misbehaved: string[];
}

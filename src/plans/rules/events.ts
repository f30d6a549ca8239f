/**
 * The events of a plan, in the order in which things happened. None is ever changed or removed. Instants are in
 * milliseconds since the epoch by the service's clock; rows count from 0 in the order of the contacts.
 */
import type { Result } from '../../contract.ts';

/** Rows as runs: `[first, count, first, count, …]`. The order is that of the wave. */
export type Runs = readonly number[];

/** Written before the wave's campaign is sent: from now on its contacts are never handed over again without news of them. */
export interface Handed {
  event: 'handed';
  at: number;
  wave: number;
  from: string;
  start: number;
  interval: number;
  rows: Runs;
  /** The register's entry; absent on the local engine. */
  entry?: number;
}

/** What came of sending it. `not_placed`: certainly nobody will be called, so its contacts are what they were before. */
export interface Answered {
  event: 'answered';
  at: number;
  wave: number;
  outcome: 'accepted' | 'unknown' | 'not_placed';
  campaign_id?: number;
  /** What the service said. */
  message?: string;
}

/** An attempt of a wave, as the call log shows it. */
export interface Called {
  event: 'called';
  at: number;
  row: number;
  wave: number;
  result: Result;
  status: string;
  outcome: string;
  /** Seconds. */
  seconds: number;
  call_id?: string;
  recording_url?: string;
  ambiguous?: true;
}

/** The service says something else of a call that is known: whatever is here counts in the place of what was said before. */
export interface Revised extends Omit<Called, 'event'> {
  event: 'revised';
  was: Pick<Called, 'result' | 'seconds'>;
}

/** Another program's call, another campaign's or another plan's to a phone of this plan. */
export interface CalledByOthers {
  event: 'others';
  at: number;
  row: number;
  /** It may be a call of a request that went through this register, which calls this phone no more if it was `answered`. */
  sent?: 'answered' | 'not_answered';
}

/**
 * The log has a call of the wave with a status that the service's interface does not name, longer after its time than calls last: what came
 * of it is not known, so the contact is waited for as before, and is recalled only by name.
 */
export interface Unclear {
  event: 'unclear';
  at: number;
  row: number;
  wave: number;
  status: string;
}

/** No call of the wave was seen within a day. */
export interface Unseen {
  event: 'unseen';
  at: number;
  rows: Runs;
}

export interface Excluded {
  event: 'excluded';
  at: number;
  rows: Runs;
  why: 'list' | 'opted_out';
}

/** The plan ended before they were reached. */
export interface Left {
  event: 'left';
  at: number;
  rows: Runs;
}

/** `recalls`: those who are unseen may be called again; of those whose call is unclear only `rows`. */
export interface Resumed {
  event: 'resumed';
  at: number;
  recalls?: true;
  rows?: Runs;
}

export interface Halted {
  /** `waiting`: after the canary. */
  event: 'stopped' | 'waiting' | 'cancelled' | 'done';
  at: number;
  reason: string;
}

export type PlanEvent =
  | Handed
  | Answered
  | Called
  | Revised
  | CalledByOthers
  | Unclear
  | Unseen
  | Excluded
  | Left
  | Resumed
  | Halted;

/** Rows in their order, as runs. */
export function runsOf(rows: Iterable<number>): number[] {
  const runs: number[] = [];
  for (const row of rows) {
    const last = runs.length - 2;
    if (last >= 0 && (runs[last] as number) + (runs[last + 1] as number) === row) (runs[last + 1] as number) += 1;
    else runs.push(row, 1);
  }
  return runs;
}

export function* rowsOf(runs: Runs): Generator<number, void> {
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] as number;
    for (let row = first; row < first + (runs[at + 1] as number); row++) yield row;
  }
}

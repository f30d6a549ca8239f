/**
 * The latest entries of the log whose owner a plan has found out. An entry that is read again keeps its owner, whatever would explain it
 * by now.
 */
import type { Called } from '../events.ts';

/** A call of the plan's own, as its events have it. */
export interface ToldCall extends Pick<Called, 'row' | 'wave' | 'at' | 'result' | 'seconds' | 'status' | 'outcome'> {
  isAmbiguous: boolean;
}

export interface ToldEntry {
  /** By which it is known again. */
  identity: string;
  /** The time that it says itself. */
  saidAt: number;
  /** Until when it may change. */
  until: number;
  /** Undefined for what others called, or what the plan knew of already. */
  own: ToldCall | undefined;
}

export type ToldEntries = ReadonlyMap<string, ToldEntry>;

/** Without the names of its fields: tens of thousands are kept at each look. */
export function toldValues({ identity, saidAt, until, own }: ToldEntry): readonly unknown[] {
  if (own === undefined) return [identity, saidAt, until];
  const { row, wave, at, result, seconds, status, outcome, isAmbiguous } = own;
  return [identity, saidAt, until, row, wave, at, result, seconds, status, outcome, isAmbiguous];
}

/** Of an entry with the names of its fields, as an earlier version kept it, the same. */
export function toldOf(values: ReturnType<typeof toldValues> | ToldEntry): ToldEntry {
  if (!Array.isArray(values)) return values as ToldEntry;
  const [identity, saidAt, until, row, wave, at, result, seconds, status, outcome, isAmbiguous] = values;
  const own = row === undefined ? undefined : { row, wave, at, result, seconds, status, outcome, isAmbiguous };
  return { identity, saidAt, until, own };
}

export function toldCall(event: Omit<Called, 'event'>): ToldCall {
  const { row, wave, at, result, seconds, status, outcome, ambiguous } = event;
  return { row, wave, at, result, seconds, status, outcome, isAmbiguous: ambiguous === true };
}

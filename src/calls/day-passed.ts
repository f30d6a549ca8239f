/** Whether a day has passed since a call, although the clocks of the service and of this machine may differ. */
import type { CallLogEntry } from '../contract.ts';
import { LATENESS } from '../text/days.ts';
import { instantOf } from './select.ts';

/** In milliseconds since the epoch; undefined if unknown. */
export interface Clocks {
  /** From the date of the service's answers. */
  service?: number | undefined;
  /** The clock of this machine, or of the local engine. */
  own?: number | undefined;
}

/** How far ahead of a clock a call's time may be and still be believed, in milliseconds. */
const AHEAD = 3_600_000;

/** When a call was made; undefined if its time cannot be read, or is ahead of every clock. */
export function credibleInstantOf(call: CallLogEntry, { service, own }: Clocks): number | undefined {
  const at = instantOf(call);
  const clock = Math.max(service ?? Number.NEGATIVE_INFINITY, own ?? Number.NEGATIVE_INFINITY);
  return at !== undefined && Number.isFinite(clock) && at > clock + AHEAD ? undefined : at;
}

/**
 * True if the log continues for a day after the call, if both clocks show that a day has passed, or if the call's time is
 * unknown. A service's clock that is behind its own calls cannot be used to date them.
 */
export function hasDayPassed(call: CallLogEntry, latest: number, clocks: Clocks): boolean {
  const { service, own } = clocks;
  const at = credibleInstantOf(call, clocks);
  if (at === undefined || latest - at >= LATENESS) return true;
  if (service !== undefined && service + AHEAD >= at && service - at < LATENESS) return false;
  return own !== undefined && own - at >= LATENESS;
}

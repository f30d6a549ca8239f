/** The first day to ask the service for, so that it shows every call since an instant. */
import { isoDate } from './iso.ts';
import { DAY } from './units.ts';

/** Milliseconds that an entry may arrive in the log after a later one. */
export const LATENESS = DAY;

/** The service's day for an instant in milliseconds, minus one day, because the time zone of its days is unknown. */
export function firstDaySince(instant: number): string {
  return isoDate(Math.max(0, instant - DAY));
}

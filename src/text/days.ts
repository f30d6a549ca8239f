/** The first day to ask the service for, so that it shows every call since an instant. */

export const DAY = 86_400_000;

/** Milliseconds that an entry may arrive in the log after a later one. */
export const LATENESS = DAY;

/** The service's day for an instant in milliseconds, minus one day, because the time zone of its days is unknown. */
export function firstDaySince(instant: number): string {
  return new Date(Math.max(0, instant - DAY)).toISOString().slice(0, 10);
}

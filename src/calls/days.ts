/** From which day on the service is asked, so that it shows every call since an instant. */

const DAY = 86_400_000;

/** Milliseconds by which an entry may come into the log after a later one. */
export const LATENESS = DAY;

/** The day, as the service takes it, of an instant in milliseconds. Nobody says whose days it means: it is one earlier. */
export function firstDaySince(instant: number): string {
  return new Date(Math.max(0, instant - DAY)).toISOString().slice(0, 10);
}

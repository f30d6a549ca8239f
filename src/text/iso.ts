/** Instants, in milliseconds since the epoch, as the service and JSON write them: `2026-12-01T08:00:00.000Z`. */
import { DAY, MINUTE, SECOND } from './units.ts';

let second = Number.NaN;
let secondText = '';

/** The text of the last second is kept, which is ten times as fast where a thousand calls are placed in one. */
export function isoTime(instant: number): string {
  const whole = Math.trunc(instant);
  const at = Math.floor(whole / SECOND);
  if (at !== second) {
    secondText = new Date(at * SECOND).toISOString().slice(0, -4);
    second = at;
  }
  return `${secondText}${String(whole - at * SECOND).padStart(3, '0')}Z`;
}

/** Null where no instant is known: undefined, null, or beyond all time. */
export function isoTimeOrNull(instant: number | undefined | null): string | null {
  return instant !== undefined && instant !== null && Number.isFinite(instant) ? isoTime(instant) : null;
}

/** The date in UTC. */
export function isoDate(instant: number): string {
  return isoTime(instant).slice(0, 10);
}

/** As the clocks of this machine's zone show it: `2026-12-01T09:00:00.000+01:00`. */
export function localIsoTime(instant: number): string {
  const ahead = -new Date(instant).getTimezoneOffset();
  const offset = `${ahead < 0 ? '-' : '+'}${clockTime(Math.abs(ahead))}`;
  return isoTime(instant + ahead * MINUTE).replace('Z', offset);
}

/** Minutes of a day as `09:30`. */
export function clockTime(minutes: number): string {
  return `${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`;
}

/** Whole, with a 0 in front if it needs one. */
export function twoDigits(number: number): string {
  return String(Math.trunc(number)).padStart(2, '0');
}

/** Milliseconds that an entry may arrive in the log after a later one. */
export const LATENESS = DAY;

/**
 * The first day to ask the service for, so that it shows every call since an instant: one earlier, because the time zone of its
 * days is unknown.
 */
export function firstDaySince(instant: number): string {
  return isoDate(Math.max(0, instant - DAY));
}

/** Times and durations for a person: short, in the zone of this machine. Instants are milliseconds since the epoch. */
import { clockTime } from './iso.ts';
import { grouped } from './numbers.ts';
import { DAY, HOUR, MINUTE, SECOND } from './units.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20 Nov 10:05`; with the year where it is not the year of `now`. */
export function shortTime(at: number, now: number): string {
  const date = new Date(at);
  const day = `${String(date.getDate()).padStart(2)} ${MONTHS[date.getMonth()]}`;
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${day}${year} ${clockTime(date.getHours() * 60 + date.getMinutes())}`;
}

/**
 * The same for an ISO 8601 time with an offset, as the clocks there show it: `1 Dec 09:00 +01:00`. Where the zone of this
 * machine is not the one that is meant, the offset must stay visible.
 */
export function writtenTime(time: string, now: number): string {
  const [, year, month, day, clock, offset] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)[^Z+-]*(.*)$/.exec(time) ?? [];
  if (year === undefined) return time;
  const shownYear = Number(year) === new Date(now).getFullYear() ? '' : ` ${year}`;
  return `${Number(day)} ${MONTHS[Number(month) - 1]}${shownYear} ${clock} ${offset === 'Z' ? 'UTC' : offset}`;
}

/** A calendar day such as 2026-11-20, as `20 Nov`. */
export function shortDay(date: string, now: number): string {
  return writtenTime(`${date}T00:00Z`, now).replace(/ 00:00 UTC$/, '');
}

/** How far two instants are apart, in the largest unit that fits: `in 2 h`, `3 min ago`, `just now`. */
export function distance(at: number, now: number): string {
  const apart = Math.abs(at - now);
  if (apart < SECOND) return 'just now';
  const size = inLargestUnit(apart);
  return at > now ? `in ${size}` : `${size} ago`;
}

/** `20 Nov 10:05 (in 2 h)`. */
export function timeAndDistance(at: number, now: number): string {
  return `${shortTime(at, now).trimStart()} (${distance(at, now)})`;
}

/** Rounded: two hours less a second are `2 h`. Days only from two on, because 30 h is easier to place than 1 d. */
function inLargestUnit(apart: number): string {
  if (apart < MINUTE - SECOND / 2) return `${Math.round(apart / SECOND)} s`;
  if (apart < HOUR - MINUTE / 2) return `${Math.round(apart / MINUTE)} min`;
  if (apart < 2 * DAY - HOUR / 2) return `${Math.round(apart / HOUR)} h`;
  return `${Math.round(apart / DAY)} d`;
}

/** Seconds in the two largest units that say something: `45 s`, `2 min 5 s`, `1 h`, `1,234 h 5 min`, `3 d`. */
export function inUnits(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds) * SECOND;
  if (whole >= 2 * DAY && whole % DAY === 0) return `${grouped(whole / DAY)} d`;
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)];
  if (hours > 0) return `${grouped(hours)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  return `${minutes} min${whole % MINUTE > 0 ? ` ${(whole % MINUTE) / SECOND} s` : ''}`;
}

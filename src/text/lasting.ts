/** Durations for a person. */
import { grouped } from './numbers.ts';

/** Seconds in the two largest units that say something: `45 s`, `2 min 5 s`, `1 h`, `1,234 h 5 min`, `3 d`. */
export function inUnits(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  if (whole >= 2 * DAY && whole % DAY === 0) return `${grouped(whole / DAY)} d`;
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)];
  if (hours > 0) return `${grouped(hours)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  return `${minutes} min${whole % MINUTE > 0 ? ` ${whole % MINUTE} s` : ''}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Durations as people write them on the command line. */
import { DAY, HOUR, MINUTE, SECOND } from './units.ts';

/** The longest first, which is also the order in which several are written: `1h30m`. */
const UNITS = [
  { length: 7 * DAY, names: 'weeks?|wks?|w' },
  { length: DAY, names: 'days?|d' },
  { length: HOUR, names: 'hours?|hrs?|h' },
  { length: MINUTE, names: 'minutes?|mins?|m' },
  { length: SECOND, names: 'seconds?|secs?|s' },
] as const;

const PARTS = new RegExp(`^${UNITS.map(({ names }) => `(?:(\\d{1,9}) ?(?:${names}) ?)?`).join('')}$`);

/**
 * The seconds of `90`, `90s`, `15m`, `2h`, `3d` or `1w`, also in words (`2 hours`) and put together from the longest to the
 * shortest (`1h30m`); undefined for any other text.
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (text === '' || text.trim() !== text) return undefined;
  const parts = PARTS.exec(text)?.slice(1);
  const sum = parts?.reduce((sum, count, at) => sum + Number(count ?? 0) * (UNITS[at]?.length ?? 0), 0);
  return sum === undefined ? undefined : sum / SECOND;
}

/** Seconds as the command line writes them, in the largest unit up to days that divides them: `90m`. */
export function writeDuration(seconds: number): string {
  const units = { d: DAY, h: HOUR, m: MINUTE, s: SECOND };
  const milliseconds = seconds * SECOND;
  const [unit = 's', length = 1] = Object.entries(units).find(([, length]) => milliseconds % length === 0) ?? [];
  return `${milliseconds / length}${unit}`;
}

/** Days in what has no fixed length. */
const ROUGHLY = { mo: 30, month: 30, months: 30, y: 365, yr: 365, yrs: 365, year: 365, years: 365 };

/** What somebody may have meant by a text that is no duration, as a sentence; undefined if nobody can tell. */
export function durationMeant(text: string): string | undefined {
  const [, hours, rest] = /^(\d{1,4})(?::| ?h ?)(\d{1,2})$/.exec(text) ?? [];
  if (rest !== undefined && text.includes(':')) return `It could be ${hours}h${rest}m or ${hours}m${rest}s.`;
  if (rest !== undefined) return `It could be ${hours}h${rest}m or ${hours}h${rest}s.`;

  const [, whole, fraction, unit = ''] = /^(\d{1,6})[.,](\d{1,3}) ?([a-z]+)$/i.exec(text) ?? [];
  const one = parseDuration(`1${unit}`);
  const seconds = one === undefined ? Number.NaN : Math.round(Number(`${whole}.${fraction}`) * one * 1000) / 1000;
  if (Number.isInteger(seconds)) return `Did you mean ${writeDuration(seconds)}?`;

  const [, count, long = ''] = /^(\d{1,4}) ?([a-z]+)$/i.exec(text) ?? [];
  const days = Object.entries(ROUGHLY).find(([name]) => name === long.toLowerCase())?.[1];
  if (days !== undefined) return `Did you mean ${Number(count) * days}d?`;

  const plain = text.trim().toLowerCase();
  return plain !== text && parseDuration(plain) !== undefined ? `Did you mean ${plain}?` : undefined;
}

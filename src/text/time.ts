/** Durations and times as people write them on the command line. */
import { isCalendarDate, LAST_INSTANT, parseInstant } from '../contract.ts';
import { InputError } from '../errors.ts';

const UNIT_SECONDS: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** The seconds of `90`, `90s`, `15m`, `2h` or `3d`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (UNIT_SECONDS[unit ?? ''] ?? 1);
}

/** How a time may be written on the command line, for messages. */
const INSTANTS = '2026-11-20T09:00Z, 2026-11-20T09:00+01:00';

export interface TimeOptions {
  /** The flag that holds the time, for messages. */
  flag: string;
  /** What `+2h` is counted from, in milliseconds since the epoch; without it, such a time is refused. */
  now?: number | undefined;
  /** The IANA name of the zone of a time without an offset, and the flag that names it. */
  zone?: { name: string | undefined; flag: string };
}

/**
 * The instant, in milliseconds since the epoch, of an ISO 8601 time with an offset or `Z`, of one without an offset in `zone`,
 * or of `+2h` from `now`. Throws InputError: a missing time zone is never guessed.
 */
export async function parseTime(text: string, options: TimeOptions): Promise<number> {
  const instant = await instantOf(text, options);
  if (instant > LAST_INSTANT) throw new InputError(`${options.flag} ${text} is beyond the year 9999.`);
  return instant;
}

async function instantOf(text: string, { flag, now, zone }: TimeOptions): Promise<number> {
  const seconds = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (now !== undefined && seconds !== undefined) return now + seconds * 1000;

  const forms = now === undefined ? INSTANTS.replace(',', ' or') : `${INSTANTS}, or +2h from now`;
  const time = parseInstant(text);
  if (time === undefined) throw new InputError(`${flag} ${text} is not a time.`, { hint: `Write ${forms}.` });
  if (time.hasOffset) return time.epochMs;
  if (zone?.name === undefined) {
    const orZone = zone === undefined ? '' : `, or name the time zone with ${zone.flag} Europe/Berlin`;
    throw new InputError(`${flag} ${text} has no time zone.`, { hint: `Write ${forms}${orZone}.` });
  }
  return zonedInstant(time.epochMs, `${flag} ${text}`, { name: zone.name, flag: zone.flag });
}

/**
 * What the clocks of a time zone show, given as if it were UTC (milliseconds since the epoch). A time that the clocks skip or
 * show twice is refused, not shifted: the error names both possible instants. `what` is the flag with its value.
 */
async function zonedInstant(
  wallMs: number,
  what: string,
  { name, flag }: { name: string; flag: string },
): Promise<number> {
  const zone = canonicalZone(name, flag);
  const { Temporal } = await import('temporal-polyfill');
  const wallTime = Temporal.PlainDateTime.from(new Date(wallMs).toISOString().slice(0, -1));
  const earlier = wallTime.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = wallTime.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.equals(later)) return earlier.epochMilliseconds;
  const [first, second] = [earlier, later].map((time) => time.toString({ timeZoneName: 'never' }));
  throw new InputError(`${what} does not exist, or exists twice, in ${name}: the clocks change then.`, {
    hint: `Write ${first} or ${second}.`,
  });
}

/**
 * A time zone of the IANA database, in any case. Throws InputError for unknown names and for abbreviations: PST and IST mean
 * several zones, and libraries differ in which one they take. `flag` is the flag that names the zone.
 */
export function canonicalZone(name: string, flag: string): string {
  const zone = zoneKnownAs(name);
  if (zone !== undefined && !isAbbreviation(name)) return zone;
  const why = zone === undefined ? 'is not a time zone' : 'is an abbreviation, not the name of a time zone';
  throw new InputError(`${flag} ${name} ${why}.`, {
    hint: /^(UTC|GMT)?[+-]\d/i.test(name)
      ? 'Write the offset behind the time, as in 2026-11-20T09:00+01:00, or an IANA name like Europe/Berlin.'
      : 'Write an IANA name like Europe/Berlin or America/Los_Angeles.',
  });
}

/** Newer runtimes also accept an offset such as +01:00; here it is never the name of a zone. */
function zoneKnownAs(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** All three-letter names in the IANA database. */
const SHORT_ZONES = 'CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' ');

/** Whether only older libraries know this name. */
function isAbbreviation(name: string): boolean {
  const capitals = name.toUpperCase();
  return capitals.startsWith('SYSTEMV/') || (capitals.length === 3 && !SHORT_ZONES.includes(capitals));
}

/** An instant (milliseconds since the epoch) in this machine's time zone: `2026-11-20 10:00:00 +01:00`. */
export function localTime(epochMs: number): string {
  const offset = -new Date(epochMs).getTimezoneOffset();
  const wallTime = new Date(epochMs + offset * 60_000).toISOString();
  const twoDigits = (number: number) => String(Math.trunc(number)).padStart(2, '0');
  const ahead = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${twoDigits(ahead / 60)}:${twoDigits(ahead % 60)}`;
  return `${wallTime.slice(0, 10)} ${wallTime.slice(11, 19)} ${zone}`;
}

/** A calendar day in the service's format. Throws InputError. */
export function parseDate(text: string, flag: string): string {
  if (isCalendarDate(text)) return text;
  throw new InputError(`${flag} ${text} is not a date that exists.`, { hint: 'Write it as YYYY-MM-DD.' });
}

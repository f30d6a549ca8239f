/** Times as people write them on the command line, and the zones they are in. */
import { isCalendarDate, LAST_INSTANT, parseInstant } from '../contract.ts';
import { InputError } from '../errors.ts';
import { durationMeant, parseDuration } from './duration.ts';
import { isoDate, isoTime, localIsoTime, twoDigits } from './iso.ts';
import { DAY, SECOND } from './units.ts';
import { writtenTime } from './when.ts';
import {
  certainDate,
  dateMeant,
  datesMeant,
  daysAfter,
  dependsOnToday,
  readWrittenTime,
  type WrittenTime,
} from './written-time.ts';
import { changesOf } from './zone-changes.ts';
import { canonicalName, zoneClock } from './zone-clock.ts';

export interface TimeOptions {
  /** The flag that holds the time, for messages. */
  flag: string;
  /** What `today` and `2h` are counted from, in milliseconds since the epoch. */
  now: number;
  /** `ahead`: `monday` is the next one, and `2h` is counted from now. `back`: `monday` is the last one. */
  direction: 'ahead' | 'back';
  /** The zone of a time without an offset, which is known to exist. Without one, such a time is refused. */
  zone: string | undefined;
}

/**
 * The instant, in milliseconds since the epoch, of an ISO 8601 time with an offset or `Z`, of one without an offset in `zone`, of
 * `tomorrow 09:00` there, or of `2h` from `now`. Throws InputError: a missing time zone is never guessed, and a text that could
 * mean two instants is neither.
 */
export async function parseTime(text: string, options: TimeOptions): Promise<number> {
  const instant = await instantOf(text, options);
  if (instant > LAST_INSTANT) throw beyondCalendar(text, options);
  return instant;
}

/** Whether a text can be a time at all; which one, and whether it exists, the zone and the clock decide. */
export function isTime(text: string): boolean {
  return parseInstant(text) !== undefined || readWrittenTime(text) !== undefined;
}

/** Whether the words of a time mean another instant on another day. */
export function isInWords(text: string): boolean {
  const written = parseInstant(text) === undefined ? readWrittenTime(text) : undefined;
  return written !== undefined && dependsOnToday(written);
}

/** Whether the zone decides which instant a time that is ahead is; a day alone is none. */
export function needsZone(text: string): boolean {
  const time = parseInstant(text);
  if (time !== undefined) return !time.hasOffset;
  const written = secondsAhead(text) === undefined ? readWrittenTime(text) : undefined;
  return written?.clock !== undefined && written.offset === undefined;
}

function secondsAhead(text: string): number | undefined {
  return /^\d+$/.test(text) ? undefined : parseDuration(text.replace(/^(\+|in )/i, ''));
}

async function instantOf(text: string, options: TimeOptions): Promise<number> {
  const { now, direction } = options;
  const seconds = direction === 'ahead' ? secondsAhead(text) : undefined;
  if (seconds !== undefined) return now + seconds * SECOND;

  const time = parseInstant(text);
  if (time?.hasOffset) return time.epochMs;
  const isDay = direction === 'back' && isCalendarDate(text);
  const inZone = () => ({ ...options, zone: zoneOf(text, options) });
  if (time !== undefined && !isDay) return zonedInstant(time.epochMs, text, inZone());

  const written = readWrittenTime(text);
  if (written === undefined || (written.clock === undefined && direction === 'ahead')) throw notATime(text, options);
  const id = written.offset === 'Z' ? 'UTC' : written.offset;
  return writtenInstant(written, text, id === undefined ? inZone() : { ...options, zone: { id, name: id } });
}

/** The options once the zone is known; `name` is the zone as it was written. */
type InZone = Omit<TimeOptions, 'zone'> & { zone: { id: string; name: string } };

/** Throws InputError if the day is not certain, or if a time alone is on the other side of now. */
async function writtenInstant(written: WrittenTime, text: string, options: InZone): Promise<number> {
  const { day, clock } = written;
  const { flag, now, direction, zone } = options;
  const { Temporal } = await import('temporal-polyfill');
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone.id);
  const today = here.toPlainDate().toString();
  const form = (of: string) =>
    clock === undefined ? of : Temporal.PlainDateTime.from(`${of}T${clock}`).toZonedDateTime(zone.id).toString(NO_NAME);
  const date = certainDate(written, today, direction, `${flag} ${text}`, form);
  if (!isCalendarDate(date)) throw beyondCalendar(text, options);
  // Where the clocks skip midnight, the day begins later.
  if (clock === undefined) return Temporal.PlainDate.from(date).toZonedDateTime(zone.id).epochMilliseconds;
  const instant = await zonedInstant(Date.parse(`${date}T${clock}Z`), text, options);
  const isOtherSide = direction === 'ahead' ? instant < now : instant > now;
  if (day !== undefined || !isOtherSide) return instant;
  const [has, other] = direction === 'ahead' ? ['has passed', 'tomorrow'] : ['has not come', 'yesterday'];
  const clockThere = here.toPlainTime().toString().slice(0, 5);
  const hint = `Write "${other} ${text}".`;
  throw new InputError(`${flag} ${text} ${has} today: it is ${clockThere} in ${zone.name}.`, { hint });
}

function beyondCalendar(text: string, { flag }: Pick<TimeOptions, 'flag'>): InputError {
  return new InputError(`${flag} ${text} is beyond the year 9999.`);
}

/** Times are written with the offset, which says it all. */
const NO_NAME = { timeZoneName: 'never' } as const;

/** Where no zone is known, the offset of this machine's is written behind it: what is told works as it stands. */
function formOf(time: string, { now, zone }: TimeOptions): string {
  return `"${time}${zone === undefined ? ` ${localIsoTime(now).slice(-6)}` : ''}"`;
}

function notATime(text: string, options: TimeOptions): InputError {
  const hint = timeMeant(text, options) ?? `Write ${formOf(ANY_TIME[options.direction], options)}.`;
  return new InputError(`${options.flag} ${text} is not a time.`, { hint });
}

const ANY_TIME = { ahead: 'tomorrow 09:00', back: 'yesterday 09:00' };

/** What somebody may have meant, as a sentence with one form that is taken; undefined if nobody can tell. */
function timeMeant(text: string, options: TimeOptions): string | undefined {
  const { now, direction } = options;
  const write = (time: string, what: string) => `Write ${formOf(time, options)}, if ${what}.`;
  if (/^now$/i.test(text) && direction === 'ahead') return 'Leave it out to begin now.';
  const [, hour, minute] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined) return write(`${ANY_TIME[direction].replace(/ .*/, '')} ${hour}:${minute}`, 'that is meant');
  if (/^\d+$/.test(text)) return `Write ${text}m, if minutes are meant.`;
  const date = dateMeant(text, isoDate(now), direction);
  const { clock } = readWrittenTime(text.replace(/^\S+( [a-z]+(?= |$))?/i, '')) ?? {};
  if (date !== undefined) return write(`${date} ${clock?.slice(0, 5) ?? '09:00'}`, 'that is the day');
  const [, before, twelve] = /^(.*\b|)(12) ?[ap]m$/i.exec(text) ?? [];
  if (twelve !== undefined) return write(`${before}12:00`, 'noon is meant');
  const [, day, number] = /^(\S+) (\d\d?)$/.exec(text) ?? [];
  if (day !== undefined && Number(number) < 24) return write(`${day} ${twoDigits(Number(number))}:00`, 'that is meant');
  const bare = readWrittenTime(text);
  const isAhead = direction === 'ahead' && bare?.day !== 'yesterday';
  if (bare?.clock === undefined && bare?.day !== undefined && isAhead) return write(`${text} 09:00`, 'that is meant');
  return durationMeant(text.replace(/^\+/, ''));
}

/** The zone of a time without an offset. Throws InputError. */
function zoneOf(text: string, { flag, zone: name }: TimeOptions): InZone['zone'] {
  if (name === undefined) throw new InputError(`${flag} ${text} has no time zone.`);
  return { id: /^[+-]/.test(name) ? name : canonicalName(name), name };
}

/**
 * What the clocks of a time zone show, given as if it were UTC (milliseconds since the epoch). A time that the clocks skip or
 * show twice is refused, not shifted: the error names both possible instants. So is a time of a call in a zone whose clocks were
 * changed since the zone data was made.
 */
async function zonedInstant(wallMs: number, text: string, { flag, zone, direction }: InZone): Promise<number> {
  const { Temporal } = await import('temporal-polyfill');
  const wallTime = Temporal.PlainDateTime.from(isoTime(wallMs).slice(0, -1));
  const earlier = wallTime.toZonedDateTime(zone.id, { disambiguation: 'earlier' });
  const later = wallTime.toZonedDateTime(zone.id, { disambiguation: 'later' });
  const written = (times: (typeof later)[]) => times.map((time) => time.toString(NO_NAME)).join(' or ');
  if (earlier.equals(later)) {
    const changed = direction === 'ahead' ? changesOf(zone.id) : [];
    const others = changed.flatMap(({ as, from, until }) => {
      const other = wallTime.toZonedDateTime(as);
      const { epochMilliseconds: at } = other;
      return at >= from && at < until && at !== earlier.epochMilliseconds ? [other] : [];
    });
    if (others.length === 0) return earlier.epochMilliseconds;
    const hint = 'Write the one that is meant: the zone data of this program is older than the change.';
    const instants = written([earlier, ...others]);
    throw new InputError(`${flag} ${text} could be ${instants}: the clocks of ${zone.name} were changed.`, { hint });
  }
  const hint = `Write ${written([earlier, later])}.`;
  const why = `does not exist, or exists twice, in ${zone.name}: the clocks change then.`;
  throw new InputError(`${flag} ${text} ${why}`, { hint });
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
    return canonicalName(name);
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

/** This machine's time zone, or the one that TZ names: an IANA name, or its offset at an instant if it has none. */
export function machineZone(now: number): string {
  // Undefined, whatever the types say, where TZ is no name of a zone.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone: string | undefined };
  if (timeZone !== undefined && zoneKnownAs(timeZone) !== undefined && timeZone !== 'Etc/Unknown') return timeZone;
  return localTime(now).slice(-6);
}

/**
 * `1 Dec 09:00 Europe/Berlin (1 Dec 08:00 UTC)`: in a zone, or where none is known in this machine's, and in UTC, as it is sent.
 * Real people may be called then, so that neither may be in doubt.
 */
export function timeInZone(at: number, zone: string | undefined, now: number): string {
  const utc = writtenTime(isoTime(at), now);
  const name = zone ?? machineZone(at);
  const isOffset = /^[+-]/.test(name);
  if (name === 'UTC' || name === '+00:00') return utc;
  const there = isOffset ? localIsoTime(at) : isoTime(at + zoneClock(name).offset(at));
  return `${writtenTime(there, now).replace(/ UTC$/, ` ${name}`)} (${utc})`;
}

/** An instant (milliseconds since the epoch) in this machine's time zone: `2026-11-20 10:00:00 +01:00`. */
export function localTime(epochMs: number): string {
  const time = localIsoTime(epochMs);
  return `${time.slice(0, 10)} ${time.slice(11, 19)} ${time.slice(-6)}`;
}

// Whole days: dates, or words that are counted back from today ----------------------------------------------------------

const DAY_SECONDS = DAY / SECOND;

/**
 * The date, as YYYY-MM-DD, of a date, of `today`, `yesterday`, of the last `monday`, or of `7d` ago, which is also written `-7d`.
 * `flag` holds the day, and what day `now` is, in milliseconds, the zone decides, or this machine's. Throws InputError.
 */
export async function parseDay(
  text: string,
  flag: string,
  now: () => number | Promise<number>,
  zone: string | undefined,
): Promise<string> {
  if (isCalendarDate(text)) return text;
  const seconds = parseDuration(text.replace(/^-| ago$/, ''));
  const written = readWrittenTime(text);
  const isAgo = seconds !== undefined && !/^-?\d+$/.test(text) && seconds % DAY_SECONDS === 0;
  const isDay = written?.day !== undefined && written.clock === undefined;
  if (!isAgo && !isDay) throw notADay(text, flag);
  const at = await now();
  const today = zone === undefined ? localTime(at).slice(0, 10) : isoDate(at + zoneClock(zone).offset(at));
  const date = isDay
    ? certainDate(written, today, 'back', `${flag} ${text}`)
    : daysAfter(today, -(seconds ?? 0) / DAY_SECONDS);
  if (!isCalendarDate(date)) throw new InputError(`${flag} ${text} is beyond the calendar.`);
  return date;
}

function notADay(text: string, flag: string): InputError {
  const dates = datesMeant(text);
  const meant = dates.length > 0 ? `Did you mean ${dates.join(' or ')}?` : durationMeant(text.replace(/^-/, ''));
  return new InputError(`${flag} ${text} is not a date that exists.`, {
    hint:
      (meant === undefined ? '' : `${meant} `) +
      'Write it as YYYY-MM-DD, or as today, yesterday, monday, or 7d for seven days ago.',
  });
}

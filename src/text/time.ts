/** Times as people write them on the command line, and the zones they are in. */
import { isCalendarDate, LAST_INSTANT, parseInstant } from '../contract.ts';
import { InputError } from '../errors.ts';
import { durationMeant, parseDuration } from './duration.ts';
import { isoDate, isoTime, localIsoTime, twoDigits } from './iso.ts';
import { DAY, SECOND } from './units.ts';
import {
  certainDate,
  datesMeant,
  daysAfter,
  dependsOnToday,
  readWrittenTime,
  type WrittenTime,
} from './written-time.ts';
import { changesOf } from './zone-changes.ts';
import { canonicalName } from './zone-clock.ts';

export interface TimeOptions {
  /** The flag that holds the time, for messages. */
  flag: string;
  /** What `today` and `2h` are counted from, in milliseconds since the epoch. */
  now: number;
  /** `ahead`: `monday` is the next one, and `2h` is counted from now. `back`: `monday` is the last one. */
  direction: 'ahead' | 'back';
  /**
   * The zone of a time without an offset: one that is known to exist, or the IANA name that a flag may give. Without this, every
   * time needs an offset, and durations are no times.
   */
  zone?: string | { name: string | undefined; flag: string } | undefined;
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

async function instantOf(text: string, options: TimeOptions): Promise<number> {
  const { now, direction, zone } = options;
  const isCountable = direction === 'ahead' && zone !== undefined && !/^\d+$/.test(text);
  const seconds = isCountable ? parseDuration(text.replace(/^(\+|in )/, '')) : undefined;
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
  const date = certainDate(written, today, direction, `${flag} ${text}`);
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

/** How a time can be written now, for messages. */
function formsOf({ now, direction, zone }: TimeOptions, { isZoneKnown = true } = {}): string {
  const day = daysAfter(isoDate(now), direction === 'ahead' ? 1 : -1);
  const instants = [`${day}T09:00Z`, `${day}T09:00+01:00`];
  if (zone === undefined) return instants.join(' or ');
  const inWords = direction === 'ahead' ? '"tomorrow 09:00"' : 'yesterday';
  return `${[...instants, ...(isZoneKnown ? [inWords] : [])].join(', ')} or 2h`;
}

function notATime(text: string, options: TimeOptions): InputError {
  const meant = options.zone === undefined ? undefined : timeMeant(text, options);
  return new InputError(`${options.flag} ${text} is not a time.`, { hint: meant ?? `Write ${formsOf(options)}.` });
}

/** What somebody may have meant, as a sentence; undefined if nobody can tell. */
function timeMeant(text: string, { direction }: TimeOptions): string | undefined {
  if (/^now$/i.test(text) && direction === 'ahead') return 'Leave it out to begin now.';
  const [, hour, minute] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined) return `It could be ${hour}:${minute} or ${text}s.`;
  if (/^\d+$/.test(text)) return `Write ${text}s, ${text}m or ${text}h.`;
  const dates = datesMeant(text);
  if (dates.length > 0) return `Write the date as ${dates.join(' or ')}.`;
  const [, before, twelve] = /^(.*\b|)(12) ?[ap]m$/i.exec(text) ?? [];
  if (twelve !== undefined) return `Write ${before}12:00 for noon, or ${before}00:00 for midnight.`;
  const [, day, number] = /^(\S+) (?:at )?(\d\d?)$/.exec(text) ?? [];
  const half = Number(number) % 12;
  if (day !== undefined && half > 0 && Number(number) <= 12) {
    return `It could be "${day} ${twoDigits(half)}:00" or "${day} ${half + 12}:00".`;
  }
  const bare = readWrittenTime(text);
  const isAhead = direction === 'ahead' && bare?.day !== 'yesterday';
  if (bare?.clock === undefined && bare?.day !== undefined && isAhead) return `Write "${text} 09:00".`;
  if (/^(next|this|last) /i.test(text)) return 'Write the date that is meant.';
  return durationMeant(text.replace(/^\+/, ''));
}

/** The zone of a time without an offset. Throws InputError. */
function zoneOf(text: string, options: TimeOptions): InZone['zone'] {
  const { flag, zone } = options;
  if (typeof zone === 'string') return { id: zone, name: zone };
  if (zone?.name !== undefined) return { id: canonicalZone(zone.name, zone.flag), name: zone.name };
  const here =
    zone === undefined ? '' : `Add ${zone.flag} ${machineZone(options.now)}, if this computer's zone is meant. `;
  throw new InputError(`${flag} ${text} has no time zone.`, {
    hint: `${here}Write ${formsOf(options, { isZoneKnown: false })}.`,
  });
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
  const written = (times: (typeof later)[]) =>
    times.map((time) => time.toString({ timeZoneName: 'never' })).join(' or ');
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

/** An instant (milliseconds since the epoch) in this machine's time zone: `2026-11-20 10:00:00 +01:00`. */
export function localTime(epochMs: number): string {
  const time = localIsoTime(epochMs);
  return `${time.slice(0, 10)} ${time.slice(11, 19)} ${time.slice(-6)}`;
}

// Whole days: dates, or words that are counted back from today ----------------------------------------------------------

const DAY_SECONDS = DAY / SECOND;

/**
 * The date, as YYYY-MM-DD, of a date, of `today`, `yesterday`, of the last `monday`, or of `7d` ago, which is also written `-7d`.
 * `flag` holds the day, and what day `now` is, in milliseconds, this machine's time zone decides. Throws InputError.
 */
export async function parseDay(text: string, flag: string, now: () => number | Promise<number>): Promise<string> {
  if (isCalendarDate(text)) return text;
  const seconds = parseDuration(text.replace(/^-| ago$/, ''));
  const written = readWrittenTime(text);
  const isAgo = seconds !== undefined && !/^-?\d+$/.test(text) && seconds % DAY_SECONDS === 0;
  const isDay = written?.day !== undefined && written.clock === undefined;
  if (!isAgo && !isDay) throw notADay(text, flag);
  const today = localTime(await now()).slice(0, 10);
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

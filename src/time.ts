/** Durations and times as people write them on the command line. */
import { isCalendarDate, parseInstant } from './contract.ts';
import { InputError } from './errors.ts';

const UNIT_SECONDS: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `90`, `90s`, `15m`, `2h` or `3d`; undefined if the text is none of these. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (UNIT_SECONDS[unit ?? ''] ?? 1);
}

/** The end of the year 9999: what lies beyond is no ISO 8601 time of four digits. */
export const LAST_INSTANT = Date.UTC(10_000, 0, 1) - 1;

/** What a time on the command line may be, for messages and help. */
export const TIME_FORMS = '2026-11-20T09:00Z, 2026-11-20T09:00+01:00, or +2h from now';

/**
 * The instant, in milliseconds since the epoch, of an ISO 8601 time with an offset or `Z`, of one without an offset in
 * `timezone` (an IANA name), or of `+2h` from `now`. Throws InputError: nobody's zone is guessed.
 */
export async function parseTime(
  text: string,
  { now, timezone, flag }: { now: number; timezone: string | undefined; flag: string },
): Promise<number> {
  const relative = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (relative !== undefined) {
    const instant = now + relative * 1000;
    if (instant > LAST_INSTANT) throw new InputError(`${flag} ${text} is beyond the year 9999.`);
    return instant;
  }

  const instant = parseInstant(text);
  if (instant === undefined) throw new InputError(`${flag} ${text} is not a time.`, { hint: `Write ${TIME_FORMS}.` });
  if (instant.hasOffset) return instant.epochMs;
  if (timezone === undefined) {
    throw new InputError(`${flag} ${text} has no time zone.`, {
      hint: `Write ${TIME_FORMS}, or say where with --timezone Europe/Berlin.`,
    });
  }
  return zonedInstant(text, timezone, flag);
}

/** A wall-clock time of a zone. One that the clocks skip or show twice there is refused, not shifted. */
async function zonedInstant(text: string, timezone: string, flag: string): Promise<number> {
  const { Temporal } = await import('temporal-polyfill');
  const wallTime = Temporal.PlainDateTime.from(text);
  try {
    return wallTime.toZonedDateTime(timezone, { disambiguation: 'reject' }).epochMilliseconds;
  } catch (error) {
    if (!isTimeZone(timezone)) {
      throw new InputError(`--timezone ${timezone} is not a time zone.`, {
        hint: 'Write an IANA name like Europe/Berlin.',
      });
    }
    throw new InputError(`${flag} ${text} does not exist, or exists twice, in ${timezone}: the clocks change then.`, {
      hint: `Write it with an offset: ${TIME_FORMS}.`,
      cause: error,
    });
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** An instant (milliseconds since the epoch) as the machine's clocks show it: `2026-11-20 10:00:00 +01:00`. */
export function localTime(epochMs: number): string {
  const offset = -new Date(epochMs).getTimezoneOffset();
  const wallTime = new Date(epochMs + offset * 60_000).toISOString();
  const twoDigits = (number: number) => String(Math.trunc(number)).padStart(2, '0');
  const ahead = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${twoDigits(ahead / 60)}:${twoDigits(ahead % 60)}`;
  return `${wallTime.slice(0, 10)} ${wallTime.slice(11, 19)} ${zone}`;
}

/** A day of the calendar as the service takes it. Throws InputError. */
export function parseDate(text: string, flag: string): string {
  if (isCalendarDate(text)) return text;
  throw new InputError(`${flag} ${text} is not a date that exists.`, { hint: 'Write it as YYYY-MM-DD.' });
}

/** Whole days as people write them on the command line: dates, or words that are counted back from today. */
import { isCalendarDate } from '../contract.ts';
import { InputError } from '../errors.ts';
import { durationMeant, parseDuration } from './duration.ts';
import { localTime } from './time.ts';
import { DAY, SECOND } from './units.ts';
import { certainDate, datesMeant, daysAfter, readWrittenTime } from './written-time.ts';

export interface DayOptions {
  /** The flag that holds the day, for messages. */
  flag: string;
  /** Milliseconds since the epoch; what day it is then, this machine's time zone decides. */
  now: () => number | Promise<number>;
}

const DAY_SECONDS = DAY / SECOND;

/**
 * The date, as YYYY-MM-DD, of a date, of `today`, `yesterday`, of the last `monday`, or of `7d` ago, which is also written `-7d`.
 * Throws InputError.
 */
export async function parseDay(text: string, { flag, now }: DayOptions): Promise<string> {
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
    hint: `${meant === undefined ? '' : `${meant} `}Write it as YYYY-MM-DD, or as today, yesterday, monday, or 7d for seven days ago.`,
  });
}

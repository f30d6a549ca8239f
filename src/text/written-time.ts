/** Days and times of day in words, as people write them: `tomorrow 09:00`, `monday 9:30am`, `2026-12-01 09:00 +01:00`. Pure. */
import { isCalendarDate } from '../contract.ts';
import { InputError } from '../errors.ts';
import { isoDate, twoDigits } from './iso.ts';
import { DAY } from './units.ts';

/** What is written, not yet an instant. */
export interface WrittenTime {
  /** A calendar date, `today`, `tomorrow`, `yesterday`, or an English weekday in full; undefined if no day is written. */
  day: string | undefined;
  /** `HH:MM:SS`, with a fraction if it has one; undefined if no time of day is written. */
  clock: string | undefined;
  /** `Z`, or as in `+01:00`. */
  offset: string | undefined;
}

/** The names of the days, from Monday on. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const OTHER_DAYS = ['today', 'tomorrow', 'yesterday'];

/** Undefined if the text is something else, or could mean two things. */
export function readWrittenTime(text: string): WrittenTime | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/, '$1 ')
    .replace(/(?<=:\d\d(?:\.\d+)?)(z|[+-]\d\d:?\d\d)$/, ' $1')
    .replace(/(?<=\d)(am|pm)\b/, ' $1')
    .split(/\s+/);
  const written: WrittenTime = { day: undefined, clock: undefined, offset: undefined };
  for (const [at, word] of words.entries()) {
    const isAfterNumber = /^\d/.test(words[at - 1] ?? '');
    const day = dayOf(word);
    if (word === 'at' && written.clock === undefined && at < words.length - 1) continue;
    if ((word === 'am' || word === 'pm') && isAfterNumber) continue;
    if (day !== undefined && written.day === undefined && written.offset === undefined) written.day = day;
    else if (word === 'noon' && written.clock === undefined) written.clock = '12:00:00';
    else if (/^\d\d?(:|$)/.test(word) && written.clock === undefined) {
      written.clock = clockOf(word, words[at + 1], words[at - 1] === 'at');
      if (written.clock === undefined) return undefined;
    } else if (
      /^(z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/.test(word) &&
      written.clock !== undefined &&
      at === words.length - 1
    ) {
      written.offset = word === 'z' ? 'Z' : word.replace(/^(...):?/, '$1:');
    } else return undefined;
  }
  return written;
}

/** Whether what is meant depends on which day it is. */
export function dependsOnToday({ day }: WrittenTime): boolean {
  return day === undefined || !isCalendarDate(day);
}

/** A day in full; weekdays may be cut to three letters. */
function dayOf(word: string): string | undefined {
  if (OTHER_DAYS.includes(word) || isCalendarDate(word)) return word;
  return word.length < 3 ? undefined : WEEKDAYS.find((name) => name === word || name.slice(0, 3) === word);
}

/** Undefined if it is no time of day, or one that could be another: `9`, `12am`. `at 9` is one of 24 hours. */
function clockOf(word: string, next: string | undefined, isAfterAt: boolean): string | undefined {
  const [, hours = '', minutes, seconds = ':00'] = /^(\d\d?)(:[0-5]\d)?(:[0-5]\d(?:\.\d{1,9})?)?$/.exec(word) ?? [];
  const isHalf = next === 'am' || next === 'pm';
  const hour = Number(hours) + (next === 'pm' ? 12 : 0);
  const isReadable = isHalf
    ? Number(hours) >= 1 && Number(hours) <= 11
    : (minutes !== undefined || isAfterAt) && hour <= 23;
  return hours !== '' && isReadable ? `${twoDigits(hour)}${minutes ?? ':00'}${seconds}` : undefined;
}

/** The name of a day as it is written in a sentence. */
export function capitalized(day: string): string {
  return `${day.charAt(0).toUpperCase()}${day.slice(1)}`;
}

/** A date some days after another; no date where the calendar of four-digit years ends. */
export function daysAfter(date: string, days: number): string {
  const at = new Date(Date.parse(date) + days * DAY).getTime();
  return Number.isNaN(at) ? '' : isoDate(at);
}

/**
 * The calendar date that a day of `readWrittenTime` means on the date `today`. A weekday is the next one (`ahead`) or the last one
 * (`back`); on the same weekday it could be today or a week away, and both are returned.
 */
export function dateOf(day: string, today: string, direction: 'ahead' | 'back'): string | readonly [string, string] {
  const away = { today: 0, tomorrow: 1, yesterday: -1 }[day];
  if (away !== undefined) return daysAfter(today, away);
  if (!WEEKDAYS.includes(day)) return day;
  const weekday = (new Date(today).getUTCDay() + 6) % 7;
  const ahead = (WEEKDAYS.indexOf(day) - weekday + 7) % 7;
  if (ahead === 0) return [today, daysAfter(today, direction === 'ahead' ? 7 : -7)];
  return daysAfter(today, direction === 'ahead' ? ahead : ahead - 7);
}

/** The same, where it is only one. Throws InputError about what was `asked`; `form` writes one of them so that it is certain. */
export function certainDate(
  { day = 'today', clock }: WrittenTime,
  today: string,
  direction: 'ahead' | 'back',
  asked: string,
  form: (date: string) => string = (date) => date,
): string {
  const date = dateOf(day, today, direction);
  if (typeof date === 'string') return date;
  const behind = clock === undefined ? '' : `T${clock.replace(/:00$/, '')}`;
  const dates = date.map((one) => one + behind).join(' or ');
  throw new InputError(`${asked} could be ${dates}: today is ${capitalized(day)}.`, {
    hint: `Write ${form(date[1])}, if that is meant.`,
  });
}

/** One of the dates that somebody may have meant by a text that says no certain day: `next friday`, `3/4`, `1/12/2026`. */
export function dateMeant(text: string, today: string, direction: 'ahead' | 'back'): string | undefined {
  const [, name = ''] = /^(?:next|this|last) ([a-z]+)/i.exec(text) ?? [];
  const day = dayOf(name.toLowerCase());
  if (day !== undefined) return [dateOf(day, today, direction)].flat().at(-1);
  const [, dayAndMonth] = /^(\d\d?[./]\d\d?)\.?(?![./\d])/.exec(text) ?? [];
  const year = Number(today.slice(0, 4));
  const years = [year, direction === 'ahead' ? year + 1 : year - 1];
  const dates = dayAndMonth === undefined ? datesMeant(text) : years.flatMap((y) => datesMeant(`${dayAndMonth}/${y}`));
  return dates.find((date) => (direction === 'ahead' ? date > today : date < today)) ?? dates[0];
}

/** The dates that somebody may have meant by `1/12/2026` or `2026.12.1`: days and months come in either order. */
export function datesMeant(text: string): string[] {
  const [, first = '', second = '', third = ''] = /^(\d{1,4})[./](\d\d?)[./](\d{1,4})\b/.exec(text) ?? [];
  const orders = [
    [first, second, third],
    [third, second, first],
    [third, first, second],
  ];
  const dates = orders.map(
    ([year = '', month = '', day = '']) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  );
  return [...new Set(dates.filter(isCalendarDate))];
}

/** The hours of a week in which people may be called, as written: `09:00-20:00` or `mon-fri=09:00-20:00,sat=10:00-16:00`. */
import { UsageError } from '../../errors.ts';
import { clockTime } from '../../text/iso.ts';
import { DAY_MINUTES, MINUTE } from '../../text/units.ts';
import { capitalized, WEEKDAYS } from '../../text/written-time.ts';
import { hasCommonWindow } from './calendar.ts';
import { joined } from './calling-window.ts';
import { type LocalWindow, MARGIN, type WeeklyWindows, ZONE_OF_CONTACT } from './rules.ts';

const NOON = 720;
/** No other hours are offered: somebody may copy them. */
const DAY = { from: 8 * 60, until: 21 * 60 };
const HOW = 'Write 09:00-20:00 for every day, or mon-fri=09:00-20:00,sat=10:00-16:00.';

/**
 * Days are Monday first; one that is not named has no hours. Those of one day that meet are joined. Throws UsageError if a part is
 * not understood, is empty, ends before it begins or overlaps another of the same day.
 */
export function parseWindow(text: string): WeeklyWindows {
  const parts = text.split(',').map((part) => readPart(part.trim(), text));
  requireDays(parts, text);
  return WEEKDAYS.map((name, day) => {
    const windows = parts.filter(({ days }) => days === undefined || days.includes(day)).map((part) => part.window);
    return windowsOfDay(windows, name);
  });
}

/** The same for calls: throws UsageError too if nobody could ever be called, because the margin takes up all hours. */
export function callableWindow(text: string): WeeklyWindows {
  const week = parseWindow(text);
  const anywhere = { zones: ['UTC'], country: null };
  if (hasCommonWindow({ window: week, zone: ZONE_OF_CONTACT, skipDates: [] }, anywhere, 0)) return week;
  throw new UsageError(
    `The window ${JSON.stringify(text)} is too short: no call is planned in the last ${MARGIN / MINUTE} minutes of open hours.`,
    { hint: 'Write longer hours.' },
  );
}

/** As `parseWindow` takes it: `mon-fri=09:00-20:00,sat=10:00-16:00`, or `09:00-20:00` for every day. */
export function writeWindow(week: WeeklyWindows): string {
  const written = week.map((windows) => windows.map(({ from, until }) => `${clockTime(from)}-${clockTime(until)}`));
  if (new Set(written.map(String)).size === 1) return (written[0] ?? []).join();
  return written.flatMap((windows, day) => windows.map((hours) => `${WEEKDAYS[day]?.slice(0, 3)}=${hours}`)).join();
}

interface Part {
  written: string;
  /** Undefined for every day. */
  days: readonly number[] | undefined;
  window: LocalWindow;
}

function readPart(written: string, text: string): Part {
  const [, days, from = '', until = ''] = /^(?:([^=]*)=)?\s*([\d:]+)\s*[-–]\s*([\d:]+)$/.exec(written) ?? [];
  const window = { from: minutesOf(from), until: minutesOf(until) };
  if (window.from === undefined || window.until === undefined) {
    const inPart = written === text ? '' : ` at ${JSON.stringify(written)}`;
    throw new UsageError(`The window ${JSON.stringify(text)} is not understood${inPart}.`, { hint: HOW });
  }
  requireRising(window as LocalWindow, from, until);
  return { written, days: days === undefined ? undefined : daysOf(days.trim()), window: window as LocalWindow };
}

/** Undefined if it is no time of day; `24:00` is the end of the day. */
function minutesOf(written: string): number | undefined {
  const [, hours, minutes] = /^(\d\d?):([0-5]\d)$/.exec(written) ?? [];
  const all = Number(hours) * 60 + Number(minutes);
  return all <= DAY_MINUTES ? all : undefined;
}

function requireRising({ from, until }: LocalWindow, writtenFrom: string, writtenUntil: string): void {
  if (from < until) return;
  const written = `${writtenFrom}-${writtenUntil}`;
  if (until === 0 && from > 0) {
    throw new UsageError(`The window ${written} ends before it begins.`, { hint: 'Midnight as an end is 24:00.' });
  }
  if (from === until) throw new UsageError(`The window ${written} is empty.`, { hint: HOW });
  const meant = dayMeant({ from, until });
  throw new UsageError(`The window ${written} ends before it begins.`, {
    hint: `${meant === undefined ? HOW : `Write ${meant} if that is meant.`} No part of a window goes over midnight.`,
  });
}

/** Whoever writes hours of the night mostly means hours of the day: the end is one of the evening, or the two are exchanged. */
function dayMeant({ from, until }: LocalWindow): string | undefined {
  const meant = from < NOON ? { from, until: until + NOON } : { from: until, until: from };
  const isByDay = meant.from >= DAY.from && meant.until <= DAY.until;
  return isByDay ? `${clockTime(meant.from)}-${clockTime(meant.until)}` : undefined;
}

/** `mon`, `monday`, `mon-fri`; a range may go over the end of the week. */
function daysOf(written: string): number[] {
  const [first = '', last = first, ...more] = written.split(/\s*[-–]\s*/);
  const [from, until] = [dayOf(first), dayOf(last)];
  if (from === undefined || until === undefined || more.length > 0) {
    throw new UsageError(`${JSON.stringify(written)} is no day of the week, and no range of days.`, { hint: HOW });
  }
  const count = ((until - from + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  return Array.from({ length: count }, (_, at) => (from + at) % WEEKDAYS.length);
}

function dayOf(written: string): number | undefined {
  const name = written.toLowerCase();
  const day = WEEKDAYS.findIndex((known) => known === name || known.slice(0, 3) === name);
  return day === -1 ? undefined : day;
}

/** Whether `10:00-13:00` after `mon-fri=…` means those days or all of them, nobody can say. */
function requireDays(parts: readonly Part[], text: string): void {
  const bare = parts.find(({ days }) => days === undefined);
  const named = parts.find(({ days }) => days !== undefined);
  if (bare === undefined || named === undefined) return;
  throw new UsageError(`The window ${JSON.stringify(text)} names days, but not for ${bare.written}.`, {
    hint: `Name them for each part, as in ${named.written.split('=', 1)[0]}=${bare.written}.`,
  });
}

/** Rising, and those that meet as one. */
function windowsOfDay(windows: readonly LocalWindow[], day: string): LocalWindow[] {
  const rising = windows.toSorted((one, other) => one.from - other.from);
  if (rising.every(({ from }, at) => at === 0 || from >= (rising[at - 1] as LocalWindow).until)) return joined(rising);
  throw new UsageError(`Two parts of the window overlap on ${capitalized(day)}.`, {
    hint: 'Write each hour of a day once.',
  });
}

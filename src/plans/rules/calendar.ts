/**
 * When people may be called, as instants. The calling windows of a place are those that its zones have in common; a zone whose
 * clocks were changed counts twice.
 *
 * Places with the same zones, and the same skipped dates, share what was computed for them; a day of a zone is computed once.
 */
import { Temporal } from 'temporal-polyfill';
import { remembered } from '../../text/remembered.ts';
import { firstPlace } from '../../text/search.ts';
import { DAY, DAY_MINUTES, MINUTE } from '../../text/units.ts';
import { changesOf, type ZoneChange } from '../../text/zone-changes.ts';
import { zoneClock } from '../../text/zone-clock.ts';
import {
  type CallingWindow,
  type CallingWindows,
  HORIZON,
  intersection,
  joined,
  usableWindows,
} from './calling-window.ts';
import type { Place } from './plan.ts';
import { MARGIN, type PlanRules, type WeeklyWindows, ZONE_OF_CONTACT } from './rules.ts';
import { skippedAt } from './skip-dates.ts';

type CalendarRules = Pick<PlanRules, 'window' | 'zone' | 'skipDates'>;

/** How many days are computed at once. */
const STEP = 2;
/** A window is followed for as many days: longer than the longest wave, and not as far as a window of whole days would go. */
const FOLLOWED = 4;

export function callingWindowsOf(rules: CalendarRules, places: readonly Place[]): CallingWindows {
  // By the local dates that are skipped, and by the zones: lists of them, as text.
  const shared = remembered((dates: string) => {
    const daysOf = remembered((name: string) => zoneDays(name, rules.window, dates.split(',')));
    const bothDaysOf = (name: string) => [
      daysOf(name),
      ...changesOf(name).map((change) => changedDays(daysOf(change.as), change)),
    ];
    return remembered((names: string) => commonWindows(names === '' ? [] : names.split(',').flatMap(bothDaysOf)));
  });
  const windows = places.map((place) => {
    const names = rules.zone === ZONE_OF_CONTACT ? place.zones : [rules.zone];
    return shared(skippedAt(rules, place).join())(names.join());
  });
  return { windowAt: (place, at) => windows[place]?.(at) };
}

/**
 * Whether somebody who may be in each of the place's zones can be called at some time in the year after `now`: the window must be
 * open for longer than the margin in which no call is planned. Never if nobody can say where the place is.
 */
export function hasCommonWindow(rules: CalendarRules, place: Place, now: number): boolean {
  return Number.isFinite(usableWindows(callingWindowsOf(rules, [place]), now, MARGIN).of(0).from);
}

/** The part between two instants: the same whatever else was computed. */
function cut(window: CallingWindow, first: number, last: number): CallingWindow {
  if (window.from >= first && window.until <= last) return window;
  return { from: Math.max(window.from, first), until: Math.min(window.until, last) };
}

/** The windows that several zones have in common, computed as far as they were asked for. */
function commonWindows(zones: readonly Days[]): (at: number) => CallingWindow | undefined {
  /** Rising, and none that meet. They are complete between the two days, which count from the epoch in UTC. */
  let windows: CallingWindow[] = [];
  let [firstDay, nextDay] = [0, 0];
  const extend = () => {
    const [from, until] = [nextDay, nextDay + STEP];
    nextDay = until;
    let common: readonly CallingWindow[] = [{ from: from * DAY, until: until * DAY }];
    for (const windowsIn of zones) {
      if (common.length === 0) return;
      common = intersection(common, windowsIn(from, until));
    }
    windows = joined([...windows, ...common]);
  };
  return (at) => {
    // Without zones nobody can say when it is day there.
    if (zones.length === 0) return undefined;
    const day = Math.floor(at / DAY);
    // Anew if the day, or the one before, in which a window may have begun, is not among those that are computed.
    if (nextDay <= firstDay || day <= firstDay || day > nextDay + HORIZON / DAY) {
      windows = [];
      firstDay = day - 1;
      nextDay = firstDay;
    }
    for (;;) {
      const window = windows[firstPlace(windows.length, (place) => (windows[place] as CallingWindow).until > at)];
      const end = nextDay * DAY;
      if (window !== undefined) {
        const furthest = (Math.floor(Math.max(at, window.from) / DAY) + FOLLOWED) * DAY;
        // What reaches to the end of what is computed may go on.
        if (window.until < end || end >= furthest) return cut(window, (day - 1) * DAY, furthest);
      } else if (end > at + HORIZON) return undefined;
      extend();
    }
  };
}

// The window in one time zone, day by day -----------------------------------------------------------------------------

const EPOCH = Temporal.PlainDate.from('1970-01-01');
/** The epoch was a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3;
/** A local date begins up to 14 hours before that of UTC, and ends up to 12 hours after it; it may be longer by some hours. */
const DAYS_AROUND = 1;
/** Between midnight of UTC and of a zone there is less; where clocks stand still for so long, nothing is shown twice or never. */
const AROUND = 18 * 60 * MINUTE;

/** All windows that touch the days of UTC from `first` up to but not including `end`, counted from the epoch. */
type Days = (first: number, end: number) => readonly CallingWindow[];

/** `skipped` are local dates. */
function zoneDays(zone: string, week: WeeklyWindows, skipped: readonly string[]): Days {
  const isSkipped = new Set(skipped);
  const clock = zoneClock(zone);
  const windowsOf = remembered((day: number): CallingWindow[] => {
    const parts = week[(((day + EPOCH_WEEKDAY) % 7) + 7) % 7] ?? [];
    if (parts.length === 0) return [];
    const date = EPOCH.add({ days: day });
    if (isSkipped.has(date.toString())) return [];
    const midnight = day * DAY;
    const offset = clock.steadyOffset(midnight - AROUND, midnight + DAY + AROUND);
    if (offset !== undefined) {
      const start = midnight - offset;
      return parts.map(({ from, until }) => ({ from: start + from * MINUTE, until: start + until * MINUTE }));
    }
    const windows = parts.map(({ from, until }) => ({
      from: instantIn(zone, date, from, 'later'),
      until: instantIn(zone, date, until, 'earlier'),
    }));
    // None if the clocks show the hours twice, or never, as on a date that the date line took.
    return windows.filter(({ from, until }) => from < until);
  });
  return (first, end) => {
    const windows: CallingWindow[] = [];
    for (let day = first - DAYS_AROUND; day < end + DAYS_AROUND; day++) windows.push(...windowsOf(day));
    return joined(windows.sort((one, other) => one.from - other.from));
  };
}

/**
 * The instant at which the clocks show a minute of the date. If they show it twice, the one that `side` says: from the later
 * reading of the first minute to the earlier of the last, the clocks show nothing but open minutes. If they skip it, the instant
 * at which they do.
 */
function instantIn(zone: string, date: Temporal.PlainDate, minutes: number, side: 'earlier' | 'later'): number {
  const day = minutes === DAY_MINUTES ? date.add({ days: 1 }) : date;
  const clock = { hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 };
  const wanted = day.toPlainDateTime(clock);
  const reading = wanted.toZonedDateTime(zone, { disambiguation: side });
  if (reading.toPlainDateTime().equals(wanted)) return reading.epochMilliseconds;
  const before = wanted.toZonedDateTime(zone, { disambiguation: 'earlier' });
  return before.getTimeZoneTransition('next')?.epochMilliseconds ?? reading.epochMilliseconds;
}

/** The part of `days`, of the zone that shows the time of the new clocks, in which these count; before and after all is open. */
function changedDays(days: Days, change: Pick<ZoneChange, 'from' | 'until'>): Days {
  return (first, end) => {
    const changed = days(first, end).map(({ from, until }) => ({
      from: Math.max(from, change.from),
      until: Math.min(until, change.until),
    }));
    const before = { from: first * DAY, until: Math.min(change.from, end * DAY) };
    const after = { from: Math.max(change.until, first * DAY), until: end * DAY };
    return joined([before, ...changed, after].filter(({ from, until }) => from < until));
  };
}

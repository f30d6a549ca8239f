/** The window in one time zone, day by day. */
import { Temporal } from 'temporal-polyfill';
import { remembered } from '../../text/remembered.ts';
import { DAY, DAY_MINUTES, MINUTE } from '../../text/units.ts';
import type { ZoneChange } from '../../text/zone-changes.ts';
import { type ZoneClock, zoneClock } from '../../text/zone-clock.ts';
import { joined, type Opening } from './hours.ts';
import type { WeeklyHours } from './rules.ts';

const EPOCH = Temporal.PlainDate.from('1970-01-01');
/** The epoch was a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3;
/** A local date begins up to 14 hours before that of UTC, and ends up to 12 hours after it; it may be longer by some hours. */
const DAYS_AROUND = 1;
/** Between midnight of UTC and of a zone there is less; where clocks stand still for so long, nothing is shown twice or never. */
const AROUND = 18 * 60 * MINUTE;

export interface Days {
  /** All openings that touch the days of UTC from `first` up to but not including `end`, counted from the epoch. */
  openings(first: number, end: number): readonly Opening[];
}

export class ZoneDays implements Days {
  readonly #zone: string;
  readonly #window: WeeklyHours;
  readonly #skipped: ReadonlySet<string>;
  readonly #openingsOf = remembered((day: number) => this.#compute(day));
  readonly #clock: ZoneClock;

  /** `skipped` are local dates. */
  constructor(zone: string, window: WeeklyHours, skipped: readonly string[]) {
    this.#zone = zone;
    this.#window = window;
    this.#skipped = new Set(skipped);
    this.#clock = zoneClock(zone);
  }

  openings(first: number, end: number): readonly Opening[] {
    const days: Opening[] = [];
    for (let day = first - DAYS_AROUND; day < end + DAYS_AROUND; day++) days.push(...this.#openingsOf(day));
    return joined(days.sort((one, other) => one.from - other.from));
  }

  #compute(day: number): Opening[] {
    const hours = this.#window[(((day + EPOCH_WEEKDAY) % 7) + 7) % 7] ?? [];
    if (hours.length === 0) return [];
    const date = EPOCH.add({ days: day });
    if (this.#skipped.has(date.toString())) return [];
    const midnight = day * DAY;
    const offset = this.#clock.steadyOffset(midnight - AROUND, midnight + DAY + AROUND);
    if (offset !== undefined) {
      const start = midnight - offset;
      return hours.map(({ from, until }) => ({ from: start + from * MINUTE, until: start + until * MINUTE }));
    }
    const openings = hours.map(({ from, until }) => ({
      from: this.#instant(date, from, 'later'),
      until: this.#instant(date, until, 'earlier'),
    }));
    // None if the clocks show the hours twice, or never, as on a date that the date line took.
    return openings.filter(({ from, until }) => from < until);
  }

  /**
   * The instant at which the clocks show a minute of the date. If they show it twice, the one that `side` says: from the later
   * reading of the first minute to the earlier of the last, the clocks show nothing but open minutes. If they skip it, the instant
   * at which they do.
   */
  #instant(date: Temporal.PlainDate, minutes: number, side: 'earlier' | 'later'): number {
    const day = minutes === DAY_MINUTES ? date.add({ days: 1 }) : date;
    const clock = { hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 };
    const wanted = day.toPlainDateTime(clock);
    const reading = wanted.toZonedDateTime(this.#zone, { disambiguation: side });
    if (reading.toPlainDateTime().equals(wanted)) return reading.epochMilliseconds;
    const before = wanted.toZonedDateTime(this.#zone, { disambiguation: 'earlier' });
    return before.getTimeZoneTransition('next')?.epochMilliseconds ?? reading.epochMilliseconds;
  }
}

/** Of `days`, those of the zone that shows the time of the new clocks, the part in which these count; before and after all is open. */
export function changedDays(days: Days, change: Pick<ZoneChange, 'from' | 'until'>): Days {
  return {
    openings(first, end) {
      const changed = days.openings(first, end).map(({ from, until }) => ({
        from: Math.max(from, change.from),
        until: Math.min(until, change.until),
      }));
      const before = { from: first * DAY, until: Math.min(change.from, end * DAY) };
      const after = { from: Math.max(change.until, first * DAY), until: end * DAY };
      return joined([before, ...changed, after].filter(({ from, until }) => from < until));
    },
  };
}

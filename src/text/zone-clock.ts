/** The clocks of a time zone, for questions by the million that go forward in time. */
import { remembered } from './remembered.ts';
import { firstPlace } from './search.ts';
import { DAY, DAY_MINUTES, MINUTE, SECOND } from './units.ts';
import { changesOf } from './zone-changes.ts';

/** How far ahead a change of the clocks is looked for at once. */
const DAYS_AHEAD = 30;

/** The clock of a zone, an IANA name. There is one of each: to make it takes a thousand times as long as to ask it. */
export const zoneClock = remembered((timeZone: string) => new ZoneClock(timeZone));

/** What is told the time by: the minute of the day, from 0 to 1439, at an instant in milliseconds since the epoch. */
export interface Clock {
  minuteOfDay(at: number): number;
}

/** All clocks that may be right in a zone: one, or as many more as were changed since the zone data was made. */
export function clocksOf(timeZone: string): readonly Clock[] {
  const known = zoneClock(timeZone);
  const changed = changesOf(timeZone).map(({ as, from, until }): Clock => {
    const other = zoneClock(as);
    return { minuteOfDay: (at) => (at >= from && at < until ? other : known).minuteOfDay(at) };
  });
  return [known, ...changed];
}

export class ZoneClock implements Clock {
  readonly #format: Intl.DateTimeFormat;
  /** Between these instants the clocks are ahead of UTC by the offset, in milliseconds. */
  #from = 0;
  #until = 0;
  #offset = 0;
  /** By days: a question about an earlier time is answered at once. */
  readonly #offsets = new Map<number, number>();

  /** `timeZone` is an IANA name. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  /** The minute of the day that the clocks show, from 0 to 1439. `at` is in milliseconds since the epoch. */
  minuteOfDay(at: number): number {
    if (at < this.#from || at >= this.#until) this.#look(at);
    const minutes = Math.floor((at + this.#offset) / MINUTE) % DAY_MINUTES;
    return minutes < 0 ? minutes + DAY_MINUTES : minutes;
  }

  /** How far the clocks are ahead of UTC, in milliseconds, all the time between two instants; undefined if they are changed. */
  steadyOffset(from: number, until: number): number | undefined {
    if (from < this.#from || until > this.#until) this.#look(from);
    return until <= this.#until ? this.#offset : undefined;
  }

  #look(at: number): void {
    let day = Math.floor(at / DAY);
    const end = day + DAYS_AHEAD;
    this.#from = day * DAY;
    this.#offset = this.#offsetOfDay(day);
    if (this.#offsetOfDay(day + 1) !== this.#offset) {
      const change = this.#changeIn(day);
      if (at < change) {
        this.#until = change;
        return;
      }
      day += 1;
      this.#from = change;
      this.#offset = this.#offsetOfDay(day);
    }
    while (day < end && this.#offsetOfDay(day + 1) === this.#offset) day += 1;
    this.#until = day < end ? this.#changeIn(day) : day * DAY;
  }

  /** The first instant with another offset, to the minute, in a day that ends with another than it begins with. */
  #changeIn(day: number): number {
    const midnight = day * DAY;
    const isChanged = (minute: number) => this.#offsetAt(midnight + minute * MINUTE) !== this.#offset;
    return midnight + firstPlace(DAY_MINUTES, isChanged) * MINUTE;
  }

  /** At the beginning of a day of UTC, counted from the epoch. */
  #offsetOfDay(day: number): number {
    let offset = this.#offsets.get(day);
    if (offset === undefined) {
      offset = this.#offsetAt(day * DAY);
      this.#offsets.set(day, offset);
    }
    return offset;
  }

  #offsetAt(at: number): number {
    const name = this.#format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // `GMT+05:30`, long ago with seconds; `GMT` alone is no offset.
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * SECOND;
    return sign === '-' ? -ahead : ahead;
  }
}

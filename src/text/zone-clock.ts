/** Time zones by their IANA names, as Intl knows them, and their clocks, for questions by the million that go forward in time. */
import { remembered } from './remembered.ts';
import { firstPlace } from './search.ts';
import { DAY, DAY_MINUTES, MINUTE, SECOND } from './units.ts';
import { changesOf } from './zone-changes.ts';

/** Newer runtimes have a method where older ones have a property; the types know neither. */
interface LocaleWithZones {
  timeZones?: readonly string[];
  getTimeZones?(): readonly string[] | undefined;
}

/** The name under which Intl has a zone of the IANA database; it is one that Temporal knows too. */
export const canonicalName = remembered(
  (timeZone: string): string => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone,
);

/** As Intl lists them, by whatever names; empty if it knows none of that country. `country`: two letters. */
export function listedZones(country: string): readonly string[] {
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithZones;
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

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
  /** At the beginning of a day of UTC, counted from the epoch. */
  readonly #offsetOfDay = remembered((day: number) => this.#offsetAt(day * DAY));
  /** The first instant with another offset, to the minute, in a day that ends with another than it begins with. */
  readonly #changeIn = remembered((day: number) => {
    const isChanged = (minute: number) => this.#offsetAt(day * DAY + minute * MINUTE) !== this.#offsetOfDay(day);
    return day * DAY + firstPlace(DAY_MINUTES, isChanged) * MINUTE;
  });

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

  /** How far the clocks are ahead of UTC at an instant, in milliseconds. */
  offset(at: number): number {
    this.#look(at);
    return this.#offset;
  }

  /** The same, all the time between two instants; undefined if they are changed. */
  steadyOffset(from: number, until: number): number | undefined {
    this.#look(from);
    const offset = this.#offset;
    while (this.#until < until && this.#offset === offset) this.#look(this.#until);
    return this.#offset === offset ? offset : undefined;
  }

  #look(at: number): void {
    const day = Math.floor(at / DAY);
    const [first, last] = [this.#offsetOfDay(day), this.#offsetOfDay(day + 1)];
    const [begin, end] = [day * DAY, (day + 1) * DAY];
    const change = first === last ? end : this.#changeIn(day);
    [this.#from, this.#until, this.#offset] = at < change ? [begin, change, first] : [change, end, last];
  }

  #offsetAt(at: number): number {
    const name = this.#format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // `GMT+05:30`, long ago with seconds; `GMT` alone is no offset.
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * SECOND;
    return sign === '-' ? -ahead : ahead;
  }
}

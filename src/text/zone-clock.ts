/** The clocks of a time zone, for questions by the million that go forward in time. */

const MINUTE = 60_000;
const DAY = 86_400_000;
const DAY_MINUTES = 1440;
/** How far ahead a change of the clocks is looked for at once. */
const DAYS_AHEAD = 30;

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  /** Between these instants the clocks are ahead of UTC by the offset, in milliseconds. */
  #from = 0;
  #until = 0;
  #offset = 0;

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
    this.#from = at;
    this.#offset = this.#offsetAt(at);
    let until = at;
    const end = at + DAYS_AHEAD * DAY;
    while (until < end && this.#offsetAt(until + DAY) === this.#offset) until += DAY;
    if (until < end) until = this.#changeAfter(until);
    this.#until = until;
  }

  /** The first instant with another offset, to the minute, in the day after `at`. */
  #changeAfter(at: number): number {
    let [low, high] = [Math.floor(at / MINUTE), Math.ceil((at + DAY) / MINUTE)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle * MINUTE) === this.#offset) low = middle;
      else high = middle;
    }
    return high * MINUTE;
  }

  #offsetAt(at: number): number {
    const name = this.#format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // `GMT+05:30`, long ago with seconds; `GMT` alone is no offset.
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
    const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000;
    return sign === '-' ? -ahead : ahead;
  }
}

/** Whether it is a decent hour where a contact may be, for questions by the million that go forward in time. */
import type { Clock } from '../../../text/zone-clock.ts';

/** Minutes of the day. Most rules for calls to strangers lie within these hours. */
export const DECENT = { from: 8 * 60, until: 21 * 60 };

const MINUTE = 60_000;

/** The clocks of all zones where a contact may be. Without a zone it is never outside of the hours. */
export class HoursOfPlace {
  /** At the time that was moved to: whether a clock shows a time outside of the hours, and which, as minutes of the day. */
  isOutside = false;
  earliest = DECENT.from;
  latest = DECENT.until - 1;
  readonly #clocks: readonly Clock[];
  #minute = Number.NaN;
  /** How many minutes ago the hours began in the last of the zones. */
  #sinceOpening = 0;

  constructor(clocks: readonly Clock[]) {
    this.#clocks = clocks;
  }

  get isUnknown(): boolean {
    return this.#clocks.length === 0;
  }

  /** In milliseconds since the epoch. Within a minute nothing changes. */
  moveTo(at: number): void {
    const minute = Math.floor(at / MINUTE);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.isOutside = false;
    this.earliest = DECENT.from;
    this.latest = DECENT.until - 1;
    this.#sinceOpening = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) {
      const shown = clock.minuteOfDay(at);
      this.#sinceOpening = Math.min(this.#sinceOpening, shown - DECENT.from);
      if (shown >= DECENT.from && shown < DECENT.until) continue;
      this.isOutside = true;
      if (shown < this.earliest) this.earliest = shown;
      else if (shown > this.latest) this.latest = shown;
    }
  }

  /** Whether it was, in any zone, outside of the hours at some time from `from` on. */
  wasOutsideSince(from: number): boolean {
    return this.isOutside || Math.floor(from / MINUTE) < this.#minute - this.#sinceOpening;
  }
}

/** A function that gives the same object for numbers in the same place. */
export async function hoursOfPlaces(): Promise<(e164: string) => HoursOfPlace> {
  const [{ whereaboutsOf }, { clocksOf }] = await Promise.all([
    import('../../../contacts/zones/zones.ts'),
    import('../../../text/zone-clock.ts'),
  ]);
  const places = new Map<object, HoursOfPlace>();
  return (e164) => {
    const whereabouts = whereaboutsOf(e164);
    let place = places.get(whereabouts);
    if (place === undefined) {
      place = new HoursOfPlace(whereabouts.zones.flatMap(clocksOf));
      places.set(whereabouts, place);
    }
    return place;
  };
}

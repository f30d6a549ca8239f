/** Who would be called at night by a campaign: the service knows no calling window. */
import type { Contact } from '../contract.ts';
import { eachUnansweredCall, type Pacing } from '../engine/pace.ts';
import { remembered } from '../text/remembered.ts';
import { DAY_MINUTES, HOUR, MINUTE, SECOND } from '../text/units.ts';
import { type Clock, clocksOf } from '../text/zone-clock.ts';

/** Minutes of the day. Most rules for calls to strangers lie within it. */
export const USUAL_WINDOW = { from: 8 * 60, until: 21 * 60 };

const LAST_MINUTE = DAY_MINUTES - 1;

/** Minutes of the day: of the earliest call before the window and of the latest after it. */
export interface Extremes {
  earliest: number | undefined;
  latest: number | undefined;
}

export interface OutsideWindow {
  /**
   * Contacts whose first call would come outside of the window, in any of the zones where they may be, at the pace without retries.
   */
  outside: number;
  /** Further contacts, who could be called outside of it because of retries, if nobody answers. */
  byRetries: number;
  /** Contacts of whom nobody can say where they are. */
  unplaced: number;
  /** Of the calls that `outside` counts. */
  first: Extremes;
  /** Of all calls if nobody answers, and of those. */
  all: Extremes;
}

/** `pacing` is that of the campaign with these contacts. */
export function outsideWindow(
  contacts: readonly Contact[],
  pacing: Omit<Pacing, 'total_contacts'>,
  whereaboutsOf: WhereaboutsOf,
): OutsideWindow {
  const { start_time: start, calls_per_hour: callsPerHour, retry_attempts: retries } = pacing;
  const retryDelay = pacing.retry_delay * SECOND;
  const placeOf = windowsOfPlaces(whereaboutsOf);
  const places: WindowOfPlace[] = [];
  const isOutside = new Uint8Array(contacts.length);
  let [outside, byRetries, unplaced] = [0, 0, 0];
  const seen = { earliest: USUAL_WINDOW.from, latest: USUAL_WINDOW.until - 1 };
  /** When the first call comes if no retry delays it. */
  const atPace = (index: number) => start + Math.floor((index * HOUR) / callsPerHour);
  for (let index = 0; index < contacts.length; index++) {
    const place = placeOf((contacts[index] as Contact).phone_number);
    places.push(place);
    if (place.clocks.length === 0) unplaced++;
    place.moveTo(atPace(index));
    if (!place.isOutside) continue;
    outside++;
    isOutside[index] = 1;
    widen(seen, place);
  }
  const first = extremesOf(seen);
  if (retries === 0) return { outside, byRetries, unplaced, first, all: first };

  const placed = contacts.length - unplaced;
  // A call may come at any time from when nothing delays it until when everything does.
  const isStepped = eachUnansweredCall({ ...pacing, total_contacts: contacts.length }, (index, attempt, at) => {
    const place = places[index] as WindowOfPlace;
    place.moveTo(at);
    if (place.isOutside) widen(seen, place);
    if (isOutside[index] === 0 && place.wasOutsideSince(atPace(index) + attempt * retryDelay)) {
      isOutside[index] = 1;
      byRetries++;
    }
    return outside + byRetries < placed || seen.earliest > 0 || seen.latest < LAST_MINUTE;
  });
  // So many calls go on for months, by night too.
  if (!isStepped) byRetries = placed - outside;
  return { outside, byRetries, unplaced, first, all: extremesOf(seen) };
}

function widen(seen: { earliest: number; latest: number }, { earliest, latest }: WindowOfPlace): void {
  seen.earliest = Math.min(seen.earliest, earliest);
  seen.latest = Math.max(seen.latest, latest);
}

function extremesOf({ earliest, latest }: { earliest: number; latest: number }): Extremes {
  return {
    earliest: earliest < USUAL_WINDOW.from ? earliest : undefined,
    latest: latest >= USUAL_WINDOW.until ? latest : undefined,
  };
}

/** The clocks of all zones where a contact may be. Without a zone it is never outside of the window. */
export class WindowOfPlace {
  /** At the time that was moved to: whether a clock shows a time outside of the window, and which, as minutes of the day. */
  isOutside = false;
  earliest = USUAL_WINDOW.from;
  latest = USUAL_WINDOW.until - 1;
  readonly clocks: readonly Clock[];
  #minute = Number.NaN;
  /** How many minutes ago the window began in the last of the zones. */
  #sinceOpening = 0;

  constructor(clocks: readonly Clock[]) {
    this.clocks = clocks;
  }

  /** In milliseconds since the epoch. Within a minute nothing changes. */
  moveTo(at: number): void {
    const minute = Math.floor(at / MINUTE);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.isOutside = false;
    this.earliest = USUAL_WINDOW.from;
    this.latest = USUAL_WINDOW.until - 1;
    this.#sinceOpening = Number.POSITIVE_INFINITY;
    for (const clock of this.clocks) {
      const shown = clock.minuteOfDay(at);
      this.#sinceOpening = Math.min(this.#sinceOpening, shown - USUAL_WINDOW.from);
      if (shown >= USUAL_WINDOW.from && shown < USUAL_WINDOW.until) continue;
      this.isOutside = true;
      if (shown < this.earliest) this.earliest = shown;
      else if (shown > this.latest) this.latest = shown;
    }
  }

  /** Whether it was, in any zone, outside of the window at some time from `from` on. */
  wasOutsideSince(from: number): boolean {
    return this.isOutside || Math.floor(from / MINUTE) < this.#minute - this.#sinceOpening;
  }
}

/** Where somebody with a number may be: IANA names of zones. The same object for numbers in the same place. */
export type WhereaboutsOf = (e164: string) => { zones: readonly string[] };

/** A function that gives the same object for numbers in the same place. */
export function windowsOfPlaces(whereaboutsOf: WhereaboutsOf): (e164: string) => WindowOfPlace {
  const windowOf = remembered(({ zones }: ReturnType<WhereaboutsOf>) => new WindowOfPlace(zones.flatMap(clocksOf)));
  return (e164) => windowOf(whereaboutsOf(e164));
}

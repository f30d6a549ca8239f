/** Warns, before a campaign, that people would be called at night: a campaign of the service knows no hours. */
import type { Context } from '../../../context.ts';
import {
  type Contact,
  DEFAULT_CALLS_PER_HOUR,
  DEFAULT_RETRY_ATTEMPTS,
  DEFAULT_RETRY_DELAY,
  type RequestOf,
} from '../../../contract.ts';
import type { Pacing } from '../../../engine/pace.ts';
import { DECENT, type HoursOfPlace, hoursOfPlaces } from './hours-of-places.ts';

const HOUR_MS = 3_600_000;
const LAST_MINUTE = 1439;

/** Minutes of the day: of the earliest call before the hours and of the latest after them. */
interface Extremes {
  earliest: number | undefined;
  latest: number | undefined;
}

export interface OutsideHours {
  /** Contacts whose first call would come outside of the hours, in any of the zones where they may be, at the pace without retries. */
  outside: number;
  /** Further contacts, who could be called outside of them because of retries, if nobody answers. */
  byRetries: number;
  /** Contacts of whom nobody can say where they are. */
  unplaced: number;
  /** Of the calls that `outside` counts. */
  first: Extremes;
  /** Of all calls if nobody answers, and of those. */
  all: Extremes;
}

/** `pacing` is that of the campaign with these contacts. */
export async function outsideHours(
  contacts: readonly Contact[],
  pacing: Omit<Pacing, 'total_contacts'>,
): Promise<OutsideHours> {
  const { start_time: start, calls_per_hour: callsPerHour, retry_attempts: retries } = pacing;
  const retryDelay = pacing.retry_delay * 1000;
  const placeOf = await hoursOfPlaces();
  const places: HoursOfPlace[] = [];
  const isOutside = new Uint8Array(contacts.length);
  let [outside, byRetries, unplaced] = [0, 0, 0];
  const seen = { earliest: DECENT.from, latest: DECENT.until - 1 };
  /** When the first call comes if no retry delays it. */
  const atPace = (index: number) => start + Math.floor((index * HOUR_MS) / callsPerHour);
  for (let index = 0; index < contacts.length; index++) {
    const place = placeOf((contacts[index] as Contact).phone_number);
    places.push(place);
    if (place.isUnknown) unplaced++;
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
  const { eachUnansweredCall } = await import('../../../engine/pace.ts');
  const isStepped = eachUnansweredCall({ ...pacing, total_contacts: contacts.length }, (index, attempt, at) => {
    const place = places[index] as HoursOfPlace;
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

function widen(seen: { earliest: number; latest: number }, { earliest, latest }: HoursOfPlace): void {
  if (earliest < seen.earliest) seen.earliest = earliest;
  if (latest > seen.latest) seen.latest = latest;
}

function extremesOf({ earliest, latest }: { earliest: number; latest: number }): Extremes {
  return {
    earliest: earliest < DECENT.from ? earliest : undefined,
    latest: latest >= DECENT.until ? latest : undefined,
  };
}

/** `start`: when the campaign begins. Nothing if everybody is known to be called at a decent hour. */
export async function hoursInWords(request: RequestOf<'createCampaign'>, start: number): Promise<string[]> {
  const { contacts, calls_per_hour = DEFAULT_CALLS_PER_HOUR } = request;
  const { retry_attempts = DEFAULT_RETRY_ATTEMPTS, retry_delay = DEFAULT_RETRY_DELAY } = request;
  const pacing = { start_time: start, calls_per_hour, retry_attempts, retry_delay };
  const { outside, byRetries, unplaced, first, all } = await outsideHours(contacts, pacing);
  const count = contacts.length;
  const hours = `outside ${clockTime(DECENT.from)}–${clockTime(DECENT.until)} where they are`;
  const atFirst = `${outside} of ${count} contacts would be called ${hours}${timesOf(first)}`;
  const atWorst = `${outside + byRetries} of ${count} contacts could be called ${hours}, ${
    outside === 0 ? 'by retries' : `${outside} at first and ${byRetries} more by retries`
  }${timesOf(all)}`;
  return [
    ...(outside + byRetries === 0
      ? []
      : [`Warning: ${byRetries === 0 ? atFirst : atWorst}. vagent plan create keeps to their hours.`]),
    ...(unplaced === 0
      ? []
      : [`Nobody can say where ${unplaced} of ${count} contacts are, nor what time it is there.`]),
  ];
}

/** The same on stderr. */
export async function warnOfHours(
  request: RequestOf<'createCampaign'>,
  start: number,
  { io, flags }: Context,
): Promise<void> {
  if (flags.quiet) return;
  for (const line of await hoursInWords(request, start)) io.note(line);
}

function timesOf({ earliest, latest }: Extremes): string {
  const times = [
    ...(earliest === undefined ? [] : [`as early as ${clockTime(earliest)}`]),
    ...(latest === undefined ? [] : [`as late as ${clockTime(latest)}`]),
  ];
  return times.length === 0 ? '' : `, ${times.join(' and ')}`;
}

function clockTime(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

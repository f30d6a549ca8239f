/** Warns, before a campaign, that people would be called at night: a campaign of the service knows no hours. */
import type { Context } from '../../../context.ts';
import { type Contact, DEFAULT_CALLS_PER_HOUR, type RequestOf } from '../../../contract.ts';

/** Minutes of the day. Most rules for calls to strangers lie within these hours. */
export const DECENT = { from: 8 * 60, until: 21 * 60 };

const HOUR_MS = 3_600_000;

export interface OutsideHours {
  /** Contacts whose first call would come outside of the hours, in any of the zones where they may be. */
  outside: number;
  /** Contacts of whom nobody can say where they are. */
  unplaced: number;
  /** The minutes of the day of the earliest call before the hours and of the latest after them. */
  earliest: number | undefined;
  latest: number | undefined;
}

/** The first attempts, one after the other at the pace. `start` is in milliseconds since the epoch. */
export async function outsideHours(
  contacts: readonly Contact[],
  start: number,
  callsPerHour: number,
): Promise<OutsideHours> {
  const [{ whereaboutsOf }, { ZoneClock }] = await Promise.all([
    import('../../../contacts/zones/zones.ts'),
    import('../../../text/zone-clock.ts'),
  ]);
  type Clock = InstanceType<typeof ZoneClock>;
  const clocks = new Map<string, Clock>();
  const clockOf = (zone: string) => {
    const clock = clocks.get(zone) ?? new ZoneClock(zone);
    clocks.set(zone, clock);
    return clock;
  };
  const ofPlaces = new Map<object, Clock[]>();
  let [outside, unplaced, earliest, latest] = [0, 0, DECENT.from, DECENT.until - 1];
  for (let index = 0; index < contacts.length; index++) {
    const place = whereaboutsOf((contacts[index] as Contact).phone_number);
    let there = ofPlaces.get(place);
    if (there === undefined) {
      there = place.zones.map(clockOf);
      ofPlaces.set(place, there);
    }
    if (there.length === 0) unplaced++;
    const at = start + Math.floor((index * HOUR_MS) / callsPerHour);
    let isOutside = false;
    for (const clock of there) {
      const minute = clock.minuteOfDay(at);
      if (minute >= DECENT.from && minute < DECENT.until) continue;
      isOutside = true;
      if (minute < earliest) earliest = minute;
      else if (minute > latest) latest = minute;
    }
    if (isOutside) outside++;
  }
  return {
    outside,
    unplaced,
    earliest: earliest < DECENT.from ? earliest : undefined,
    latest: latest >= DECENT.until ? latest : undefined,
  };
}

/** `start`: when the campaign begins. Nothing if everybody is known to be called at a decent hour. */
export async function hoursInWords(
  { contacts, calls_per_hour = DEFAULT_CALLS_PER_HOUR }: RequestOf<'createCampaign'>,
  start: number,
): Promise<string[]> {
  const { outside, unplaced, earliest, latest } = await outsideHours(contacts, start, calls_per_hour);
  const all = contacts.length;
  const hours = `${clockTime(DECENT.from)}–${clockTime(DECENT.until)}`;
  const times = [
    ...(earliest === undefined ? [] : [`as early as ${clockTime(earliest)}`]),
    ...(latest === undefined ? [] : [`as late as ${clockTime(latest)}`]),
  ].join(' and ');
  return [
    ...(outside === 0
      ? []
      : [
          `Warning: ${outside} of ${all} contacts would be called outside ${hours} where they are, ${times}. vagent plan create keeps to their hours.`,
        ]),
    ...(unplaced === 0 ? [] : [`Nobody can say where ${unplaced} of ${all} contacts are, nor what time it is there.`]),
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

function clockTime(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

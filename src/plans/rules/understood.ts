/** What the rules of a plan come to for its own contacts, as whoever agrees to them is shown it. */
import { fromMicros } from '../../engine/money.ts';
import { isoTimeOrNull } from '../../text/iso.ts';
import { DAY, SECOND } from '../../text/units.ts';
import { zoneClock } from '../../text/zone-clock.ts';
import type { LoadedPlan, Plan } from './plan.ts';
import { type LocalWindow, ZONE_OF_CONTACT } from './rules.ts';
import { writeWindow } from './window.ts';

type OfContacts = Pick<LoadedPlan, 'plan' | 'roster'>;

/** Contacts whose clocks show the same, all year round, in whichever of their zones they are. */
export interface SameClock {
  /** IANA name: one of the zones, the best known if that can be told. */
  zone: string;
  contacts: number;
}

export interface Understood {
  /** Days in a row with the same hours, 0 for Monday; those without any are missing. */
  hours: { first: number; last: number; windows: readonly LocalWindow[] }[];
  /** Empty where one zone holds for all; those of the most contacts first. */
  clocks: SameClock[];
  /** Those who may be in zones whose clocks differ: they are called while the hours are open in all of them. */
  unsure: { contacts: number; zones: string[] };
}

/** `now`: in milliseconds since the epoch. */
export function understood({ plan, roster }: OfContacts, now: number): Understood {
  const counts = new Uint32Array(plan.places.length);
  for (let row = 0; row < roster.size; row++) (counts[roster.placeOf(row)] as number) += 1;
  const clocks = new Map<string, Map<string, number>>();
  const unsure = { contacts: 0, zones: new Set<string>() };
  for (const [index, { zones }] of plan.places.entries()) {
    const contacts = counts[index] as number;
    if (contacts === 0 || plan.rules.zone !== ZONE_OF_CONTACT) continue;
    const signs = new Set(zones.map((zone) => signOf(zone, now)));
    const [sign = ''] = signs;
    if (signs.size === 1) {
      const named = clocks.get(sign) ?? new Map<string, number>();
      clocks.set(sign, named);
      for (const zone of zones) named.set(zone, (named.get(zone) ?? 0) + contacts / zones.length);
    } else {
      unsure.contacts += contacts;
      for (const zone of zones) unsure.zones.add(zone);
    }
  }
  const same = [...clocks.values()].map((named) => ({
    zone: bestKnown(named),
    contacts: Math.round([...named.values()].reduce((sum, contacts) => sum + contacts, 0)),
  }));
  return {
    hours: hoursOf(plan),
    clocks: same.sort((one, other) => other.contacts - one.contacts || (one.zone < other.zone ? -1 : 1)),
    unsure: { contacts: unsure.contacts, zones: [...unsure.zones].sort() },
  };
}

function hoursOf({ rules: { window } }: Plan): Understood['hours'] {
  const hours: Understood['hours'] = [];
  for (const [day, windows] of window.entries()) {
    const before = hours.at(-1);
    if (windows.length === 0) continue;
    if (before?.last === day - 1 && JSON.stringify(before.windows) === JSON.stringify(windows)) before.last = day;
    else hours.push({ first: day, last: day, windows });
  }
  return hours;
}

/** Zones with the same one show the same time in the coming year, but perhaps for some days around a change of their clocks. */
function signOf(zone: string, now: number): string {
  const clock = zoneClock(zone);
  return [0, 61, 122, 183, 244, 305].map((days) => clock.minuteOfDay(now + days * DAY)).join();
}

/** Of zones that one number may be in, those of the first regions are where most people are, and those of the last where fewest. */
const REGIONS = ['Europe', 'America', 'Asia', 'Australia', 'Africa', 'Pacific', 'Atlantic', 'Indian'];

function remoteness(zone: string): number {
  const at = REGIONS.findIndex((region) => zone.startsWith(`${region}/`));
  return at === -1 ? REGIONS.length : at;
}

/** By how many contacts each has: the one of the most; of several that of the first region, and the one with the shortest name. */
export function bestKnown(named: ReadonlyMap<string, number>): string {
  const [first] = [...named].sort(
    ([one, ofOne], [other, ofOther]) =>
      ofOther - ofOne || remoteness(one) - remoteness(other) || one.length - other.length || (one > other ? -1 : 1),
  );
  return first?.[0] ?? '';
}

/** As programs get them: durations in seconds, times in UTC. Null for what is not limited. */
export function rulesRecord({ plan: { rules, agent_id, from } }: Pick<LoadedPlan, 'plan'>) {
  const { maxPerNumber, fromCap, budget, pricePerMinute, stopOn, retry } = rules;
  const seconds = (milliseconds: number) => milliseconds / SECOND;
  const perTime = (share: typeof fromCap) =>
    share === undefined ? null : { count: share.count, within: seconds(share.within) };
  return {
    ...{ window: writeWindow(rules.window), zone: rules.zone },
    skip_dates: rules.skipDates.map(({ date, country = null }) => ({ date, country })),
    ...{ start: isoTimeOrNull(rules.start), end: isoTimeOrNull(rules.end) },
    ...{ calls_per_hour: rules.callsPerHour, wave: seconds(rules.wave), max_attempts: rules.maxAttempts },
    retry: Object.fromEntries(Object.entries(retry).map(([result, after]) => [result, seconds(after)])),
    ...{ max_per_number: perTime(maxPerNumber), min_gap: seconds(rules.minGap), from_cap: perTime(fromCap) },
    budget: budget === undefined ? null : fromMicros(budget),
    price_per_minute: pricePerMinute === undefined ? null : fromMicros(pricePerMinute),
    expected_longest: rules.longest,
    stop_on: stopOn ?? null,
    canary: rules.canary ?? null,
    ...{ opt_out: rules.optOut, exclude: rules.exclude, agent_id, from },
  };
}

/** Who must wait, or would be left over, by the rules of a plan: how many, why, and what would help. */
import { HOUR } from '../../text/units.ts';
import { callingWindowsOf } from './calendar.ts';
import { usableWindows } from './calling-window.ts';
import { forecast } from './forecast.ts';
import type { LoadedPlan, Place } from './plan.ts';
import { type PlanRules, ZONE_OF_CONTACT } from './rules.ts';
import { bestKnown } from './understood.ts';
import { marginOf } from './waves.ts';

export interface HeldBack {
  contacts: number;
  /** When they may be called, in milliseconds since the epoch. */
  until: number;
  /** Those of the zones in which they may be that are the reason: in the others it would be earlier. */
  zones: readonly string[];
  /** A zone in which all who wait may be, and which is not one of these; undefined if there is none. */
  instead: string | undefined;
}

/**
 * Contacts that wait for hours which are open in one of their zones before they are in all of them: of several groups the largest.
 * Undefined if there are none. `now`: by the clock that places the calls.
 */
export function heldBack(loaded: LoadedPlan, now: number): HeldBack | undefined {
  const { rules, places } = loaded.plan;
  if (rules.zone !== ZONE_OF_CONTACT) return undefined;
  const counts = waitingByPlace(loaded);
  const begin = Math.max(now, rules.start ?? now);
  const groups = new Map<string, Omit<HeldBack, 'instead'>>();
  for (const [index, place] of places.entries()) {
    const contacts = counts[index] as number;
    const wait = contacts === 0 || place.zones.length < 2 ? undefined : waitOf(loaded, place, begin);
    if (wait === undefined) continue;
    const key = JSON.stringify(wait);
    groups.set(key, { ...wait, contacts: contacts + (groups.get(key)?.contacts ?? 0) });
  }
  const [largest] = [...groups.values()].sort((one, other) => other.contacts - one.contacts);
  if (largest === undefined) return undefined;
  const inUse = places.filter((_place, index) => (counts[index] as number) > 0);
  const common = inUse
    .map(({ zones }) => zones)
    .reduce((all, zones) => all.filter((zone) => zones.includes(zone)))
    .filter((zone) => !largest.zones.includes(zone));
  const instead = common.length === 0 ? undefined : bestKnown(new Map(common.map((zone) => [zone, 1])));
  return { ...largest, instead };
}

function waitingByPlace({ plan, roster }: LoadedPlan): Uint32Array {
  const counts = new Uint32Array(plan.places.length);
  for (const row of roster.waiting()) (counts[roster.placeOf(row)] as number) += 1;
  return counts;
}

/** By the hours in which somebody who may be in all of the zones is called next: in some of them they may have begun before. */
function waitOf(loaded: LoadedPlan, place: Place, begin: number): Pick<HeldBack, 'until' | 'zones'> | undefined {
  const { rules } = loaded.plan;
  const hoursOf = (one: Place) => callingWindowsOf(rules, [one]);
  const until = usableWindows(hoursOf(place), begin, marginOf(loaded, begin)).firstIn(0, begin);
  if (!Number.isFinite(until)) return undefined;
  const alone = place.zones.map((zone) => {
    const from = hoursOf({ ...place, zones: [zone] }).windowAt(0, until)?.from ?? until;
    return { zone, from: Math.max(begin, from) };
  });
  const first = Math.min(...alone.map(({ from }) => from));
  return first < until ? { until, zones: alone.filter(({ from }) => from > first).map(({ zone }) => zone) } : undefined;
}

export interface LeftOver {
  /** Who would not be called even once. */
  contacts: number;
  /** What would be enough for all of them by itself; undefined where it would not. */
  callsPerHour: number | undefined;
  end: number | undefined;
}

/** Tried one after the other. */
const FASTER = [1.25, 1.5, 2, 3, 4, 6, 8, 12];

/** Undefined if everybody would be called. */
export function leftOver(loaded: LoadedPlan, now: number): LeftOver | undefined {
  const { rules } = loaded.plan;
  const playedWith = (changes: Partial<PlanRules>) =>
    forecast({ ...loaded, plan: { ...loaded.plan, rules: { ...rules, ...changes } } }, now);
  const { left: contacts } = forecast(loaded, now);
  if (contacts === 0) return undefined;
  const paces = FASTER.map((times) => Math.ceil(rules.callsPerHour * times));
  const callsPerHour = paces.find((pace) => playedWith({ callsPerHour: pace }).left === 0);
  const { finish } = playedWith({ end: undefined });
  const end = finish === undefined ? undefined : (Math.floor((finish + marginOf(loaded, now)) / HOUR) + 1) * HOUR;
  const isEnough = rules.end !== undefined && end !== undefined && playedWith({ end }).left === 0;
  return { contacts, callsPerHour, end: isEnough ? end : undefined };
}

/** How many more calls there may be: by what was submitted for each caller number, and by what the plan has spent. */
import { MINUTE, SECOND } from '../../text/units.ts';
import type { LoadedPlan, Plan, Position } from './plan.ts';
import type { PlanRules } from './rules.ts';
import { endOf, intervalOf, marginOf } from './waves.ts';

type Submitted = Position['given'];
type Counted = Pick<LoadedPlan, 'plan' | 'position'>;

/** Two are kept whatever their age: the last one says whose turn it is, and may yet be taken back. */
const ALWAYS_KEPT = 2;

/** How long a planned dial counts: a service may make it later by a margin. */
export function countedFor({ within }: { within: number }, margin: number): number {
  return within + margin;
}

/** Adds a wave; those that no cap counts any more are dropped. */
export function withWave({ plan: { rules }, position }: Counted, wave: Submitted[number]): Submitted {
  const all = [...position.given, wave];
  const within = rules.fromCap === undefined ? 0 : countedFor(rules.fromCap, marginOf({ position }, wave.at));
  const interval = intervalOf(rules);
  const isCounted = ({ at, contacts, interval: own = interval }: Submitted[number]) =>
    endOf({ start: at, interval: own, contacts }) + within > wave.at;
  return all.filter((one, index) => index >= all.length - ALWAYS_KEPT || isCounted(one));
}

/** Without a wave that was not placed. */
export function withoutWave(given: Submitted, wave: { from: string; start: number }): Submitted {
  const index = given.findLastIndex(({ from, at }) => from === wave.from && at === wave.start);
  return given.filter((_one, at) => at !== index);
}

/** The plan's numbers, the one whose turn it is first. */
export function turns({ from }: Plan, { given }: Position): string[] {
  const last = given.at(-1)?.from;
  const next = last === undefined ? 0 : from.indexOf(last) + 1;
  return [...from.slice(next), ...from.slice(0, next)];
}

/**
 * How many contacts, at most `most`, a number may call from `now` on, so that none of its dials is one too many within
 * the period before it.
 */
export function capacityOf(from: string, now: number, most: number, { plan: { rules }, position }: Counted): number {
  const { fromCap } = rules;
  if (fromCap === undefined) return most;
  const within = countedFor(fromCap, marginOf({ position }, now));
  for (let contacts = 0; contacts < most; contacts++) {
    const since = now + contacts * intervalOf(rules) - within;
    if (dialsAfter(since, from, position.given, intervalOf(rules)).count + contacts >= fromCap.count) return contacts;
  }
  return most;
}

/** The earliest instant from `start` on at which the number may call a contact, as it is known `now`. */
export function hasCapacityAt(
  from: string,
  start: number,
  now: number,
  { plan: { rules }, position }: Counted,
): number {
  const { fromCap } = rules;
  if (fromCap === undefined) return start;
  const within = countedFor(fromCap, marginOf({ position }, now));
  for (let at = start; ; ) {
    const { count, next } = dialsAfter(at - within, from, position.given, intervalOf(rules));
    if (count < fromCap.count) return at;
    // Later in any case: interval and index may be rounded.
    at = Math.max(at + 1, next + within);
  }
}

/** Planned dials of a number after an instant, and the first of them, rounded up to a whole millisecond. */
function dialsAfter(since: number, from: string, given: Submitted, usual: number): { count: number; next: number } {
  let [count, next] = [0, Number.POSITIVE_INFINITY];
  for (const wave of given) {
    if (wave.from !== from) continue;
    const { interval = usual } = wave;
    // Dial n happens at `at + n × interval`; the first that is later than `since`:
    const first = Math.max(0, Math.floor((since - wave.at) / interval) + 1);
    if (first >= wave.contacts) continue;
    count += wave.contacts - first;
    next = Math.min(next, Math.ceil(wave.at + first * interval));
  }
  return { count, next };
}

// Money, in millionths. Calls are charged by started minutes, as far as a plan knows. ---------------------------------

/** `seconds` of a conversation; 0 without a price. */
export function costOf(seconds: number, { pricePerMinute }: Pick<PlanRules, 'pricePerMinute'>): number {
  return Math.ceil((seconds * SECOND) / MINUTE) * (pricePerMinute ?? 0);
}

/** Of one more call: connected, and as long as the longest that is expected or was seen. */
export function worstCall({ plan: { rules }, position }: LoadedPlan): number {
  return costOf(Math.max(rules.longest, position.longest), rules);
}

/** How many contacts have an attempt whose call was not seen yet. */
export function unreconciled({ position: { open } }: LoadedPlan): number {
  return open.reduce((sum, wave) => sum + wave.unsettled, 0);
}

/** Attempts that may be charged, or have been, although no call of them was seen: awaited, unseen, or recalled. */
export function uncharged(loaded: LoadedPlan): number {
  const { counts, recalledAttempts } = loaded.roster;
  return unreconciled(loaded) + counts.unseen + recalledAttempts;
}

/** By how much calls that are going on have already cost more than the worst that was expected of them. */
function overrun({ plan: { rules }, lasting = [] }: LoadedPlan, expected: number): number {
  return lasting.reduce((sum, seconds) => sum + Math.max(0, costOf(seconds, rules) - expected), 0);
}

/**
 * How many more calls the budget allows if each costs the most; Infinity without a budget. Attempts of which nothing is known
 * count as much, whether they are waited for or not; a call that is going on counts at its length so far if that is longer.
 */
export function affordable(loaded: LoadedPlan): number {
  const { plan, position } = loaded;
  const { budget } = plan.rules;
  if (budget === undefined) return Number.POSITIVE_INFINITY;
  const call = worstCall(loaded);
  const left = budget - position.spent - uncharged(loaded) * call - overrun(loaded, call);
  if (left < 0) return 0;
  return call === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / call);
}

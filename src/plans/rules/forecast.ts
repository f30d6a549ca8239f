/**
 * When a plan would have called everybody once, by its pace, its calling windows and the capacity of its callers: who answers,
 * and retries, are left to a rehearsal.
 */
import { countedFor } from './capacity.ts';
import { onBothClocks } from './clocks.ts';
import type { LoadedPlan } from './plan.ts';
import { intervalOf, marginOf } from './waves.ts';

export interface Forecast {
  /** When the last contact would get its first call, in milliseconds since the epoch; undefined if nobody would. */
  finish: number | undefined;
  /** Those who would not get one before the plan's end, or within the time that was played. */
  left: number;
}

/** Steps from one window or closing to the next. What is left after so many is taken to go on as it went until then. */
const MOST_STEPS = 4000;

/** `now` by the clock that places the calls. */
export function forecast(loaded: LoadedPlan, now: number): Forecast {
  const { plan, roster, position } = loaded;
  const { rules, from } = plan;
  const margin = marginOf(loaded, now);
  const before = (rules.end ?? Number.POSITIVE_INFINITY) - margin;
  const start = Math.max(now, rules.start ?? now, position.nextStart);
  const { first, finish, left } = play(loaded, { start, before, margin });
  if (rules.fromCap === undefined || first === undefined || finish === undefined) return { finish, left };
  // The callers' caps allow so many calls at once, and as many again each time that these count no more.
  const [atOnce, period] = [rules.fromCap.count * from.length, countedFor(rules.fromCap, margin)];
  const calls = Math.min(roster.counts.new - left, atOnce * Math.ceil((before - first) / period));
  const last = first + Math.floor((calls - 1) / atOnce) * period;
  const isCut = calls < roster.counts.new - left;
  return { finish: isCut ? last : Math.max(finish, last), left: roster.counts.new - calls };
}

/** Calls those whose windows end first, as long as they last; with the time of the first call. */
function play(
  { plan, roster, windows: own, ahead = 0 }: LoadedPlan,
  { start, before, margin }: { start: number; before: number; margin: number },
): Forecast & { first: number | undefined } {
  const windows = onBothClocks(own, ahead);
  const interval = intervalOf(plan.rules);
  /** Who waits for a first call, by place. */
  const queues = new Map<number, number>();
  for (let row = 0; row < roster.size; row++) {
    const place = roster.placeOf(row);
    if (roster.stateOf(row) === 'new') queues.set(place, (queues.get(place) ?? 0) + 1);
  }
  let left = roster.counts.new;
  let begun: number | undefined;
  let finish: number | undefined;
  let at = start;
  let step = 0;
  for (; step < MOST_STEPS && left > 0 && at < before; step++) {
    const queued = [...queues].flatMap(([place, contacts]) => {
      const window = windows.windowAt(place, at);
      return window === undefined ? [] : [{ place, contacts, from: window.from, until: window.until - margin }];
    });
    const next = Math.min(
      ...queued.map(({ from, until }) => (from > at ? from : until > at ? Infinity : until + margin)),
    );
    const open = queued.filter(({ from, until }) => from <= at && until > at);
    const first = open.toSorted((one, other) => one.until - other.until)[0];
    if (first === undefined) {
      if (next === Number.POSITIVE_INFINITY) break;
      at = next;
      continue;
    }
    // As long as no window begins that would end before.
    const until = Math.min(first.until, before, next);
    const called = Math.min(first.contacts, Math.ceil((until - at) / interval));
    left -= called;
    begun ??= at;
    finish = Math.ceil(at + (called - 1) * interval);
    at = Math.ceil(at + called * interval);
    if (called === first.contacts) queues.delete(first.place);
    else queues.set(first.place, first.contacts - called);
  }
  const hasMore = left > 0 && at < before && step === MOST_STEPS && left < roster.counts.new;
  if (!hasMore) return { first: begun, finish, left };
  const slope = (at - start) / (roster.counts.new - left);
  const inTime = Math.min(left, Math.floor((before - at) / slope));
  return { first: begun, finish: Math.ceil(at + inTime * slope), left: left - inTime };
}

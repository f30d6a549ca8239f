/**
 * When a plan would have called everybody once, by its pace, its hours and what its callers may be given: who answers, and retries,
 * are left to a rehearsal.
 */

import { countedFor } from './capacity.ts';
import { onBothClocks } from './clocks.ts';
import type { LoadedPlan, Plan } from './plan.ts';
import { intervalOf, marginOf } from './waves.ts';

interface Forecast {
  /** When the last contact would get its first call, in milliseconds since the epoch; undefined if nobody would. */
  finish: number | undefined;
  /** Those who would not get one before the plan's end, or within the time that was looked at. */
  left: number;
}

interface Played extends Forecast {
  /** When the first contact would get its call; undefined if nobody would. */
  first: number | undefined;
}

interface Queue {
  place: number;
  contacts: number;
}

/** Steps from one opening or closing to the next. What is left after so many is taken to go on as it went until then. */
const MOST_STEPS = 4000;

/** `now` by the clock that places the calls. */
export function forecast(loaded: LoadedPlan, now: number): Forecast {
  const { plan, roster } = loaded;
  const counts = new Map<number, number>();
  for (let row = 0; row < roster.size; row++) {
    if (roster.stateOf(row) !== 'new') continue;
    const place = roster.placeOf(row);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const queues = [...counts].map(([place, contacts]): Queue => ({ place, contacts }));
  const margin = marginOf(loaded, now);
  const before = (plan.rules.end ?? Number.POSITIVE_INFINITY) - margin;
  const start = Math.max(now, plan.rules.start ?? now, loaded.position.nextStart);
  const played = play(loaded, queues, { start, before, margin });
  return withCaps(plan, played, { contacts: roster.counts.new, before, margin });
}

/** The callers' caps allow so many calls at once, and as many again each time that these count no more. */
function withCaps(
  { from, rules }: Plan,
  played: Played,
  { contacts, before, margin }: { contacts: number; before: number; margin: number },
): Forecast {
  const { first, finish, left } = played;
  const { fromCap } = rules;
  if (fromCap === undefined || first === undefined || finish === undefined) return { finish, left };
  const [atOnce, period] = [fromCap.count * from.length, countedFor(fromCap, margin)];
  const calls = Math.min(contacts - left, atOnce * Math.ceil((before - first) / period));
  const last = first + Math.floor((calls - 1) / atOnce) * period;
  return { finish: calls < contacts - left ? last : Math.max(finish, last), left: contacts - calls };
}

/** Calls those whose hours end first, as long as they last. */
function play(
  { plan, hours: own, ahead = 0 }: LoadedPlan,
  waiting: Queue[],
  { start, before, margin }: { start: number; before: number; margin: number },
): Played {
  const hours = onBothClocks(own, ahead);
  const interval = intervalOf(plan.rules);
  const total = countOf(waiting);
  let queues = waiting;
  let begun: number | undefined;
  let finish: number | undefined;
  let at = start;
  let step = 0;
  for (; step < MOST_STEPS && queues.length > 0 && at < before; step++) {
    const openings = queues.flatMap((queue) => {
      const opening = hours.openingAt(queue.place, at);
      return opening === undefined ? [] : [{ queue, from: opening.from, until: opening.until - margin }];
    });
    const next = Math.min(
      ...openings.map(({ from, until }) => (from > at ? from : until > at ? Infinity : until + margin)),
    );
    const open = openings.filter(({ from, until }) => from <= at && until > at);
    const first = open.toSorted((one, other) => one.until - other.until)[0];
    if (first === undefined) {
      if (next === Number.POSITIVE_INFINITY) break;
      at = next;
      continue;
    }
    // As long as nobody's hours begin whose hours would end before.
    const until = Math.min(first.until, before, next);
    const { queue } = first;
    const called = Math.min(queue.contacts, Math.ceil((until - at) / interval));
    queue.contacts -= called;
    begun ??= at;
    finish = Math.ceil(at + (called - 1) * interval);
    at = Math.ceil(at + called * interval);
    queues = queues.filter(({ contacts }) => contacts > 0);
  }
  const left = countOf(queues);
  const hasMore = left > 0 && at < before && step === MOST_STEPS && left < total;
  if (!hasMore) return { first: begun, finish, left };
  const slope = (at - start) / (total - left);
  const inTime = Math.min(left, Math.floor((before - at) / slope));
  return { first: begun, finish: Math.ceil(at + inTime * slope), left: left - inTime };
}

function countOf(queues: readonly Queue[]): number {
  return queues.reduce((sum, { contacts }) => sum + contacts, 0);
}

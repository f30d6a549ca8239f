/** A plan that waits although somebody could be called: judged only where nothing but the hours can be in the way. */
import { zonesLike } from '../../new-clocks.ts';
import type { Look, PlanOfHistory, Post, Row } from '../history.ts';
import { localTime, offsetOf } from '../local-time.ts';
import { DAY, HOUR, MINUTE } from '../world.ts';
import { holdsFor, isOpen } from './hours.ts';
import { type Breach, planAt, time, type View } from './view.ts';

/** How long somebody must be within reach: longer than any margin. */
const REACH = 30 * MINUTE;
const STEP = 10 * MINUTE;
const FARTHEST = 3 * DAY;
const MOST_CONTACTS = 12;

export function* idle(view: View, plan: number): Generator<Breach> {
  // Where a service is slow, how much earlier its waves must end is the plan's to judge.
  if (view.history.pace !== 1) return;
  for (const look of view.history.looks.filter((one) => one.plan === plan && one.state === 'open' && one.isAfterRun)) {
    const { rules, end } = planAt(view, plan, look.seq);
    const { perNumber, budget, stopOn, canary, fromCap } = rules;
    if ([perNumber, budget, stopOn, canary, fromCap].some((rule) => rule !== undefined)) continue;
    const until = Math.min(look.next ?? Number.POSITIVE_INFINITY, end === undefined ? look.at + FARTHEST : end - HOUR);
    const waves = view.wavesOf(plan).filter(({ seq }) => seq < look.seq);
    const begin = Math.max(look.at, ...waves.map((wave) => settledAt(view, wave, rules.callsPerHour)));
    const reach = (row: Row) => firstReach(planAt(view, plan, look.seq), row, begin, until);
    const missed = free(view, plan, look).find((row) => reach(row) !== undefined);
    if (missed === undefined) continue;
    const at = reach(missed) as number;
    const waits = `waits until ${look.next === undefined ? 'ever' : time(look.next)}`;
    yield {
      rule: 'idle',
      text: `plan ${plan} at ${time(look.at)} ${waits}: ${missed.key} could be called at ${time(at)}`,
    };
  }
}

/** When nothing of a wave can be in the way of the next one any more. */
function settledAt(view: View, wave: Post, callsPerHour: number): number {
  const seen = wave.contacts.map(({ key }) => view.dialOf(wave, key)?.shownAt ?? Number.POSITIVE_INFINITY);
  const start = Math.max(wave.at, Date.parse(wave.startTime ?? time(wave.at)));
  return Math.max(start + (wave.contacts.length * HOUR) / callsPerHour + HOUR, ...seen);
}

/** Contacts whom nobody has called or will call, and whom nobody forbids. */
function free(view: View, plan: number, look: Look): Row[] {
  const { rows } = planAt(view, plan);
  const { posts, excluded } = view.history;
  const busy = new Set(posts.flatMap(({ contacts }) => contacts.map(({ phone }) => phone)));
  for (const { phone } of excluded) busy.add(phone);
  if (look.contacts.excluded !== 0) return [];
  if (view.hasLost(plan, look) || mayBeCalled(view, look)) return [];
  return rows.filter(({ phone }) => !busy.has(phone)).slice(0, MOST_CONTACTS);
}

/** Whether a wave of any plan was lost: it may still call people whom nobody here knows, and everybody waits for that. */
function mayBeCalled(view: View, { seq }: Look): boolean {
  const { looks, plans } = view.history;
  return plans.some((_plan, other) => {
    const latest = looks.findLast((one) => one.plan === other && one.seq <= seq);
    return latest !== undefined && view.hasLost(other, latest);
  });
}

function firstReach(plan: PlanOfHistory, row: Row, begin: number, until: number): number | undefined {
  const { start = 0 } = plan;
  const first = Math.ceil(Math.max(begin, start) / STEP) * STEP;
  for (let at = first; at + STEP < Math.min(until, begin + FARTHEST); at += STEP) {
    const isThere = [at, at + REACH].every((when) =>
      row.zones.flatMap((zone) => zonesLike(zone, when)).every((zone) => isReachable(plan, row, zone, when)),
    );
    if (isThere && row.zones.length > 0) return at;
  }
  return undefined;
}

/** Not on a day on which the clocks change: what is open then may be said in two ways. */
function isReachable({ rules, skip }: PlanOfHistory, row: Row, zone: string, at: number): boolean {
  if (offsetOf(at - 12 * HOUR, zone) !== offsetOf(at + 12 * HOUR, zone)) return false;
  const { date, weekday, minute } = localTime(at, zone);
  if (skip.some((day) => day.date === date && holdsFor(day.country, row, rules.zone))) return false;
  return rules.openings.some((opening) => isOpen(opening, weekday, minute));
}

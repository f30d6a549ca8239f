/** What a plan does next: submits a wave, waits for a time, stops, or nothing. Instants in milliseconds since the epoch. */
import { DAY } from '../../text/units.ts';
import { type UsableWindows, usableWindows } from './calling-window.ts';
import { affordable, capacityOf, hasCapacityAt, turns, unreconciled } from './capacity.ts';
import { chooseWave, type Due, nextDue, type Outlook } from './choose.ts';
import { onBothClocks } from './clocks.ts';
import type { Halted } from './events.ts';
import { firstLookUntil, halts } from './halts.ts';
import type { LoadedPlan } from './plan.ts';
import { blocksUntil, gatheringTime, hasWave, intervalOf, longestWave, marginOf, unseenAt } from './waves.ts';

/** `rows` in the order of their dials, the first at `start`, the others `interval` after one another. */
export interface Wave {
  kind: 'wave';
  from: string;
  start: number;
  interval: number;
  rows: number[];
}

/** Nothing is to be done before `at`, which is later than now. */
interface Wait {
  kind: 'wait';
  at: number;
  why: Why;
}

/** What ends then: the reason of somebody who may not be called now, or another. `whyInWords` says what each means. */
export type Why =
  | Due['why']
  | 'wave_running'
  | 'gathering'
  | 'news'
  | 'canary'
  | 'first_look'
  | 'budget_pending'
  | 'end';

/** `over`: nothing by itself; the plan waits for somebody, was stopped, or is done. */
export type Decision = Wave | Wait | { kind: 'halt'; event: Halted } | { kind: 'over' };

export function decide(plan: LoadedPlan, outlook: Outlook): Decision {
  const { now, ahead = plan.ahead ?? 0 } = outlook;
  const loaded = { ...plan, windows: onBothClocks(plan.windows, ahead) };
  if (loaded.position.state !== 'open') return { kind: 'over' };
  const [halt] = halts(loaded, now);
  if (halt !== undefined) return { kind: 'halt', event: halt };

  const held = heldBack(loaded, now);
  if (held !== undefined) return wait(loaded, now, held);
  const base = nextBeginning(loaded, now);
  const before = (loaded.plan.rules.end ?? Number.POSITIVE_INFINITY) - marginOf(loaded, now);
  if (base.at === now) {
    const usable = usableWindows(loaded.windows, now, marginOf(loaded, now));
    const wave = waveAt(loaded, outlook, usable, before);
    const gathered = gatheredAt(loaded, wave, usable, before);
    if (gathered > now) return wait(loaded, now, { at: gathered, why: 'gathering' });
    if (wave.rows.length > 0) return wave;
  }
  const due = nextDue(loaded, outlook, base);
  return wait(loaded, now, due !== undefined && due.at < before ? due : { ...NEWS, why: due?.why ?? 'news' });
}

/** No instant is known: the log will show, or nothing. */
const NEWS = { at: Number.POSITIVE_INFINITY, why: 'news' } as const;

type Reason = Pick<Wait, 'at' | 'why'>;

/** Why there is no wave now whoever would be in it, because of waves that were submitted. */
function heldBack(loaded: LoadedPlan, now: number): Reason | undefined {
  const { plan, position } = loaded;
  if (now < position.nextStart) return { at: position.nextStart, why: 'wave_running' };
  const blocked = Math.max(0, ...position.open.map((wave) => blocksUntil(wave, marginOf(loaded, now))));
  if (now < blocked) return { at: blocked, why: 'wave_running' };
  const isCanaryOut = plan.rules.canary !== undefined && !position.hasPassedCanary && hasWave(position);
  if (isCanaryOut) return { at: position.open.length > 0 ? NEWS.at : firstLookUntil(loaded), why: 'canary' };
  if (plan.rules.isProbe && hasWave(position) && position.open.length === 0)
    return { at: firstLookUntil(loaded), why: 'first_look' };
  if (unreconciled(loaded) > 0 && affordable(loaded) === 0) return { ...NEWS, why: 'budget_pending' };
  return undefined;
}

/** From when on the plan and one of its numbers may call; the reason if that is later than now. */
function nextBeginning(loaded: LoadedPlan, now: number): Due {
  const { rules, from } = loaded.plan;
  const start = Math.max(now, rules.start ?? now);
  const allowed = Math.min(...from.map((number) => hasCapacityAt(number, start, now, loaded)));
  return allowed > start ? { at: allowed, why: 'from_cap' } : { at: start, why: 'start' };
}

/** The wave that begins now, and whose last dial is before an instant; it may have nobody. */
function waveAt(loaded: LoadedPlan, outlook: Outlook, usable: UsableWindows, before: number): Wave {
  const { plan, position } = loaded;
  const { rules } = plan;
  const { now: start } = outlook;
  const canary = position.hasPassedCanary ? undefined : rules.canary;
  const longest = Math.min(longestWave(rules), affordable(loaded), canary ?? Number.POSITIVE_INFINITY);
  const capacity = (from: string) => capacityOf(from, start, longest, loaded);
  const from = turns(plan, position).find((candidate) => capacity(candidate) > 0);
  const rows = from === undefined ? [] : chooseWave(loaded, usable, { most: capacity(from), before, outlook });
  return { kind: 'wave', from: from ?? '', start, interval: intervalOf(rules), rows };
}

/**
 * When a small wave begins, so that retries which fall due one by one are not a campaign each: some minutes after the one
 * before, or at once if it would then be too late for somebody in it.
 */
function gatheredAt({ plan, position, roster }: LoadedPlan, wave: Wave, usable: UsableWindows, before: number): number {
  const { start, interval, rows } = wave;
  const latest = position.given.at(-1);
  if (latest === undefined || rows.length === 0) return start;
  const time = gatheringTime(plan.rules);
  const gathered = latest.at + time;
  const lastDial = gathered + rows.length * interval;
  if (gathered <= start || rows.length * interval >= time - interval || lastDial >= before) return start;
  const isLost = rows.some((row) => usable.of(roster.placeOf(row)).last <= lastDial);
  return isLost ? start : gathered;
}

/** The earliest of the reason's instant and of all others at which something changes by the clock alone. */
function wait({ plan, position, roster }: LoadedPlan, now: number, reason: Reason): Wait {
  const isOfWaves = reason.why === 'canary' || reason.why === 'budget_pending';
  let next = reason;
  const or = (at: number, why: Why) => {
    if (at < next.at) next = { at, why };
  };
  for (const wave of position.open) or(unseenAt(wave), isOfWaves ? reason.why : 'news');
  if (plan.rules.end !== undefined && roster.counts.new + roster.counts.again > 0) or(plan.rules.end, 'end');
  // Where no instant is known at which something changes: other calls of this machine may have been reconciled in a day.
  const at = next.at === Number.POSITIVE_INFINITY ? now + DAY : next.at;
  return { kind: 'wait', at: Math.max(now + 1, at), why: next.why };
}

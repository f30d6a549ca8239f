/** A plan's content at one moment, as it is watched. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fromMicros } from '../../engine/money.ts';
import { isoTime } from '../../text/iso.ts';
import { grouped } from '../../text/numbers.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../text/units.ts';
import type { StoredPlan } from '../rows/stored-plan.ts';
import type { CallingWindow, CallingWindows } from '../rules/calling-window.ts';
import type { LoadedPlan, OpenWave, Plan } from '../rules/plan.ts';
import { placedWaves } from '../rules/waves.ts';
import type { PlanPorts } from './ports.ts';
import { clockOf } from './ports.ts';
import { planRecord, wavesOut } from './record.ts';

/** A row of the day. The spans are rising and not overlapping, in milliseconds since the epoch; `until` is not included. */
type DayRow = { label: string; spans: readonly CallingWindow[] };

export type Day = ReturnType<typeof dayOf>;
export type PlanSnapshot = ReturnType<typeof snapshotAt>;

/** Places of which the day is drawn. */
const MOST_PLACES = 5;

/** `sinceRun`: milliseconds since somebody last ran the plan, by the clock of this machine; undefined if nobody ever did. */
function snapshotAt(loaded: LoadedPlan, now: number, sinceRun: number | undefined) {
  const { plan, position, windows } = loaded;
  const { latest, open } = position;
  const { budget } = plan.rules;
  const reached = latest.filter((result) => result === 'reached').length;
  return {
    record: planRecord(loaded, now),
    // Milliseconds since the epoch, by the clock that places the calls.
    at: now,
    budget: budget === undefined ? undefined : fromMicros(budget),
    // Of the latest attempts; undefined before the first.
    latest: latest.length === 0 ? undefined : { reached, attempts: latest.length },
    // How many were placed, or may have been.
    waves: placedWaves(position),
    // Those with contacts whose call was not seen yet, the oldest first.
    running: wavesOut(loaded),
    sinceRun,
    day: dayOf({ plan, windows, open }, waitingByPlace(loaded), { now, most: MOST_PLACES }),
  };
}

function waitingByPlace({ plan, roster }: LoadedPlan): Uint32Array {
  const counts = new Uint32Array(plan.places.length);
  for (const row of roster.waiting()) (counts[roster.placeOf(row)] as number) += 1;
  return counts;
}

/**
 * Rows for the places with the most contacts, at most `most`; the rest is not shown. `contacts`: how many still to be called are
 * in each place, by its index.
 */
export function dayOf(
  { plan, windows, open }: { plan: Pick<Plan, 'places'>; windows: CallingWindows; open: readonly OpenWave[] },
  contacts: ArrayLike<number>,
  { now, most }: { now: number; most: number },
) {
  const from = Math.floor(now / HOUR) * HOUR;
  const places: DayRow[] = plan.places
    .map((place, index) => ({ place, index, count: contacts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count || one.index - other.index)
    .slice(0, most)
    .map(({ place, index }) => ({ label: nameOf(place), spans: windowsOf(windows, index, from, from + DAY) }));
  const spans = open.map(({ start, interval, contacts: count }) => ({ from: start, until: start + count * interval }));
  const waves: DayRow = { label: 'waves', spans };
  // Milliseconds since the epoch, on an hour.
  return { from, places, waves };
}

function windowsOf(windows: CallingWindows, place: number, from: number, until: number): CallingWindow[] {
  const window = windows.windowAt(place, from);
  if (window === undefined || window.from >= until) return [];
  return [window, ...windowsOf(windows, place, window.until, until)];
}

/** `New York`; for a number that may be in several zones, its country and how many they are. */
function nameOf({ zones, country }: Plan['places'][number]): string {
  const [zone = '', second] = zones;
  if (second === undefined) return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
  return `${country === null ? '' : `${country}, `}${grouped(zones.length)} zones`;
}

/** Whether nothing will happen any more without somebody's doing. */
export function isAtRest({ record }: Pick<PlanSnapshot, 'record'>): boolean {
  return record.state !== 'open';
}

/** A run every ten minutes may be late once. */
const MOST_BETWEEN_RUNS = 25 * MINUTE;

/** Whether a run has something to do, and nobody has run the plan for long. */
export function isNeglected({ record: { state, next }, running, sinceRun, at }: PlanSnapshot): boolean {
  const isDue = next !== null && Date.parse(next.at) <= at;
  const hasWork = state === 'open' && (isDue || running.length > 0);
  return hasWork && (sinceRun === undefined || sinceRun > MOST_BETWEEN_RUNS);
}

export const SNAPSHOT_FIELDS = [
  ...[
    'plan_id',
    'plan_name',
    'at',
    'state',
    'reason',
    'contacts',
    'states',
    'attempts',
    'spent',
    'budget',
    'answer_rate',
  ],
  ...['waves', 'running', 'next', 'not_run_for', 'is_over'],
] as const;

/** As it is printed for programs. Times are UTC ISO 8601, money is a decimal number. */
export function snapshotOf(snapshot: PlanSnapshot): Record<(typeof SNAPSHOT_FIELDS)[number], unknown> {
  const { latest, sinceRun, record } = snapshot;
  const { plan_id, plan_name, state, reason, contacts, states, attempts, spent, next } = record;
  return {
    ...{ plan_id, plan_name, at: isoTime(snapshot.at), state, reason, contacts, states, attempts, spent },
    budget: snapshot.budget ?? null,
    answer_rate: latest === undefined ? null : Math.round((10_000 * latest.reached) / latest.attempts) / 10_000,
    ...{ waves: snapshot.waves, running: snapshot.running, next },
    not_run_for: sinceRun === undefined ? null : Math.round(sinceRun / 1000),
    is_over: isAtRest(snapshot),
  };
}

/** What the time alone changes is no news. */
export function newsOf(snapshot: PlanSnapshot): string {
  const { at: _at, next: _next, not_run_for: _notRun, ...rest } = snapshotOf(snapshot);
  return JSON.stringify([rest, snapshot.record.next?.why, isNeglected(snapshot)]);
}

/** How snapshots are distinguished, for whoever shows them. */
export const SNAPSHOTS = {
  ...{ newsOf, snapshotOf, fields: SNAPSHOT_FIELDS },
  keyOf: ({ record }: PlanSnapshot) => record.plan_id,
  timeOf: ({ at }: PlanSnapshot) => at,
};

/** Milliseconds between two snapshots of the plan, and how many times as long as one takes: a long plan costs little time, too. */
const PAUSE = SECOND;
const REST = 10;

/**
 * Looks at a plan again and again, until it is at rest or the work is to end, and reads it anew only where it has changed. Throws
 * as `StoredPlan.load` does.
 */
export async function* watchPlan(
  stored: StoredPlan,
  ports: Pick<PlanPorts, 'store' | 'clock' | 'local' | 'signal'>,
): AsyncGenerator<PlanSnapshot, void> {
  const { clock, signal } = ports;
  let read: { loaded: LoadedPlan; version: number } | undefined;
  for (;;) {
    const began = performance.now();
    const { version, ranAt } = await stored.snapshot();
    if (read?.version !== version) read = { loaded: await stored.load(), version };
    const since = ranAt === undefined ? undefined : Math.max(0, clock.system() - ranAt);
    const snapshot = snapshotAt(read.loaded, await clockOf(read.loaded, ports), since);
    const took = performance.now() - began;
    yield snapshot;
    if (isAtRest(snapshot) || signal.aborted) return;
    await sleep(Math.max(PAUSE, REST * took), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

/** Changed rules of a plan that is under way: what follows from them, and why some must not be changed now. */
import { applyEvent } from './apply.ts';
import { hasCommonWindow } from './calendar.ts';
import { costOf, uncharged, unreconciled, worstCall } from './capacity.ts';
import { onBothClocks } from './clocks.ts';
import { type Called, type EventOf, runsOf } from './events.ts';
import type { LoadedPlan, OpenWave } from './plan.ts';
import { dialsOf, type PlanRules, ZONE_OF_CONTACT } from './rules.ts';
import { blocksUntil, hasWave, intervalOf, longestWave, marginOf } from './waves.ts';

/** What is known of the calls that were made. */
export interface CallsMade {
  /** Of each contact that was called, the last call of its last wave. */
  last: ReadonlyMap<number, Pick<Called, 'at' | 'result'>>;
  /** Seconds of all calls. */
  seconds: readonly number[];
}

export type Edited = EventOf<'edited'>;

/** The plan goes by other rules from `at` on. Who was out of attempts, or was to be called again, follows from its last call. */
export function edited(loaded: LoadedPlan, rules: PlanRules, { last, seconds }: CallsMade, at: number): Edited {
  const { plan, roster } = loaded;
  const was = plan.rules;
  const event: Edited = { event: 'edited', at, was, rules };
  if (rules.pricePerMinute !== was.pricePerMinute)
    event.spent = seconds.reduce((sum, one) => sum + costOf(one, rules), 0);
  const isSame = rules.maxAttempts === was.maxAttempts && JSON.stringify(rules.retry) === JSON.stringify(was.retry);
  if (isSame) return event;
  const frees: number[] = [];
  const over: number[] = [];
  for (let row = 0; row < roster.size; row++) {
    const state = roster.stateOf(row);
    if ((state !== 'again' && state !== 'exhausted') || !Number.isFinite(roster.dueOf(row))) continue;
    const due = dueBy(loaded, rules, row, last.get(row));
    if (due === undefined && state === 'again') over.push(row);
    if (due !== undefined && (state === 'exhausted' || due !== roster.dueOf(row))) frees.push(row, due);
  }
  return { ...event, ...(frees.length > 0 && { frees }), ...(over.length > 0 && { over: runsOf(over) }) };
}

/** When the contact is called again by the new rules at the earliest; undefined if never. */
function dueBy(
  { plan, roster }: LoadedPlan,
  rules: PlanRules,
  row: number,
  call: Pick<Called, 'at' | 'result'> | undefined,
): number | undefined {
  const isRecalled = roster.stateOf(row) === 'again';
  if (roster.attemptsOf(row) >= rules.maxAttempts) return undefined;
  // Nobody saw the last call of one who was recalled.
  if (call === undefined) return isRecalled ? roster.dueOf(row) : undefined;
  const delay = call.result === 'reached' ? undefined : rules.retry[call.result];
  if (delay === undefined || call.result === 'reached') return undefined;
  const due = Math.ceil(call.at + delay);
  const before = plan.rules.retry[call.result];
  const isDueByIt = before !== undefined && roster.dueOf(row) === Math.ceil(call.at + before);
  return isRecalled && !isDueByIt ? Math.max(roster.dueOf(row), due) : due;
}

/** The plan as it would be then; the one that is given stays as it is. */
export function afterEdit(loaded: LoadedPlan, event: Edited): LoadedPlan {
  const after = { ...loaded, position: structuredClone(loaded.position), roster: loaded.roster.copy() };
  applyEvent(event, after, 0);
  return after;
}

/** How many contacts are called again who were not to be, and are not who were. */
export function countsOf(loaded: LoadedPlan, after: LoadedPlan): { freed: number; leftOver: number } {
  let [freed, leftOver] = [0, 0];
  for (let row = 0; row < loaded.roster.size; row++) {
    const [before, then] = [loaded.roster.isWaiting(row), after.roster.isWaiting(row)];
    if (then && !before) freed++;
    if (before && !then) leftOver++;
  }
  return { freed, leftOver };
}

// What must not be changed now --------------------------------------------------------------------------------------------

/** The contacts of a wave in the order of their calls. */
export type RowsOf = (wave: OpenWave) => readonly number[];

/** Why the plan must not become this one: a sentence each, without its full stop. */
export function objections(loaded: LoadedPlan, after: LoadedPlan, rowsOf: RowsOf, now: number): string[] {
  return [...neverSafe(loaded, after.plan.rules, now), ...brokenByWaves(loaded, after, rowsOf, now)];
}

/** What the plan does not know enough for, whatever is under way. */
function neverSafe({ plan, position, roster }: LoadedPlan, rules: PlanRules, now: number): string[] {
  const was = plan.rules;
  const said: string[] = [];
  if (dialsOf(rules) !== dialsOf(was))
    said.push(
      `it was made to keep the last ${dialsOf(was)} calls of each number, and this cap needs ${dialsOf(rules)}`,
    );
  const within = was.fromCap?.within ?? 0;
  if (rules.fromCap !== undefined && rules.fromCap.within > within && hasWave(position))
    said.push('how much was sent in so long a time is not kept, and a cap can only count a shorter one');
  if (rules.canary !== was.canary && (hasWave(position) || position.hasPassedCanary))
    said.push('its first wave was sent: there is no other that somebody could look at first');
  const [zone, ...others] = new Set(plan.places.flatMap(({ zones }) => zones));
  if (rules.zone === ZONE_OF_CONTACT && was.zone !== ZONE_OF_CONTACT && others.length === 0)
    said.push(`it was made for one time zone, ${zone}, and does not know those of its contacts`);
  const isHours = rules.window !== was.window || rules.zone !== was.zone || rules.skipDates !== was.skipDates;
  if (!isHours) return said;
  const closed = new Set(plan.places.flatMap((place, index) => (hasCommonWindow(rules, place, now) ? [] : [index])));
  let nobody = 0;
  if (closed.size > 0)
    for (let row = 0; row < roster.size; row++) if (roster.isWaiting(row) && closed.has(roster.placeOf(row))) nobody++;
  if (nobody > 0) said.push(`these hours would never be open for ${nobody} of its contacts, wherever they may be`);
  return said;
}

/** A wave that was sent is beyond reach: its calls must be within the new rules too. */
function brokenByWaves(loaded: LoadedPlan, after: LoadedPlan, rowsOf: RowsOf, now: number): string[] {
  const { plan, position } = loaded;
  const { rules } = after.plan;
  const was = plan.rules;
  const margin = marginOf(loaded, now);
  const said: string[] = [];
  if (unreconciled(after) > 0 && isBeyond(after))
    said.push('calls that were sent and not seen yet may cost more than that budget leaves');
  for (const wave of position.open.filter((one) => blocksUntil(one, margin) > now)) {
    const isOut = (what: string) => said.push(`wave ${wave.wave} is out, and ${what}`);
    if (rules.start !== undefined && rules.start > now) isOut('calls before that start');
    const last = wave.start + (wave.contacts - 1) * wave.interval;
    if (rules.end !== undefined && last >= rules.end - margin) isOut('calls until after that end');
    if (intervalOf(rules) > wave.interval + 1e-6) isOut('has a faster pace');
    if (wave.contacts > Math.max(longestWave(rules), 1)) isOut('is longer');
    if (rules.minGap > was.minGap) isOut('was chosen with a shorter gap between calls');
    if (isTighter(rules.maxPerNumber, was.maxPerNumber)) isOut('was chosen with more calls to a number');
    if (isTighter(rules.fromCap, was.fromCap)) isOut('was chosen with more calls from a number');
    const rows = rowsOf(wave);
    const awaited = rows.filter((row) => loaded.roster.isAwaitedIn(row, wave.wave));
    const attempts = Math.max(0, ...awaited.map((row) => loaded.roster.attemptsOf(row)));
    if (attempts > rules.maxAttempts) isOut(`has contacts with their attempt ${attempts}`);
    if (attempts > 1 && isStricter(rules, was)) isOut('has contacts who are called again by the rules of before');
    const outside = callsOutside(after, { wave, rows, now, margin });
    if (outside > 0) isOut(`${outside} of its calls would be outside these hours`);
  }
  return said;
}

/** Whether what was spent and what is awaited may pass the budget. */
function isBeyond(loaded: LoadedPlan): boolean {
  const { budget = Number.POSITIVE_INFINITY } = loaded.plan.rules;
  return loaded.position.spent + uncharged(loaded) * worstCall(loaded) > budget;
}

function isTighter(cap: PlanRules['fromCap'], was: PlanRules['fromCap']): boolean {
  if (cap === undefined) return false;
  return was === undefined || cap.count < was.count || cap.within > was.within;
}

/** Whether something is called again later than before, or no more. */
function isStricter({ retry }: PlanRules, was: PlanRules): boolean {
  return Object.entries(was.retry).some(([result, after]) => {
    const then = retry[result as keyof typeof retry];
    return then === undefined || then > after;
  });
}

type Out = { wave: OpenWave; rows: readonly number[]; now: number; margin: number };

function callsOutside({ roster, ahead = 0, ...after }: LoadedPlan, { wave, rows, now, margin }: Out): number {
  const windows = onBothClocks(after.windows, ahead);
  return rows.filter((row, position) => {
    const at = wave.start + position * wave.interval;
    // A service may be late with those that were due.
    if (at < now - margin || !roster.isAwaitedIn(row, wave.wave)) return false;
    const window = windows.windowAt(roster.placeOf(row), at);
    return window === undefined || window.from > at || at >= window.until - margin;
  }).length;
}

/** When a change can be tried again that waves stand in the way of, in milliseconds since the epoch; undefined if none does. */
export function wavesOutUntil(loaded: LoadedPlan, now: number): number | undefined {
  const ends = loaded.position.open.map((wave) => blocksUntil(wave, marginOf(loaded, now))).filter((at) => at > now);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

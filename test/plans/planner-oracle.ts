/**
 * Checks a decision against every rule of a plan by brute force: slow, and written without a look at how the planner chooses.
 * Returns what is wrong with it, in words.
 */

import type { Outlook } from '../../src/plans/rules/choose.ts';
import type { Decision, Wave } from '../../src/plans/rules/decide.ts';
import type { LoadedPlan } from '../../src/plans/rules/plan.ts';
import { MARGIN } from '../../src/plans/rules/rules.ts';

type Wait = Extract<Decision, { kind: 'wait' }>;

const HOUR = 3_600_000;

export function faultsOf(loaded: LoadedPlan, outlook: Outlook, decision: Decision): string[] {
  if (decision.kind === 'wave') return faultsOfWave(loaded, outlook, decision);
  if (decision.kind === 'wait' && decision.why === 'gathering') return faultsOfGathering(loaded, outlook, decision.at);
  const missed = mayBegin(loaded, outlook) ? [`a wave was possible with row ${firstRow(loaded, outlook)}`] : [];
  return decision.kind === 'wait' ? [...missed, ...faultsOfLook(loaded, outlook, decision)] : missed;
}

/** What `whyNot` says of the moment before, by the reason that ends with it. */
const ENDING: Partial<Record<Wait['why'], RegExp>> = {
  window: /its hours/,
  retry: /retry/,
  gap: /gap/,
  cap: /too often/,
  others: /others/,
  start: /not begun/,
};

/** A look is at the moment at which its reason ends, and not later than something else is known to change. */
function faultsOfLook(loaded: LoadedPlan, outlook: Outlook, { at, why }: Wait): string[] {
  const { plan, position, roster } = loaded;
  const { now } = outlook;
  if (at <= now) return ['the next look is not later than now'];
  const ends = position.open.map(({ start, interval, contacts }) => Math.ceil(start + contacts * interval));
  const known = ends.map((end) => end + 24 * HOUR);
  if (plan.rules.end !== undefined && roster.counts.new + roster.counts.again > 0) known.push(plan.rules.end);
  const last = Math.max(now + 1, known.length === 0 ? now + 24 * HOUR : Math.min(...known));
  if (['news', 'canary', 'budget_pending', 'end'].includes(why)) return at === last ? [] : ['it waits for nothing'];
  if (known.length > 0 && at > last) return ['it waits for too long'];
  const begin = Math.max(0, ...ends.map((end) => end + MARGIN));
  if (why === 'wave_running') return [position.nextStart, begin].includes(at) ? [] : ['no wave runs until then'];
  const then = { ...outlook, now: at };
  const row = firstRow(loaded, then);
  // Where no instant is known at which somebody may be called.
  if (row === undefined || !mayPlanBegin(loaded, then)) return at === last ? [] : ['nobody can be called then'];
  if (why === 'from_cap') return nextNumber(loaded, at - 1) === undefined ? [] : ['a number could call before'];
  const before = whyNot(loaded, { ...outlook, now: at - 1 }, row, at - 1) ?? 'nothing';
  return ENDING[why]?.test(before) ? [] : [`before it was not ${why}, but ${before}`];
}

/** A small wave waits until ten minutes after the start of the one before, unless somebody's hours would be over. */
function faultsOfGathering(loaded: LoadedPlan, outlook: Outlook, at: number): string[] {
  const { plan, position, roster } = loaded;
  const { rules } = plan;
  const interval = HOUR / rules.callsPerHour;
  const before = position.given.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  if (at <= outlook.now) return ['the next look is not later than now'];
  if (at > before + Math.min(rules.wave, HOUR / 6)) return ['it waits too long'];
  const callable = Array.from({ length: roster.size }, (_none, row) => row).filter(
    (row) => whyNot(loaded, outlook, row, outlook.now) === undefined,
  );
  const faults = callable.length === 0 ? ['nobody can be called'] : [];
  // With their hours known to the end, those whom the wave would have called can be called later as well.
  const first = firstRow(loaded, outlook);
  if (first !== undefined && at >= closing(loaded, first, outlook.now)) faults.push(`it becomes too late for ${first}`);
  if (rules.end !== undefined && at + interval >= rules.end - MARGIN) faults.push('the plan ends meanwhile');
  return faults;
}

function faultsOfWave(loaded: LoadedPlan, outlook: Outlook, { rows, start, interval, from }: Wave): string[] {
  const { rules } = loaded.plan;
  const faults: string[] = [];
  const must = (isSo: boolean, fault: string) => {
    if (!isSo) faults.push(fault);
  };
  must(start === outlook.now, 'it does not begin now');
  must(Math.abs(interval - HOUR / rules.callsPerHour) < 1e-9, 'the pace is not that of the plan');
  must(rows.length > 0, 'nobody is in it');
  must(mayPlanBegin(loaded, outlook), 'the plan may not begin a wave');
  must(rows.length === 1 || rows.length * interval <= rules.wave, 'it is too long');
  must(rows.length <= mostOf(loaded), 'it is larger than the canary or the budget allows');
  must(from === nextNumber(loaded, start), `it is not the turn of ${from}`);
  must(rows.length <= capacityOf(loaded, from, start), 'the number is given too many');
  const lastDial = start + (rows.length - 1) * interval;
  for (const [position, row] of rows.entries()) {
    const why = whyNot(loaded, outlook, row, start + position * interval);
    if (why !== undefined) faults.push(`row ${row} at ${position}: ${why}`);
    must(lastDial < closing(loaded, row, start), `the last dial is too late for row ${row}`);
  }
  const known = new Set<number>();
  for (const row of rows) {
    must(!known.has(loaded.roster.phoneOf(row)), `the phone of row ${row} is in it twice`);
    known.add(loaded.roster.phoneOf(row));
  }
  // Nobody is passed over: at each place the first of those who may be there.
  for (let position = 0; position <= rows.length; position++) {
    const at = start + position * interval;
    const before = rows.slice(0, position);
    const taken = rows[position];
    if (taken === undefined) {
      const isFull =
        (position + 1) * interval > rules.wave ||
        position + 1 > mostOf(loaded) ||
        position + 1 > capacityOf(loaded, from, start) ||
        before.some((row) => at >= closing(loaded, row, start));
      if (isFull) break;
    }
    const phones = new Set(before.map((row) => loaded.roster.phoneOf(row)));
    for (let row = 0; row < loaded.roster.size; row++) {
      if (phones.has(loaded.roster.phoneOf(row)) || whyNot(loaded, outlook, row, at, start) !== undefined) continue;
      if (taken === undefined) faults.push(`row ${row} fits at the end`);
      else if (comesFirst(loaded, row, taken, start)) faults.push(`row ${row} should be at ${position}, not ${taken}`);
    }
  }
  return faults;
}

/** Why a contact may not be dialled at `at` in a wave that begins at `start`. */
function whyNot(
  loaded: LoadedPlan,
  outlook: Outlook,
  row: number,
  at: number,
  start = outlook.now,
): string | undefined {
  const { roster, windows, plan } = loaded;
  const { rules } = plan;
  const state = roster.stateOf(row);
  if (state !== 'new' && state !== 'again') return `it is ${state}`;
  if (state === 'again' && roster.dueOf(row) > start) return 'its retry is not due';
  if (roster.attemptsOf(row) >= rules.maxAttempts) return 'it has no attempt left';
  const dials = Array.from({ length: roster.dials }, (_none, rank) => roster.dialOf(row, rank)).filter(
    (dial) => dial > 0,
  );
  if (dials.some((dial) => dial + rules.minGap > at)) return 'the gap is not over';
  const { maxPerNumber } = rules;
  if (maxPerNumber !== undefined) {
    const recent = dials.filter((dial) => dial + maxPerNumber.within > at).length;
    if (recent >= maxPerNumber.count) return 'its phone was called too often';
  }
  if ((outlook.pendingUntil?.(row) ?? 0) > at) return 'others may call its phone';
  const opening = windows.windowAt(roster.placeOf(row), start);
  if (opening === undefined || opening.from > start) return 'its hours do not contain the start';
  if (at >= opening.until - MARGIN) return 'it would be called too late for its hours';
  if (rules.start !== undefined && at < rules.start) return 'the plan has not begun';
  if (rules.end !== undefined && at >= rules.end) return 'the plan has ended';
  if (rules.end !== undefined && at >= rules.end - MARGIN) return 'the plan ends too soon';
  for (let other = 0; other < roster.size; other++) {
    if (roster.phoneOf(other) === roster.phoneOf(row) && roster.stateOf(other) === 'handed') return 'a call is awaited';
  }
  return undefined;
}

function closing({ windows, roster }: LoadedPlan, row: number, start: number): number {
  return (windows.windowAt(roster.placeOf(row), start)?.until ?? 0) - MARGIN;
}

function comesFirst(loaded: LoadedPlan, row: number, other: number, start: number): boolean {
  const { roster } = loaded;
  const key = (one: number) => [closing(loaded, one, start), roster.stateOf(one) === 'again' ? 0 : 1, one];
  const [mine, theirs] = [key(row), key(other)];
  for (const [index, value] of mine.entries()) if (value !== theirs[index]) return value < (theirs[index] as number);
  return false;
}

/** Whether the rules of the plan as a whole allow a wave now. */
function mayPlanBegin(loaded: LoadedPlan, { now }: Outlook): boolean {
  const { position, plan } = loaded;
  const { rules } = plan;
  if (position.state !== 'open' || now < position.nextStart) return false;
  if (rules.start !== undefined && now < rules.start) return false;
  if (position.open.some(({ start, interval, contacts }) => now < Math.ceil(start + contacts * interval) + MARGIN)) {
    return false;
  }
  if (rules.canary !== undefined && !position.hasPassedCanary && position.given.length > 0) return false;
  if (rules.stopOn !== undefined && position.latest.length >= rules.stopOn.over) {
    const { result, share, over } = rules.stopOn;
    if (position.latest.filter((found) => found === result).length >= share * over) return false;
  }
  return mostOf(loaded) > 0 && nextNumber(loaded, now) !== undefined;
}

/** By the canary and the budget. */
function mostOf({ plan, position, roster }: LoadedPlan): number {
  const { canary, budget, pricePerMinute = 0, longest } = plan.rules;
  let most = canary !== undefined && !position.hasPassedCanary ? canary : Number.POSITIVE_INFINITY;
  if (budget === undefined) return most;
  const worst = Math.ceil(Math.max(longest, position.longest) / 60) * pricePerMinute;
  const owed = position.open.reduce((sum, { unsettled }) => sum + unsettled * worst, 0);
  for (let contacts = 1; contacts <= Math.min(most, 1000); contacts++) {
    if (position.spent + owed + roster.counts.unseen * worst + contacts * worst > budget) most = contacts - 1;
  }
  return most;
}

function nextNumber(loaded: LoadedPlan, start: number): string | undefined {
  const { from } = loaded.plan;
  const last = loaded.position.given.at(-1)?.from;
  const first = last === undefined ? 0 : from.indexOf(last) + 1;
  for (let turn = 0; turn < from.length; turn++) {
    const number = from[(first + turn) % from.length] as string;
    if (capacityOf(loaded, number, start) > 0) return number;
  }
  return undefined;
}

function capacityOf({ plan, position }: LoadedPlan, number: string, start: number): number {
  const { fromCap, callsPerHour } = plan.rules;
  if (fromCap === undefined) return Number.POSITIVE_INFINITY;
  const interval = HOUR / callsPerHour;
  const dials = position.given
    .filter(({ from }) => from === number)
    .flatMap(({ at, contacts }) => Array.from({ length: contacts }, (_none, index) => at + index * interval));
  for (let contacts = 0; ; contacts++) {
    const at = start + contacts * interval;
    const within = dials.filter((dial) => dial > at - fromCap.within - MARGIN).length + contacts;
    if (within >= fromCap.count) return contacts;
  }
}

/** Whether a wave of one contact is possible. */
function mayBegin(loaded: LoadedPlan, outlook: Outlook): boolean {
  return mayPlanBegin(loaded, outlook) && firstRow(loaded, outlook) !== undefined;
}

function firstRow(loaded: LoadedPlan, outlook: Outlook): number | undefined {
  for (let row = 0; row < loaded.roster.size; row++) {
    if (whyNot(loaded, outlook, row, outlook.now) === undefined) return row;
  }
  return undefined;
}

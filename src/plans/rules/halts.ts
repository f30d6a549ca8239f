/** What becomes of a plan without a call: why it does not go on, whom nobody calls any more, and the verdict on a first wave. */
import { fromMicros } from '../../engine/money.ts';
import { counted, plural } from '../../text/numbers.ts';
import { HOUR, MINUTE, SECOND } from '../../text/units.ts';
import { affordable, uncharged, unreconciled, worstCall } from './capacity.ts';
import { type Halted, type PlanEvent, runsOf } from './events.ts';
import { isGoingOn, isOver, type LoadedPlan } from './plan.ts';
import type { Roster } from './roster.ts';
import { MARGIN } from './rules.ts';
import { hasWave, intervalOf, unseenAt } from './waves.ts';

/** At most one event, at `now`. */
export function halts(loaded: LoadedPlan, now: number): Halted[] {
  const { plan } = loaded;
  const { state } = loaded.position;
  if (state === 'stopped') return stoppedByBudget(loaded, now);
  if (!isGoingOn(state)) return [];
  const { counts } = loaded.roster;
  const isDone = counts.new + counts.again + counts.handed === 0;
  if (isDone && plan.rules.isProbe) return probeOver(loaded, now);
  if (isDone) return [{ event: 'done', at: now, reason: '' }];
  const stopped = brokenBy(loaded) ?? unaffordableBy(loaded);
  if (stopped !== undefined) return [{ event: 'stopped', at: now, reason: stopped }];
  const waiting = state === 'open' ? canaryOver(loaded, now) : undefined;
  return waiting === undefined ? [] : [{ event: 'waiting', at: now, reason: waiting }];
}

/** The breaker: too many of the latest attempts had a bad result. */
function brokenBy({ plan, position: { latest } }: LoadedPlan): string | undefined {
  const { stopOn } = plan.rules;
  if (stopOn === undefined || latest.length < stopOn.over) return undefined;
  const count = latest.filter((result) => result === stopOn.result).length;
  // 7 % of 100 are a little more than 7, as they are computed.
  if (count < stopOn.share * stopOn.over - 1e-6) return undefined;
  return `${count} of the last ${stopOn.over} attempts had the result ${stopOn.result}.`;
}

const THE_BUDGET = 'The budget of ';

/** Whether the reason of a plan that is stopped is its budget. */
export function isOfBudget(reason: string): boolean {
  return reason.startsWith(THE_BUDGET);
}

/** What is true by now of the budget that stopped a plan: late entries change the sum. Nobody is called before `plan resume`. */
function stoppedByBudget(loaded: LoadedPlan, now: number): Halted[] {
  const { reason, spent } = loaded.position;
  if (!isOfBudget(reason)) return [];
  const calls = affordable(loaded);
  const allows =
    calls === 0 ? undefined : `${calls === Number.POSITIVE_INFINITY ? '' : `${calls} `}more ${plural(calls, 'call')}`;
  const budget = `${THE_BUDGET}${fromMicros(loaded.plan.rules.budget ?? 0)}`;
  const anew =
    unaffordableBy(loaded) ??
    (allows && `${budget} allows ${allows} by what is known now: ${fromMicros(spent)} was spent.`);
  return anew === undefined || anew === reason ? [] : [{ event: 'stopped', at: now, reason: anew }];
}

/** Why the budget allows no further call, in words; undefined while it does, or while calls are awaited. */
export function unaffordableBy(loaded: LoadedPlan): string | undefined {
  const { plan, position, roster } = loaded;
  if (roster.counts.new + roster.counts.again === 0 || unreconciled(loaded) > 0 || affordable(loaded) > 0)
    return undefined;
  const call = worstCall(loaded);
  const unseen = uncharged(loaded) * call;
  const perhaps = unseen === 0 ? '' : `, up to ${fromMicros(unseen)} more by calls that were never seen`;
  return (
    `${THE_BUDGET}${fromMicros(plan.rules.budget ?? 0)} allows no further call: ` +
    `${fromMicros(position.spent)} was spent${perhaps}, and the next call may cost ${fromMicros(call)}.`
  );
}

function probeOver(loaded: LoadedPlan, now: number): Halted[] {
  if (now < firstLookUntil(loaded)) return [];
  const { isGood, text } = verdictOf(loaded);
  return [{ event: isGood ? 'done' : 'stopped', at: now, reason: text }];
}

function canaryOver(loaded: LoadedPlan, now: number): string | undefined {
  const { plan, position } = loaded;
  const { canary } = plan.rules;
  if (canary === undefined || position.hasPassedCanary || !hasWave(position) || position.open.length > 0)
    return undefined;
  if (now < firstLookUntil(loaded)) return undefined;
  return `The first wave is over. ${verdictOf(loaded).text}`;
}

/**
 * Contacts whose call was awaited long enough are `unseen`; those who wait to be called are `left` when the plan has ended.
 * `now` in milliseconds since the epoch.
 */
export function overdue(loaded: LoadedPlan, now: number): PlanEvent[] {
  const { plan, position, roster } = loaded;
  const events: PlanEvent[] = [];
  const given = new Set(position.open.filter((wave) => unseenAt(wave) <= now).map(({ wave }) => wave));
  if (given.size > 0 && roster.counts.handed > 0) {
    const rows: number[] = [];
    for (let row = 0; row < roster.size; row++)
      if (roster.stateOf(row) === 'handed' && given.has(roster.waveOf(row))) rows.push(row);
    if (rows.length > 0) events.push({ event: 'unseen', at: now, rows: runsOf(rows) });
  }
  const isClosed = isOver(position.state) || (plan.rules.end !== undefined && plan.rules.end <= now);
  return isClosed ? [...events, ...leftOf(roster, now)] : events;
}

/** Ends a plan for good. `at`: in milliseconds since the epoch. */
export function cancelled(roster: Roster, at: number, reason: string): PlanEvent[] {
  return [...leftOf(roster, at), { event: 'cancelled', at, reason }];
}

/** Whoever was still to be called is left. */
function leftOf(roster: Roster, at: number): PlanEvent[] {
  const rows = runsOf(roster.waiting());
  return rows.length === 0 ? [] : [{ event: 'left', at, rows }];
}

// The first look at a service: the call of a probe, or the wave of a canary. When its calls were seen, it waits for what may still
// come, and then says how the service kept to what it was told.

/** When it is over, in milliseconds since the epoch; Infinity while its calls are awaited, 0 where there is none to wait for. */
export function firstLookUntil({ plan, position }: LoadedPlan): number {
  const { firstLook } = plan.rules;
  if (firstLook === undefined || position.given.length === 0) return 0;
  if (position.open.length > 0) return Number.POSITIVE_INFINITY;
  return position.lastCall === undefined ? 0 : position.lastCall + firstLook;
}

/** Of the first wave of a plan, which was the only one until now: one sentence or two. */
function verdictOf({ plan, position, roster }: LoadedPlan): { isGood: boolean; text: string } {
  const { rules } = plan;
  const [wave] = position.given;
  const contacts = wave?.contacts ?? 0;
  const people = counted(contacts, 'contact');
  const { attempts, firstCall, lastCall } = position;
  const planned = (wave?.at ?? 0) + (contacts - 1) * (wave?.interval ?? intervalOf(rules));
  const late = lastCall === undefined ? 0 : lastCall - planned;
  const early = firstCall === undefined ? 0 : (wave?.at ?? 0) - firstCall;
  const faults = [
    ...(roster.counts.unseen > 0 ? [`${roster.counts.unseen} of ${people} had no call in the log within a day`] : []),
    ...(attempts > contacts ? [`it made ${attempts} calls to ${people}`] : []),
    ...(late > MARGIN ? [`its last call was ${inWords(late)} late`] : []),
    ...(early > MINUTE ? [`its first call was ${inWords(early)} early`] : []),
  ];
  if (faults.length > 0) return { isGood: false, text: `The service did not do as it was told: ${faults.join(', ')}.` };
  const calls = contacts === 1 ? 'one call was made, once' : `${contacts} calls were made, each once`;
  const watched = rules.firstLook === undefined ? '' : `, and no other within ${inWords(rules.firstLook)}`;
  const isLate = late < SECOND ? 'in time' : `${inWords(late)} late at most`;
  return { isGood: true, text: `The service did as it was told: ${calls}, ${isLate}${watched}.` };
}

function inWords(time: number): string {
  if (time >= HOUR) return `${Number((time / HOUR).toFixed(1))} h`;
  return time >= MINUTE ? `${Math.round(time / MINUTE)} min` : `${Math.round(time / SECOND)} s`;
}

/** Why an open plan does not go on by itself. */
import type { Halted } from './events.ts';
import { firstLookUntil, verdictOf } from './first-look.ts';
import { affordable, uncharged, unsettled, worstCall } from './money.ts';
import type { LoadedPlan } from './plan.ts';
import { hasWave } from './waves.ts';

const MILLIONTHS = 1_000_000;

/** At most one event, at `now`. */
export function halts(loaded: LoadedPlan, now: number): Halted[] {
  const { plan } = loaded;
  const { state } = loaded.position;
  if (state === 'stopped') return stoppedByBudget(loaded, now);
  if (state !== 'open' && state !== 'waiting') return [];
  const { counts } = loaded.roster;
  const isOver = counts.new + counts.again + counts.handed === 0;
  if (isOver && plan.rules.isProbe) return probeOver(loaded, now);
  if (isOver) return [{ event: 'done', at: now, reason: '' }];
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
  if (count < stopOn.share * stopOn.over) return undefined;
  return `${count} of the last ${stopOn.over} attempts had the result ${stopOn.result}.`;
}

const THE_BUDGET = 'The budget of ';

/** What is true by now of the budget that stopped a plan: entries that come late change the sum. Nobody is called before `plan resume`. */
function stoppedByBudget(loaded: LoadedPlan, now: number): Halted[] {
  const { reason, spent } = loaded.position;
  if (!reason.startsWith(THE_BUDGET)) return [];
  const calls = affordable(loaded);
  const allows =
    calls === 0
      ? undefined
      : `${calls === Number.POSITIVE_INFINITY ? '' : `${calls} `}more ${calls === 1 ? 'call' : 'calls'}`;
  const anew =
    unaffordableBy(loaded) ??
    (allows &&
      `${THE_BUDGET}${inMoney(loaded.plan.rules.budget)} allows ${allows} by what is known now: ${inMoney(spent)} was spent.`);
  return anew === undefined || anew === reason ? [] : [{ event: 'stopped', at: now, reason: anew }];
}

function inMoney(amount = 0): number {
  return amount / MILLIONTHS;
}

/** Why the budget allows no further call, in words; undefined while it does, or while calls are awaited. */
export function unaffordableBy(loaded: LoadedPlan): string | undefined {
  const { plan, position, roster } = loaded;
  if (roster.counts.new + roster.counts.again === 0 || unsettled(loaded) > 0 || affordable(loaded) > 0)
    return undefined;
  const call = worstCall(loaded);
  const unseen = uncharged(loaded) * call;
  const perhaps = unseen === 0 ? '' : `, up to ${inMoney(unseen)} more by calls that were never seen`;
  return (
    `${THE_BUDGET}${inMoney(plan.rules.budget)} allows no further call: ` +
    `${inMoney(position.spent)} was spent${perhaps}, and the next call may cost ${inMoney(call)}.`
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
  return `The first wave is over. ${verdictOf(loaded).text} The others are called when somebody has looked at it.`;
}

/**
 * The first look at a service: the call of a probe, or the wave of a canary. When its calls were seen, it waits for what may still come,
 * and then says how the service kept to what it was told.
 */
import type { LoadedPlan } from './plan.ts';
import { MARGIN } from './rules.ts';
import { intervalOf } from './waves.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When it is over, in milliseconds since the epoch; Infinity while its calls are awaited, 0 where there is none to wait for. */
export function firstLookUntil({ plan, position }: LoadedPlan): number {
  const { firstLook } = plan.rules;
  if (firstLook === undefined || position.given.length === 0) return 0;
  if (position.open.length > 0) return Number.POSITIVE_INFINITY;
  return position.lastCall === undefined ? 0 : position.lastCall + firstLook;
}

export interface Verdict {
  isGood: boolean;
  /** One sentence or two. */
  text: string;
}

/** Of the first wave of a plan, which was the only one until now. */
export function verdictOf({ plan, position, roster }: LoadedPlan): Verdict {
  const { rules } = plan;
  const [wave] = position.given;
  const contacts = wave?.contacts ?? 0;
  const people = contacts === 1 ? '1 contact' : `${contacts} contacts`;
  const { attempts, firstCall, lastCall } = position;
  const planned = (wave?.at ?? 0) + (contacts - 1) * intervalOf(rules);
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

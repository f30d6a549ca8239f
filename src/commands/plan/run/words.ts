/** What a run says of a plan: why it calls nobody, and what it waits for. */
import { connectionFlags } from '../../../cli/flags/global.ts';
import { hintOf } from '../../../cli/terminal/advice.ts';
import { countsInWords } from '../../../cli/terminal/drawing.ts';
import { cell } from '../../../cli/terminal/output.ts';
import type { Context } from '../../../context.ts';
import type { Step } from '../../../plans/run/step.ts';
import { clockTime } from '../../../text/iso.ts';
import { distance, shortTime } from '../../../text/when.ts';
import { widthOf } from '../../../text/width.ts';
import { city } from '../shared/draw-rules.ts';
import { editCommand, wayOn } from '../shared/going-on.ts';
import { spentInWords, whyInWords } from '../shared/plan-words.ts';

/** Of a plan that is stopped, or waits for a look: why, and how it goes on. */
export function haltInWords(step: Step, { flags }: Pick<Context, 'flags'>): string {
  const { plan, state, reason, isSpent, failure } = step;
  const way = wayOn(plan.plan_id, state);
  const toGoOn = isSpent
    ? `${editCommand(plan.plan_id, flags)}--budget <amount> raises it.`
    : `${way?.said}: ${way?.command}${connectionFlags(flags)}`;
  const then = (failure && hintOf(failure, flags)) ?? toGoOn;
  const is = state === 'waiting' ? 'waits for a look' : 'is stopped';
  return `Plan ${plan.plan_id} ${is}: ${cell(reason)} ${then}`;
}

/**
 * `Plan 1 waits until 21 Nov 15:00 (in 14 h, 09:00 in New York): the hours begin · 12 reached, 3 waiting · about 1.20 spent`.
 * `now`, in milliseconds since the epoch: undefined where the line stays as it is. `room`: columns; if one line can hold it without
 * the clock there, then the plan's number, the money and how long it is, those are left out, in this order.
 */
export function waitInWords(step: Step, now?: number, room = Number.POSITIVE_INFINITY): string {
  const { plan, next, zones, spent, budget } = step;
  const { at, why } = next as NonNullable<Step['next']>;
  const money = spent === undefined ? [] : [spentInWords(spent, budget)];
  const [zone, ...others] = zones.filter((one) => clockIn(one, at) !== localClock(at));
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const there = zone === undefined ? [] : [`${clockIn(zone, at)} in ${city(zone)}${more}`];
  const lineWithout = (parts: number) => {
    const beside = [...(now === undefined || parts > 3 ? [] : [distance(at, now)]), ...(parts > 0 ? [] : there)].join(
      ', ',
    );
    const until = `${shortTime(at, step.now).trim()}${beside === '' ? '' : ` (${beside})`}`;
    const waits = `${parts > 1 ? 'Waits' : `Plan ${plan.plan_id} waits`} until ${until}: ${whyInWords(why)}`;
    return [waits, countsInWords(step.states), ...(parts > 2 ? [] : money)].join(' · ');
  };
  return [0, 1, 2, 3, 4].map(lineWithout).find((line) => widthOf(line) <= room) ?? lineWithout(0);
}

function localClock(at: number): string {
  const date = new Date(at);
  return clockTime(date.getHours() * 60 + date.getMinutes());
}

function clockIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
}

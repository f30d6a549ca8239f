/** States and reasons of plans in words, and the signs that bars draw them with. */

import { connectionFlags, type GlobalFlags } from '../../../cli/flags/global.ts';
import {
  countsInWords,
  type Drawing,
  drawStateCounts,
  drawStatesBar,
  drawTitle,
} from '../../../cli/terminal/drawing.ts';
import { cell, isForPerson, printRecord } from '../../../cli/terminal/output.ts';
import { inWords } from '../../../cli/terminal/words.ts';
import type { Context } from '../../../context.ts';
import { MARGIN } from '../../../plans/rules/rules.ts';
import type { PlanRecord, WaveRecord } from '../../../plans/run/record.ts';
import { counted, plural } from '../../../text/numbers.ts';
import { timeAndDistance } from '../../../text/when.ts';

/** What a plan is called, and its contacts as a bar and as counts. */
export function drawContacts({ plan_id, plan_name, state, states }: PlanRecord, drawing: Drawing): string[] {
  return [
    drawTitle(plan_name, [` · plan ${plan_id} · ${state}`, ` · ${state}`], drawing),
    drawStatesBar(states, states.waiting + states.calling === 0, drawing),
    ...drawStateCounts(states, drawing),
  ];
}

/** `about 12.34 of 150.00 spent`. */
export function spentInWords(spent: number, budget: number | undefined): string {
  const money = (amount: number) => inWords('spent', amount, { now: 0, redact: (text) => text });
  return `about ${money(spent)}${budget === undefined ? '' : ` of ${money(budget)}`} spent`;
}

/** Why a plan does nothing before a time, or what it does then; the codes of `decide`, and of what halts a plan. */
const WHYS: Record<string, string> = {
  due: 'a wave is due',
  wave_running: 'the wave under way is over',
  gathering: 'retries are collected for one wave',
  news: 'calls that are not in the log yet appear there',
  canary: 'the first wave is under way',
  first_look: 'other calls may still come',
  budget_pending: 'calls that were made are charged',
  window: 'the hours begin',
  retry: 'a retry is due',
  gap: 'the gap between two calls of a number is over',
  cap: 'a number may be called again',
  from_cap: 'a caller number may call again',
  others: 'calls of others to a number are over',
  start: 'the plan starts',
  end: 'the plan ends',
  waiting: 'the first wave is over',
  stopped: 'the plan stops itself',
  done: 'the plan is done',
};

/** How a plan goes on, which calls nobody by itself; `what` begins the sentence. */
export function goingOnInWords(what: string, planId: number, flags: GlobalFlags): string {
  const connection = connectionFlags(flags);
  const ways = [`schedule ${planId}${connection}`, `run ${planId} --until-done${connection}`];
  const lines = ways.map((way) => `\n  vagent plan ${way}`);
  return `${what} by a timer, or as long as a run stays open:${lines.join('')}`;
}

/** A code that is not known stays as it is. */
export function whyInWords(why: string): string {
  return Object.hasOwn(WHYS, why) ? (WHYS[why] as string) : why;
}

type Changed = Pick<PlanRecord, 'plan_id' | 'plan_name' | 'state' | 'reason' | 'states' | 'next'> & {
  /** Waves whose calls are beyond reach. */
  waves_out?: readonly WaveRecord[];
};

/** Where a plan stands in a few facts for a person, after a command has changed it. `now` in milliseconds since the epoch. */
export function planFacts({ plan_id, plan_name, state, reason, states, next }: Changed, now: number) {
  return {
    plan: `${plan_id} ${plan_name}`,
    state: reason === '' ? state : `${state}: ${reason}`,
    contacts: countsInWords(states),
    ...(next !== null && { next: `${timeAndDistance(Date.parse(next.at), now)}: ${whyInWords(next.why)}` }),
  };
}

/** What a command has made of a plan, for people and for programs, and what of it is beyond reach. */
export async function printChanged(record: Changed, now: number, context: Context): Promise<void> {
  const { io } = context;
  await printRecord(context, isForPerson(context) ? planFacts(record, now) : record, { now });
  for (const { wave, campaign_id, contacts, seen, end } of record.waves_out ?? []) {
    const campaign = campaign_id === null ? '' : ` (campaign ${campaign_id})`;
    // A service need not keep the pace to the second.
    const until = Date.parse(end) + MARGIN;
    const when =
      until <= now ? 'they should be over, and are not in the log yet' : `until ${timeAndDistance(until, now)}`;
    const calls = counted(contacts - seen, 'call');
    io.note(`Wave ${wave}${campaign} was sent: ${calls} of it may still come, ${when}.`);
  }
}

/** How many calls have each status that the service's interface does not name. */
export type UnclearCounts = ReadonlyMap<string, number>;

export function countsOf(rows: ReadonlyMap<string, readonly number[]>): UnclearCounts {
  return new Map([...rows].map(([status, { length }]) => [status, length]));
}

/** `2 calls have the status answered, which …`; undefined if there are none. */
export function unclearInWords(counts: UnclearCounts): string | undefined {
  if (counts.size === 0) return undefined;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const names = [...counts.keys()].map(statusInWords).sort();
  const calls = counted(total, 'call has', 'calls have');
  const them = plural(total, 'it', 'them');
  const statuses = names.length === 1 ? `the status ${names[0]}` : `statuses (${names.join(', ')})`;
  return `${calls} ${statuses}, which the service's interface does not name: the result of ${them} is not known.`;
}

export function statusInWords(status: string): string {
  return status === '' ? '(none)' : cell(status);
}

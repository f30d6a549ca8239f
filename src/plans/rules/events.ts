/**
 * The events of a plan, in the order in which things happened. None is ever changed or removed. Instants are by the service's
 * clock; rows count from 0 in the order of the contacts.
 */
import * as z from 'zod/mini';
import { DETAIL_NAMES } from '../../campaigns/attribution/details.ts';
import { RESULTS } from '../../contract.ts';
import { eachNamed } from '../../text/json.ts';
import { rulesSchema } from './rules.ts';
import { amount, count, instant, list, maybe, money, wave } from './shapes.ts';

/** Rows as `[first, count, first, count, …]`. The order is that of the wave. */
const runs = list(count);
const result = z.enum(RESULTS);
const call = {
  ...{ row: count, wave, result, status: z.string(), outcome: z.string() },
  /** Seconds. */
  seconds: amount,
  call_id: maybe(z.string()),
  ...eachNamed(DETAIL_NAMES, () => maybe(z.string())),
  ambiguous: maybe(z.literal(true)),
};
const halt = { reason: z.string() };

function kind<Name extends string, Shape extends z.core.$ZodShape>(name: Name, shape: Shape) {
  return z.object({ event: z.literal(name), at: instant, ...shape });
}

export const eventSchema = z.discriminatedUnion('event', [
  /**
   * Written before the wave's campaign is sent: from now on its contacts are never submitted again without news of them. `entry`
   * is the register's; absent on the local engine.
   */
  kind('handed', { wave, from: z.string(), start: instant, interval: amount, rows: runs, entry: maybe(count) }),
  /**
   * What came of sending it, and what the service said. `not_placed`: certainly nobody will be called, so its contacts are what
   * they were before.
   */
  kind('answered', {
    wave,
    outcome: z.enum(['accepted', 'unknown', 'not_placed']),
    campaign_id: maybe(count),
    message: maybe(z.string()),
  }),
  /** An attempt of a wave, as the call log shows it. */
  kind('called', call),
  /** The service says something else of a call that is known: whatever is here counts in the place of what was said before. */
  kind('revised', { ...call, was: z.object({ result, seconds: amount }) }),
  /**
   * Another program's call, another campaign's or another plan's to a phone of this plan. `sent`: it may be a call of a request
   * that went through this register, which calls this phone no more if it was `answered`.
   */
  kind('others', { row: count, sent: maybe(z.enum(['answered', 'not_answered'])) }),
  /**
   * The log has a call of the wave with a status that the service's interface does not name, longer after its time than calls
   * last: what came of it is not known, so the contact is waited for as before, and is recalled only by name.
   */
  kind('unclear', { row: count, wave, status: z.string() }),
  /** No call of the wave was seen within a day. */
  kind('unseen', { rows: runs }),
  kind('excluded', { rows: runs, why: z.enum(['list', 'opted_out']) }),
  /** The plan ended before they were reached. */
  kind('left', { rows: runs }),
  /** `recalls`: those who are unseen may be called again; of those whose call is unclear only `rows`. */
  kind('resumed', { recalls: maybe(z.literal(true)), rows: maybe(runs) }),
  /**
   * Other rules from now on. `frees`: who is called again, with when at the earliest, as `[row, due, row, due, …]`; `over`: who
   * is not any more. `spent`: all that was spent, at another price.
   */
  kind('edited', {
    ...{ was: rulesSchema, rules: rulesSchema },
    ...{ frees: maybe(list(count)), over: maybe(runs), spent: maybe(money) },
  }),
  kind('stopped', halt),
  /** After the canary. */
  kind('waiting', halt),
  kind('cancelled', halt),
  kind('done', halt),
  /** From the first time on, moments are kept. `until`: somebody is being told of them until then; `told`: so many are over. */
  kind('notified', { until: maybe(instant), told: maybe(count) }),
]);

export type PlanEvent = z.infer<typeof eventSchema>;
export type EventOf<Kind extends PlanEvent['event']> = Extract<PlanEvent, { event: Kind }>;
export type Called = EventOf<'called'>;
export type Revised = EventOf<'revised'>;
export type Halted = EventOf<'stopped' | 'waiting' | 'cancelled' | 'done'>;
export type Runs = z.infer<typeof runs>;

/** Rows in their order, as runs. */
export function runsOf(rows: Iterable<number>): number[] {
  const runs: number[] = [];
  for (const row of rows) {
    const last = runs.length - 2;
    if (last >= 0 && (runs[last] as number) + (runs[last + 1] as number) === row) (runs[last + 1] as number) += 1;
    else runs.push(row, 1);
  }
  return runs;
}

export function* rowsOf(runs: Runs): Generator<number, void> {
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] as number;
    for (let row = first; row < first + (runs[at + 1] as number); row++) yield row;
  }
}

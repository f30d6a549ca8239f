/** Before the first wave of a plan goes to a real service, somebody at a terminal is asked once. */
import type { Context } from '../../../context.ts';
import { InterruptedError } from '../../../errors.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { factLines } from '../../../terminal/facts.ts';
import { confirm } from '../../../terminal/prompt.ts';
import { shortTime } from '../../../text/when.ts';
import type { Step } from './run-step.ts';

interface Asking {
  stored: StoredPlan;
  /** Whether the first wave is waited for if it is not due yet: then the question comes before that. */
  waits: boolean;
}

/** Elsewhere, as under cron, nobody is asked. Throws InterruptedError after a no. */
export async function askForFirst(
  step: (mayCall: boolean) => Promise<Step>,
  { stored, waits }: Asking,
  context: Context,
): Promise<Step> {
  const { io, flags, settings } = context;
  const isAsked = settings.isRemote() && !flags.yes && io.canAsk;
  if (!isAsked || (await stored.load()).position.waves > 0) return step(true);
  const looked = await step(false);
  const { due, next } = looked;
  if (due === undefined && (!waits || next === undefined)) return looked;
  for (const line of factLines(factsOf(looked), io)) io.error(line);
  const people = due?.rows.length ?? looked.plan.contacts;
  if (!(await confirm(io, `Call ${people === 1 ? '1 person' : `${people} people`}?`))) {
    throw new InterruptedError('Nothing was sent.', { hint: 'The plan is as it was.' });
  }
  return due === undefined ? looked : step(true);
}

function factsOf({ plan, due, next, now }: Step): Record<string, unknown> {
  const { plan_id, plan_name, contacts, agent_id, from } = plan;
  const last = due === undefined ? 0 : due.start + (due.rows.length - 1) * due.interval;
  const times = (at: number) => shortTime(at, now).trim();
  return {
    Plan: `${plan_id} ${JSON.stringify(plan_name)}, ${contacts} contacts`,
    'First wave':
      due === undefined
        ? `not before ${times(next?.at ?? now)}, without a question then`
        : `${due.rows.length} of them, from ${times(due.start)} to ${times(last)}`,
    From: due?.from ?? from.join(', '),
    Agent: agent_id,
    Afterwards: 'the other waves, without a question',
  };
}

/** A plan that calls nobody until somebody has looked at it is not mute, wherever it is run. */
import type { Context } from '../../../context.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { cell } from '../../../terminal/output.ts';
import { resumeCommand } from './resume-command.ts';
import type { Step } from './run-step.ts';

/** Milliseconds: a day, and what a daily run may be too early. */
const SAID_FOR = 23 * 3_600_000;

export function isHalted({ state }: Pick<Step, 'state'>): boolean {
  return state === 'stopped' || state === 'waiting';
}

/** Says why on stderr: with --quiet, as under cron, once a day. */
export async function tellHalt(step: Step, stored: StoredPlan, { io, flags, systemNow }: Context): Promise<void> {
  const { plan, state, reason, isSpent } = step;
  if (state === 'done' && reason !== '') io.note(`Plan ${plan.plan_id} is done: ${cell(reason)}`);
  if (!isHalted(step)) return;
  const then = isSpent
    ? 'The budget of a plan stays as it is: vagent plan create makes another.'
    : `To go on: ${resumeCommand(plan.plan_id, flags)}`;
  const is = state === 'waiting' ? 'waits for a look' : 'is stopped';
  const said = `Plan ${plan.plan_id} ${is}: ${cell(reason)} ${then}`;
  if (!flags.quiet) io.note(said);
  else if (isToBeSaid(await stored.haltSaid(), reason, systemNow())) {
    io.error(said);
    await stored.keepHaltSaid({ at: systemNow(), reason });
  }
}

/** Another reason was not said yet, and the same is said once a day. */
function isToBeSaid(last: Awaited<ReturnType<StoredPlan['haltSaid']>>, reason: string, now: number): boolean {
  const age = typeof last?.at === 'number' ? now - last.at : Number.POSITIVE_INFINITY;
  return last?.reason !== reason || !(age >= 0 && age < SAID_FOR);
}

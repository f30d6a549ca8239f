/** A plan that calls nobody until somebody has looked at it is not mute, wherever it is run. */
import type { Context } from '../../../context.ts';
import { isHaltToBeSaid, keepHaltSaid } from '../../../plans/folder/halt-notice.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import { cell } from '../../../terminal/output.ts';
import { resumeCommand } from './resume-command.ts';
import type { Step } from './run-step.ts';

export function isHalted({ state }: Pick<Step, 'state'>): boolean {
  return state === 'stopped' || state === 'waiting';
}

/** Says why on stderr: with --quiet, as under cron, once a day. */
export function tellHalt(step: Step, folder: PlanFolder, { io, flags, systemNow }: Context): void {
  const { plan, state, reason, isSpent } = step;
  if (state === 'done' && reason !== '') io.note(`Plan ${plan.plan_id} is done: ${cell(reason)}`);
  if (!isHalted(step)) return;
  const then = isSpent
    ? 'The budget of a plan stays as it is: vagent plan create makes another.'
    : `To go on: ${resumeCommand(plan.plan_id, flags)}`;
  const is = state === 'waiting' ? 'waits for a look' : 'is stopped';
  const said = `Plan ${plan.plan_id} ${is}: ${cell(reason)} ${then}`;
  if (!flags.quiet) io.note(said);
  else if (isHaltToBeSaid(folder.fs, folder.paths, reason, systemNow())) {
    io.error(said);
    keepHaltSaid(folder.fs, folder.paths, reason, systemNow());
  }
}

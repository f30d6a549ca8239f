/** Whether a plan can go on, after a stop or after a look at its first wave. */
import { connectionFlags, type GlobalFlags } from '../../../cli/flags/global.ts';
import { UsageError } from '../../../errors.ts';
import { unaffordableBy } from '../../../plans/rules/halts.ts';
import type { LoadedPlan, PlanState } from '../../../plans/rules/plan.ts';
import { isoTime } from '../../../text/iso.ts';

/** The command that has it go on, and what comes before it in a sentence. */
export function wayOn(planId: number, state: PlanState): { said: string; command: string } | undefined {
  if (state === 'waiting') return { said: 'Waiting for you', command: `vagent plan approve ${planId}` };
  if (state === 'stopped') return { said: 'To go on', command: `vagent plan resume ${planId}` };
  return undefined;
}

/** The command that shows a plan where nothing is to be done: its results, for a spreadsheet, once it is at its end. */
export function worthALook(planId: number, isAtEnd: boolean): string {
  return `vagent plan ${isAtEnd ? `results ${planId} --out results.xlsx` : `status ${planId}`}`;
}

/** The command that changes rules of a plan, with a space behind it. */
export function editCommand(planId: number, flags: GlobalFlags): string {
  return `vagent plan edit ${planId}${connectionFlags(flags)} `;
}

/** Throws UsageError if there is nobody left to be called, or nothing may be called any more. */
export function requireGoingOn(loaded: LoadedPlan, recallsUnseen: boolean, now: number, flags: GlobalFlags): void {
  const connection = connectionFlags(flags);
  const { plan, position, roster } = loaded;
  const { plan_id, rules } = plan;
  const refuse = (what: string, hint: string) => {
    throw new UsageError(what, { hint });
  };
  const another = `vagent plan create${connection} makes another`;
  const { unseen } = roster.counts;
  const spent = unaffordableBy(loaded);
  if (position.state === 'cancelled')
    refuse(
      `Plan ${plan_id} was cancelled: it calls nobody any more.`,
      `${another}; vagent plan results ${plan_id}${connection} shows who was not reached.`,
    );
  if (rules.end !== undefined && rules.end <= now)
    refuse(`Plan ${plan_id} has ended, at ${isoTime(rules.end)}.`, `${another}.`);
  if (position.state === 'stopped' && spent !== undefined)
    refuse(
      spent,
      `${editCommand(plan_id, flags)}--budget <amount> raises it; vagent plan cancel ${plan_id}${connection} ends the plan.`,
    );
  if (position.state !== 'done') return;
  if (unseen === 0) refuse(`Plan ${plan_id} is done: nobody is left to be called.`, `${another}.`);
  if (!recallsUnseen)
    refuse(
      `Plan ${plan_id} is done, but for ${unseen} whose call was never seen.`,
      '--recall-unseen has them called again.',
    );
}

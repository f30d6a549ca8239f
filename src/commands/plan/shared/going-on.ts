/** Whether a plan can go on, after a stop or after a look at its first wave. */
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

/** Throws UsageError if there is nobody left to be called, or nothing may be called any more. */
export function requireGoingOn(loaded: LoadedPlan, recallsUnseen: boolean, now: number): void {
  const { plan, position, roster } = loaded;
  const { plan_id, rules } = plan;
  const refuse = (what: string, hint: string) => {
    throw new UsageError(what, { hint });
  };
  const another = 'vagent plan create makes another';
  const { unseen } = roster.counts;
  const spent = unaffordableBy(loaded);
  if (position.state === 'cancelled')
    refuse(
      `Plan ${plan_id} was cancelled: nobody of it is called again.`,
      `${another}; plan results says who was not reached.`,
    );
  if (rules.end !== undefined && rules.end <= now)
    refuse(`Plan ${plan_id} has ended, at ${isoTime(rules.end)}.`, `${another}.`);
  if (position.state === 'stopped' && spent !== undefined)
    refuse(
      spent,
      `vagent plan edit ${plan_id} --budget <amount> raises it; vagent plan cancel ${plan_id} ends the plan.`,
    );
  if (position.state !== 'done') return;
  if (unseen === 0) refuse(`Plan ${plan_id} is done: nobody is left to be called.`, `${another}.`);
  if (!recallsUnseen)
    refuse(
      `Plan ${plan_id} is done, but for ${unseen} whose call was never seen.`,
      '--recall-unseen has them called again.',
    );
}

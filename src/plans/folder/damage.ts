/** The error for a plan whose files do not hold together. */
import { FileError } from '../../errors.ts';

export const PLAN_DAMAGED = 'plan_damaged';

const PUT_BACK =
  'Nothing was changed. Put the file back as it was. If that cannot be done, plan forget, by force, removes the plan and its results for good.';

/** `what` is a sentence without its full stop, and names the file. */
export function damaged(planId: number, what: string, cause?: unknown, hint = PUT_BACK): FileError {
  return new FileError(`Plan ${planId} is damaged: ${what}.`, { code: PLAN_DAMAGED, hint, cause });
}

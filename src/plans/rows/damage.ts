/** The error for a plan whose rows do not hold together. */
import { FileError, VagentError } from '../../errors.ts';

const PLAN_DAMAGED = 'plan_damaged';

const PUT_BACK =
  'Nothing was changed. Put back a copy of what is kept. ' +
  'If there is none, plan forget, by force, removes the plan and its results for good.';

/** `what` is a sentence without its full stop. */
export function damaged(planId: number, what: string, cause?: unknown): FileError {
  return new FileError(`Plan ${planId} is damaged: ${what}.`, { code: PLAN_DAMAGED, hint: PUT_BACK, cause });
}

/** What `read` makes of a row. A row is data, whoever wrote it: what cannot be read is damage, and never a bug. */
export function undamaged<T>(planId: number, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof VagentError) throw error;
    throw damaged(planId, `${what} is not what was written`, error);
  }
}

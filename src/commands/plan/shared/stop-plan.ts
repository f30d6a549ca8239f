/** Stops a plan and changes it further: for `plan stop` and `plan cancel`, which must hold even while a step is under way. */
import type { Context } from '../../../context.ts';
import { FileError, reworded } from '../../../errors.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import type { StopWish } from '../../../plans/rows/parse.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { changeWhenFree } from './wait-for-plan.ts';

/** Whoever changes the plan next fulfils the wish to stop; when `body` runs, nobody is within a step any more. */
export async function stopAndChange<T>(
  stored: StoredPlan,
  { position: { state } }: LoadedPlan,
  wish: StopWish,
  body: (session: PlanSession) => Promise<T>,
  context: Context,
): Promise<T> {
  if (state !== 'open' && state !== 'waiting') return changeWhenFree(stored, body, context);
  try {
    await stored.requestStop(wish);
  } catch (error) {
    throw advising(error, "The plan goes on: mend that and repeat this, or take the plan's line out of the crontab.");
  }
  try {
    return await changeWhenFree(stored, body, context, 'No further wave will be handed over.');
  } catch (error) {
    throw advising(error, 'The wish to stop is kept all the same: no further wave will be handed over.');
  }
}

function advising(error: unknown, hint: string): unknown {
  return error instanceof FileError ? reworded(error, { hint }) : error;
}

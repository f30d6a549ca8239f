/** Changes a plan as soon as nobody else does: a step of `plan run` may take as long as its service lets it wait. */
import type { Context } from '../../../context.ts';
import { FileError, InterruptedError } from '../../../errors.ts';
import type { PlanSession } from '../../../plans/rows/session.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';

/** Milliseconds: so often it is looked whether whoever waits has had enough. */
const ONE_WAIT = 1000;
/** After so many of them, nobody is waited for any more. */
const MOST_WAITS = 600;

/** `meanwhile`: what is true already, for whoever waits. */
export async function changeWhenFree<T>(
  stored: StoredPlan,
  body: (session: PlanSession) => Promise<T>,
  { io, signal }: Context,
  meanwhile = '',
): Promise<T> {
  for (let waits = 1; ; waits++) {
    try {
      return await stored.change(body, ONE_WAIT);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== 'file_locked' || waits === MOST_WAITS) throw error;
      if (signal.aborted) throw new InterruptedError(`Interrupted. ${meanwhile}`.trimEnd());
      if (waits > 1) continue;
      const holder = error.message.replace(/; waited .*$/, '');
      io.note(`${holder}: waiting until its step is done. ${meanwhile}`.trimEnd());
      // With --json they are held back for the end, and this may take a while.
      io.releaseNotes();
    }
  }
}

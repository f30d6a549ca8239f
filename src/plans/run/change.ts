/** Changes of a plan that another program may hold: a step may take as long as its service lets it wait. */
import { FileError, InterruptedError, reworded } from '../../errors.ts';
import { type PlanSession, STOPPED, type StoredPlan } from '../rows/stored-plan.ts';
import { cancelled } from '../rules/halts.ts';
import { isGoingOn, isOver, type LoadedPlan } from '../rules/plan.ts';
import type { PlanPorts } from './ports.ts';
import { planRecord, wavesOut } from './record.ts';

/** Milliseconds: so often it is checked whether whoever waits has had enough. */
const ONE_WAIT = 1000;
/** After so many of them, nobody is waited for any more. */
const MOST_WAITS = 600;

type Waiting = Pick<PlanPorts, 'notes' | 'signal'>;

/** Changes a plan as soon as nobody else does. `meanwhile`: what is true already, for whoever waits. */
export async function changeWhenFree<T>(
  stored: StoredPlan,
  body: (session: PlanSession) => Promise<T>,
  { notes, signal }: Waiting,
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
      notes.note(`${holder}: waiting until its step is done. ${meanwhile}`.trimEnd());
    }
  }
}

/**
 * Stops a plan, which was read `now`, or ends it for good. That holds even while a step is under way: whoever changes the plan
 * next fulfils the wish to stop. What is said of the plan then, and of its waves that are beyond reach.
 */
export async function stopPlan(
  stored: StoredPlan,
  { loaded: before, now, isForGood }: { loaded: LoadedPlan; now: number; isForGood: boolean },
  waiting: Waiting,
) {
  const { plan, position } = before;
  const reason = isForGood ? 'It was cancelled with plan cancel.' : STOPPED;
  const isAlready = (state: string) => waiting.notes.note(`Plan ${plan.plan_id} is ${state} already.`);
  const change = async (session: PlanSession) => {
    const { loaded } = session;
    const { state } = loaded.position;
    // A run that was under way may have carried out the wish.
    if (isForGood && isOver(state) && (state === 'done' || isOver(position.state))) isAlready(state);
    if (isForGood && !isOver(state)) await session.commit(cancelled(loaded.roster, now, reason));
    return { ...planRecord(loaded, now), waves_out: wavesOut(loaded) };
  };
  if (!isGoingOn(position.state)) {
    if (!isForGood) isAlready(position.state);
    return await changeWhenFree(stored, change, waiting);
  }
  await stored.requestStop({ at: now, reason, ...(isForGood && { isForGood }) }).catch((error: unknown) => {
    throw advising(error, "The plan goes on: mend that and repeat this, or take the plan's line out of the crontab.");
  });
  try {
    return await changeWhenFree(stored, change, waiting, 'No further wave will be sent.');
  } catch (error) {
    throw advising(error, 'The wish to stop is kept all the same: no further wave will be sent.');
  }
}

function advising(error: unknown, hint: string): unknown {
  return error instanceof FileError ? reworded(error, { hint }) : error;
}

/** The steps of a plan one after the other, and changes of a plan that another program holds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, pauseAfterFailures } from '../../calls/follow.ts';
import { FileError, InterruptedError, reworded, VagentError } from '../../errors.ts';
import { MINUTE, SECOND } from '../../text/units.ts';
import type { StopWish } from '../rows/parse.ts';
import { PLAN_CHANGED, type PlanSession, type Snapshot, type StoredPlan } from '../rows/stored-plan.ts';
import { isGoingOn, type PlanState } from '../rules/plan.ts';
import type { PlanPorts } from './ports.ts';
import { runStep, type Step } from './step.ts';

/** The longest time between two steps, while calls of a wave are awaited, and otherwise. */
const WHILE_CALLING = 2 * MINUTE;
const OTHERWISE = 15 * MINUTE;
/** Between two looks at the plan, which somebody may have stopped, and at the clock: a machine may have slept. */
const PIECE = 5 * SECOND;

/** `movesClock`: that of the local engine is moved to the next wave instead of waiting. */
interface GoingOn {
  isUntilDone: boolean;
  movesClock: boolean;
  onWait(): void;
}

/** The steps after a step, each when it is due. Nobody holds the plan in between: others can stop it. Throws InterruptedError. */
export async function* stepsAfter(
  first: Step,
  stored: StoredPlan,
  { isUntilDone, movesClock, onWait }: GoingOn,
  ports: PlanPorts,
): AsyncGenerator<Step, void> {
  const goesOn = ({ state, next, wave }: Step) =>
    state === 'open' && next !== undefined && (isUntilDone || (movesClock && wave === undefined));
  for (let step = first; goesOn(step); yield step) {
    onWait();
    await (movesClock ? moveClock(step, ports) : wait(step, stored, ports));
    step = await surviving(() => runStep(stored, ports, true), ports);
  }
}

async function moveClock({ next }: Step, { signal, local }: PlanPorts): Promise<void> {
  if (next === undefined) return;
  signal.throwIfAborted();
  const { timeline } = await local.engine();
  await timeline.move(
    (engineNow) => Math.max(engineNow, next.at),
    () => {},
  );
}

/** Until the next step, or until somebody else changes the plan. */
async function wait({ next, now, open }: Step, stored: StoredPlan, { clock, signal }: PlanPorts): Promise<void> {
  if (next === undefined) return;
  const end = clock.system() + Math.min(next.at - now, open > 0 ? WHILE_CALLING : OTHERWISE);
  const before = (await snapshotNow(stored))?.version;
  while (clock.system() < end) {
    const found = await snapshotNow(stored);
    if (found?.isStopWanted || found?.version !== before) return;
    await sleepFor(Math.min(PIECE, end - clock.system()), signal);
  }
}

/** Undefined while it cannot be asked: the next step finds it out. */
async function snapshotNow(stored: StoredPlan): Promise<Snapshot | undefined> {
  try {
    return await stored.snapshot();
  } catch (error) {
    if (mayPass(error)) return undefined;
    throw error;
  }
}

/** The result of a step, which is retried as long as the service cannot be reached, or another works on the plan. */
async function surviving(step: () => Promise<Step>, { notes, signal }: PlanPorts): Promise<Step> {
  for (let failures = 1; ; failures++) {
    try {
      const result = await step();
      if (failures > 1) notes.note('The plan goes on.');
      return result;
    } catch (error) {
      const isLocked = error instanceof VagentError && ['file_locked', PLAN_CHANGED].includes(error.code);
      if (signal.aborted || !(isLocked || mayPass(error))) throw error;
      if (failures === 1) notes.warn(`${(error as VagentError).message} Trying again until it works.`);
      await sleepFor(pauseAfterFailures(failures), signal);
    }
  }
}

async function sleepFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(1, milliseconds), undefined, { signal }).catch(() => {
    throw new InterruptedError();
  });
}

// Changes -----------------------------------------------------------------------------------------------------------

/** Milliseconds: so often it is looked whether whoever waits has had enough. */
const ONE_WAIT = 1000;
/** After so many of them, nobody is waited for any more. */
const MOST_WAITS = 600;

type Waiting = Pick<PlanPorts, 'notes' | 'signal'>;

/**
 * Changes a plan as soon as nobody else does: a step may take as long as its service lets it wait. `meanwhile`: what is true
 * already, for whoever waits.
 */
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
 * Stops a plan in this state, which must hold even while a step is under way, and changes it further: whoever changes the plan next
 * fulfils the wish to stop, and when `body` runs, nobody is within a step any more.
 */
export async function stopAndChange<T>(
  stored: StoredPlan,
  state: PlanState,
  wish: StopWish,
  body: (session: PlanSession) => Promise<T>,
  waiting: Waiting,
): Promise<T> {
  if (!isGoingOn(state)) return changeWhenFree(stored, body, waiting);
  try {
    await stored.requestStop(wish);
  } catch (error) {
    throw advising(error, "The plan goes on: mend that and repeat this, or take the plan's line out of the crontab.");
  }
  try {
    return await changeWhenFree(stored, body, waiting, 'No further wave will be handed over.');
  } catch (error) {
    throw advising(error, 'The wish to stop is kept all the same: no further wave will be handed over.');
  }
}

function advising(error: unknown, hint: string): unknown {
  return error instanceof FileError ? reworded(error, { hint }) : error;
}

/**
 * What the rehearsals of campaigns and of plans have in common: where they begin, how they are played, and how much runs differ.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { integerFrom } from '../../cli/flags/values.ts';
import { printList } from '../../cli/terminal/output.ts';
import { Progress } from '../../cli/terminal/progress.ts';
import { headingOf, inWords } from '../../cli/terminal/words.ts';
import type { Context } from '../../context.ts';
import type { PlannedCampaign, Rehearsal } from '../../engine/rehearsal.ts';
import type { Setting } from '../../engine/simulation.ts';
import type { Campaign } from '../../engine/state.ts';

const MAX_RUNS = 10_000;
const CALLS_A_TURN = 5_000;

export const RUNS = [
  '--runs <n>',
  `number of simulated runs, each with its own random seed (1 to ${MAX_RUNS})`,
  integerFrom(1, MAX_RUNS),
] as const;

/**
 * The last committed state of the local engine, and its clock. What fell due since is simulated in memory. `statuses`: of the
 * campaigns whose phones are asked for; there may be much to read.
 */
export async function localSetting(context: Context, statuses?: readonly Campaign['status'][]): Promise<Setting> {
  const [{ timeline }, { engineNow }, { waitingIn }] = await Promise.all([
    context.local.engine(),
    import('../../local/timeline.ts'),
    import('../../local/organizations.ts'),
  ]);
  const snapshot = await timeline.stored();
  const { state } = snapshot;
  const now = engineNow(state, { systemNow: context.clock.system });
  return { state, now, waitingOf: await waitingIn(snapshot, statuses) };
}

export async function playCampaign(plan: PlannedCampaign, runs: number, context: Context): Promise<Rehearsal> {
  const { rehearse } = await import('../../engine/rehearsal.ts');
  return playSteps(rehearse(plan, runs), 'Rehearsing calls', CALLS_A_TURN, context);
}

/**
 * Goes through the steps of a simulation with progress, and returns the result of the last one. `aTurn`: steps between two
 * pauses for the event loop, in which an interrupt may arrive; then it throws InterruptedError.
 */
export async function playSteps<T>(
  steps: Generator<void, T>,
  doing: string,
  aTurn: number,
  { io, signal }: Context,
): Promise<T> {
  const progress = new Progress(io, doing);
  try {
    for (let done = 1; ; done++) {
      const step = steps.next();
      if (step.done) return step.value;
      progress.at(done);
      if (done % aTurn === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
    }
  } finally {
    progress.end();
  }
}

/** `timeOf`: how a person reads a time, if not as everywhere. */
export async function showPercentiles(
  percentiles: Record<string, object>,
  context: Context,
  timeOf?: (time: string) => string,
): Promise<void> {
  const { io } = context;
  const wording = { now: io.now(), redact: (text: string) => text };
  const rows = Object.entries(percentiles).map(([field, values]) => {
    const shown = Object.entries(values).map(([percent, value]) => [
      percent,
      timeOf !== undefined && typeof value === 'string' ? timeOf(value) : inWords(field, value, wording),
    ]);
    return { of: headingOf(field), ...Object.fromEntries(shown) };
  });
  const shape = { columns: ['of', 'p5', 'p50', 'p95'], importance: ['of', 'p50', 'p95'] };
  await io.screen('\n');
  await printList(context, { percentiles: rows }, 'percentiles', shape);
}

/** Runs a rehearsal with progress, in a way that can be interrupted. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Rehearsal } from '../../../engine/rehearsal.ts';
import type { Plan } from '../../../engine/rehearsal-plan.ts';
import { Progress } from '../../../terminal/progress.ts';

/** Calls between two pauses for the event loop, in which an interrupt may arrive. */
const CALLS_A_TURN = 5_000;

export async function play(plan: Plan, runs: number, { io, signal }: Context): Promise<Rehearsal> {
  const { rehearse } = await import('../../../engine/rehearsal.ts');
  const rehearsal = rehearse(plan, runs);
  const progress = new Progress(io, 'Rehearsing calls');
  try {
    for (let calls = 1; ; calls++) {
      const step = rehearsal.next();
      if (step.done) return step.value;
      progress.at(calls);
      if (calls % CALLS_A_TURN === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
    }
  } finally {
    progress.end();
  }
}

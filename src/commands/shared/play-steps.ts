/** Goes through the steps of a simulation with progress, in a way that can be interrupted. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { Progress } from '../../terminal/progress.ts';

export interface Steps {
  /** Such as `Rehearsing calls`. */
  doing: string;
  /** Steps between two pauses for the event loop, in which an interrupt may arrive. */
  aTurn: number;
}

/** The result of the last step. Throws InterruptedError. */
export async function playSteps<T>(
  steps: Generator<void, T>,
  { doing, aTurn }: Steps,
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

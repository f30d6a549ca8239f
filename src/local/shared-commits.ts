/** Changes of one organization that wait at the same time share a commit. */
import { FileError, InputError, isAnswer } from '../errors.ts';
import { NOT_DURABLE } from '../storage/files/durable.ts';
import type { Change, Transaction } from './store.ts';

interface Job {
  run: Change;
  /** Tells what came of it, once that is durable. Undefined until it has run to its end. */
  tell?: () => void;
  isRefused: boolean;
  fail(error: unknown): void;
}

/**
 * What runs changes together by `commit`. It resolves when what a change has done is durable. A change that is refused (an
 * InputError, or an error that is the service's answer) must have changed nothing; any other error undoes the whole commit.
 */
export function sharedCommits(commit: (changes: readonly Change[]) => Promise<unknown>) {
  let waiting: Job[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const jobs = waiting;
      waiting = [];
      await carryOut(jobs, commit);
    }
    isDraining = false;
  }

  return <T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const job: Job = {
        isRefused: false,
        fail: reject,
        async run(transaction) {
          try {
            const value = await change(transaction);
            job.tell = () => resolve(value);
          } catch (error) {
            if (!(error instanceof InputError || isAnswer(error))) throw error;
            job.isRefused = true;
            job.tell = () => reject(error);
          }
        },
      };
      waiting.push(job);
      if (!isDraining) void drain();
    });
}

async function carryOut(jobs: readonly Job[], commit: (changes: readonly Change[]) => Promise<unknown>): Promise<void> {
  try {
    await commit(jobs.map(({ run }) => run));
    for (const job of jobs) job.tell?.();
  } catch (error) {
    // The change was written, though it may not last: a refused change is reported as refused, not as made.
    const isMade = error instanceof FileError && error.code === NOT_DURABLE;
    for (const job of jobs)
      if (isMade && job.isRefused) job.tell?.();
      else job.fail(error);
  }
}

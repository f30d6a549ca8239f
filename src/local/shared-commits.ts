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

export class SharedCommits {
  readonly #commit: (changes: readonly Change[]) => Promise<unknown>;
  #waiting: Job[] = [];
  #isDraining = false;

  constructor(commit: (changes: readonly Change[]) => Promise<unknown>) {
    this.#commit = commit;
  }

  /**
   * Resolves when what `change` has done is durable. A change that is refused (an InputError, or an error that is the service's
   * answer) must have changed nothing; any other error undoes the whole commit.
   */
  transact<T>(change: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
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
      this.#waiting.push(job);
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // Changes requested in this turn of the event loop join the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      await this.#carryOut(jobs);
    }
    this.#isDraining = false;
  }

  async #carryOut(jobs: readonly Job[]): Promise<void> {
    try {
      await this.#commit(jobs.map(({ run }) => run));
      for (const job of jobs) job.tell?.();
    } catch (error) {
      // The change was written, though it may not last: a refused change is reported as refused, not as made.
      const isMade = error instanceof FileError && error.code === NOT_DURABLE;
      for (const job of jobs)
        if (isMade && job.isRefused) job.tell?.();
        else job.fail(error);
    }
  }
}

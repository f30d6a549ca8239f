/** The time between two steps of a plan: nobody holds it meanwhile, so that others can stop it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, pauseAfterFailures } from '../../../calls/follow.ts';
import type { Context } from '../../../context.ts';
import { InterruptedError, VagentError } from '../../../errors.ts';
import { PLAN_CHANGED } from '../../../plans/rows/session.ts';
import type { Glance, StoredPlan } from '../../../plans/rows/stored-plan.ts';
import type { Step } from './run-step.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The longest time between two looks at the log, while calls of a wave are awaited, and otherwise. */
const WHILE_CALLING = 2 * MINUTE;
const OTHERWISE = 15 * MINUTE;
/** Between two looks at the plan, which somebody may have stopped, and at the clock: a machine may have slept. */
const PIECE = 5 * SECOND;

export class Wait {
  readonly #stored: StoredPlan;
  readonly #context: Context;
  readonly #movesClock: boolean;

  /** `movesClock`: the local engine's is moved instead. */
  constructor(stored: StoredPlan, context: Context, { movesClock }: { movesClock: boolean }) {
    this.#stored = stored;
    this.#context = context;
    this.#movesClock = movesClock;
  }

  /** Until the next step. Throws InterruptedError. */
  async for({ next, now, open }: Step): Promise<void> {
    const { systemNow, signal } = this.#context;
    if (next === undefined) return;
    if (this.#movesClock) {
      signal.throwIfAborted();
      const { timeline } = await this.#context.local();
      await timeline.move(
        (engineNow) => Math.max(engineNow, next.at),
        () => {},
      );
      return;
    }
    const pause = Math.min(next.at - now, open > 0 ? WHILE_CALLING : OTHERWISE);
    const end = systemNow() + pause;
    const before = (await this.#glance())?.version;
    while (systemNow() < end) {
      const found = await this.#glance();
      if (found?.isStopWanted || found?.version !== before) return;
      await this.#sleep(Math.min(PIECE, end - systemNow()));
    }
  }

  /** The result of a step, which is tried again as long as the service cannot be reached, or another works on the plan. */
  async surviving(step: () => Promise<Step>): Promise<Step> {
    const { io, signal } = this.#context;
    for (let failures = 1; ; failures++) {
      try {
        const result = await step();
        if (failures > 1) io.note('The plan goes on.');
        return result;
      } catch (error) {
        const isLocked = error instanceof VagentError && ['file_locked', PLAN_CHANGED].includes(error.code);
        if (signal.aborted || !(isLocked || mayPass(error))) throw error;
        if (failures === 1) io.warn(`${(error as VagentError).message} Trying again until it works.`);
        io.releaseNotes();
        await this.#sleep(pauseAfterFailures(failures));
      }
    }
  }

  /** Undefined while it cannot be asked: the next step finds it out. */
  async #glance(): Promise<Glance | undefined> {
    try {
      return await this.#stored.glance();
    } catch (error) {
      if (mayPass(error)) return undefined;
      throw error;
    }
  }

  async #sleep(milliseconds: number): Promise<void> {
    const { signal } = this.#context;
    await sleep(Math.max(1, milliseconds), undefined, { signal }).catch(() => {
      throw new InterruptedError();
    });
  }
}

/** Looks at a plan again and again, and reads it anew only where it has changed. */
import type { Context } from '../../../context.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import type { StoredPlan } from '../../../plans/rows/stored-plan.ts';
import { clockOf } from './next-look.ts';
import { lookAt, type PlanLook } from './plan-look.ts';

export class WatchedPlan {
  readonly #stored: StoredPlan;
  readonly #context: Context;
  #loaded: LoadedPlan | undefined;
  #version = -1;

  constructor(stored: StoredPlan, context: Context) {
    this.#stored = stored;
    this.#context = context;
  }

  /** Throws as `StoredPlan.load` does. */
  async look(): Promise<PlanLook> {
    const { version, ranAt } = await this.#stored.glance();
    if (this.#loaded === undefined || version !== this.#version) {
      this.#loaded = await this.#stored.load();
      this.#version = version;
    }
    const since = ranAt === undefined ? undefined : Math.max(0, this.#context.systemNow() - ranAt);
    return lookAt(this.#loaded, await clockOf(this.#loaded, this.#context), since);
  }
}

/** Looks at the folder of a plan again and again, and reads it anew only where it has changed. */
import type { Context } from '../../../context.ts';
import { systemFiles } from '../../../files/file-system.ts';
import type { PlanFolder } from '../../../plans/folder/plan-folder.ts';
import type { LoadedPlan } from '../../../plans/plan.ts';
import { clockOf } from './next-look.ts';
import { lookAt, type PlanLook } from './plan-look.ts';

export class WatchedPlan {
  readonly #folder: PlanFolder;
  readonly #context: Context;
  #loaded: LoadedPlan | undefined;
  #stamp = '';

  constructor(folder: PlanFolder, context: Context) {
    this.#folder = folder;
    this.#context = context;
  }

  /** Throws as `PlanFolder.load` does. */
  async look(): Promise<PlanLook> {
    await this.#folder.refresh();
    const { root, journal } = this.#folder.paths;
    const [changed, grown] = [root, journal].map((path) => markOf(path));
    const stamp = `${changed?.mark} ${grown?.mark}`;
    if (this.#loaded === undefined || stamp !== this.#stamp) {
      this.#loaded = this.#folder.load();
      this.#stamp = stamp;
    }
    const { waves } = this.#loaded.position;
    const run = Math.max(waves === 0 ? 0 : (changed?.at ?? 0), markOf(this.#folder.paths.log)?.at ?? 0);
    const since = run === 0 ? undefined : Math.max(0, this.#context.systemNow() - run);
    return lookAt(this.#loaded, await clockOf(this.#loaded, this.#context), since);
  }
}

/** Undefined if there is no such file. */
function markOf(path: string): { mark: string; at: number } | undefined {
  const found = systemFiles.lstatSync(path, { throwIfNoEntry: false });
  return found && { mark: `${found.ino} ${found.size} ${found.mtimeMs}`, at: found.mtimeMs };
}

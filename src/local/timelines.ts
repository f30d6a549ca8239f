/** The timelines of an engine's organizations: as many as were used lately are kept, so that what they have read is not read again. */
import { FIRST_ORGANIZATION } from '../contract.ts';
import type { FileError } from '../errors.ts';
import type { Organizations } from './store.ts';
import { type Clock, Timeline } from './timeline.ts';

const KEPT = 256;

export class Timelines {
  readonly #organizations: Organizations;
  readonly #clock: Clock;
  readonly #onStale: ((cause: FileError) => void) | undefined;
  /** By organization, the one that was used last at the end. */
  readonly #kept = new Map<number, Timeline>();

  /** `onStale`: see Timeline. */
  constructor(organizations: Organizations, clock: Clock, onStale?: (cause: FileError) => void) {
    this.#organizations = organizations;
    this.#clock = clock;
    this.#onStale = onStale;
  }

  first(): Timeline {
    const known = this.#kept.get(FIRST_ORGANIZATION);
    if (known !== undefined) return known;
    const timeline = new Timeline(this.#organizations.first(), this.#clock, this.#onStale);
    this.#kept.set(FIRST_ORGANIZATION, timeline);
    return timeline;
  }

  /** Undefined if there is no such organization. */
  async of(organizationId: number): Promise<Timeline | undefined> {
    const timeline = this.#kept.get(organizationId) ?? (await this.#open(organizationId));
    if (timeline === undefined) return undefined;
    this.#kept.delete(organizationId);
    this.#kept.set(organizationId, timeline);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
    return timeline;
  }

  async #open(organizationId: number): Promise<Timeline | undefined> {
    if (organizationId === FIRST_ORGANIZATION) return this.first();
    const store = await this.#organizations.storeOf(organizationId);
    // Somebody else may have opened it meanwhile: one process has one store of it, so that requests share commits.
    const known = this.#kept.get(organizationId);
    if (known !== undefined || store === undefined) return known;
    return new Timeline(store, this.#clock, this.#onStale);
  }
}

/** Moves the local engine's time faster than the system's: in small steps, each of which is kept whatever happens next. */
import type { Ports } from '../../register/ports.ts';

type Timeline = Awaited<ReturnType<Ports['local']['engine']>>['timeline'];

/** Milliseconds that count at most: work that takes longer than a step, or a computer that slept, must not make steps longer. */
const LONGEST_STEP = 250;

export class EngineSpeed {
  readonly #timeline: Timeline;
  readonly #speed: number;
  #movedAt = performance.now();
  /** To where the last step moved. */
  #reached = Number.NEGATIVE_INFINITY;

  /** `speed`: seconds of the engine's clock in each second. */
  constructor(timeline: Timeline, speed: number) {
    this.#timeline = timeline;
    this.#speed = speed;
  }

  /**
   * Moves on by the time that has passed since the last step. Another process may move the clock as well, even further; it is never
   * moved back.
   */
  async step(): Promise<void> {
    const now = performance.now();
    const passed = Math.min(LONGEST_STEP, now - this.#movedAt);
    this.#movedAt = now;
    const target = (from: number) => Math.max(from, Math.max(from - passed, this.#reached) + passed * this.#speed);
    const { to } = await this.#timeline.move(
      (from) => Math.round(target(from)),
      () => {},
    );
    this.#reached = to;
  }
}

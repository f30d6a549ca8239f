/** Moves the local engine's time faster than the system's: in small steps, each of which is kept whatever happens next. */
import type { Ports } from '../../register/ports.ts';

type Timeline = Awaited<ReturnType<Ports['local']['engine']>>['timeline'];

/** Milliseconds that count at most: work that takes longer than a step, or a computer that slept, must not make steps longer. */
const LONGEST_STEP = 250;

/**
 * The function that moves on by the time that has passed since its last call; `speed`: seconds of the engine's clock in each second.
 * Another process may move the clock as well, even further; it is never moved back.
 */
export function engineSpeed(timeline: Timeline, speed: number): () => Promise<void> {
  let movedAt = performance.now();
  let reached = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    const passed = Math.min(LONGEST_STEP, now - movedAt);
    movedAt = now;
    const target = (from: number) => Math.max(from, Math.max(from - passed, reached) + passed * speed);
    const { to } = await timeline.move(
      (from) => Math.round(target(from)),
      () => {},
    );
    reached = to;
  };
}

/**
 * Plays what falls due without being asked, where several programs share the organizations of a store: each takes those that nobody
 * else is playing, a commit at a time, so that what one leaves behind when it dies is taken over by the others. Organizations take
 * turns, however much one of them has due; one that cannot be played is left alone for a while.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FileError } from '../errors.ts';
import type { TimelineOf } from './backend.ts';

interface PlayerOptions {
  /** As in `PostgresStore`. */
  due(systemNow: number, most: number, except: readonly number[]): Promise<number[]>;
  timelineOf: TimelineOf;
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
  /** Told of a failure, of an organization or of everything: once until it succeeds again. */
  onFailure(error: unknown): void;
}

/** Milliseconds between two looks for what is due; so long a dead program's organizations wait at most. */
const LOOKED_EVERY = 500;
/** Milliseconds after a failure, growing. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
/** Organizations that are played side by side. */
const AT_ONCE = 2;

export class Player {
  readonly #options: PlayerOptions;
  readonly #end = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** The organizations that had their turn; when no other is due, it begins anew. */
  readonly #hadTurn = new Set<number>();
  /** The organizations that could not be played: when they are tried again, by the system's time, and the pause until then. */
  readonly #setAside = new Map<number, { until: number; pause: number }>();

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when what was begun is committed. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pause = 0;
    while (!this.#end.signal.aborted) {
      try {
        const hasPlayed = await this.#playDue();
        pause = 0;
        if (!hasPlayed) await this.#wait(LOOKED_EVERY);
      } catch (error) {
        if (pause === 0) this.#options.onFailure(error);
        pause = longer(pause);
        await this.#wait(pause);
      }
    }
  }

  /** Whether anything was due. */
  async #playDue(): Promise<boolean> {
    let due = await this.#due();
    if (due.length === 0 && this.#hadTurn.size > 0) {
      this.#hadTurn.clear();
      due = await this.#due();
    }
    for (const organizationId of due) this.#hadTurn.add(organizationId);
    await Promise.all(due.map((organizationId) => this.#play(organizationId)));
    return due.length > 0;
  }

  #due(): Promise<number[]> {
    const { due, systemNow } = this.#options;
    const now = systemNow();
    const resting = [...this.#setAside].flatMap(([organizationId, { until }]) => (until > now ? [organizationId] : []));
    return due(now, AT_ONCE, [...this.#hadTurn, ...resting]);
  }

  async #play(organizationId: number): Promise<void> {
    const { timelineOf, systemNow, onFailure } = this.#options;
    try {
      await (await timelineOf(organizationId))?.playSome();
      this.#setAside.delete(organizationId);
    } catch (error) {
      const earlier = this.#setAside.get(organizationId);
      if (earlier === undefined) onFailure(unplayable(organizationId, error));
      const pause = longer(earlier?.pause ?? 0);
      this.#setAside.set(organizationId, { until: systemNow() + pause, pause });
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#end.signal }).catch(() => {});
  }
}

function longer(pause: number): number {
  return Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, pause * 2));
}

function unplayable(organizationId: number, error: unknown): FileError {
  const why = error instanceof Error ? error.message : String(error);
  return new FileError(`What falls due of organization ${organizationId} waits, and is tried again: ${why}`, {
    cause: error,
  });
}

/**
 * Plays what falls due without being asked, where several programs share the organizations of a store: each takes those that nobody
 * else is playing, a commit at a time, so that what one leaves behind when it dies is taken over by the others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TimelineOf } from './backend.ts';
import type { Claims } from './store.ts';

export interface PlayerOptions {
  claims: Claims;
  timelineOf: TimelineOf;
  /** The system's time in milliseconds since the epoch. */
  systemNow(): number;
  /** Told of a failure, once until something succeeds again. */
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
        pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, pause * 2));
        await this.#wait(pause);
      }
    }
  }

  /** Whether anything was due. */
  async #playDue(): Promise<boolean> {
    const { claims, systemNow } = this.#options;
    const due = await claims.due(systemNow(), AT_ONCE);
    await Promise.all(due.map((organizationId) => this.#play(organizationId)));
    return due.length > 0;
  }

  async #play(organizationId: number): Promise<void> {
    const timeline = await this.#options.timelineOf(organizationId);
    while (!this.#end.signal.aborted && (await timeline?.playSome()) === 'more');
  }

  async #wait(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#end.signal }).catch(() => {});
  }
}

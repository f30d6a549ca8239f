/** The local engine, assembled: the store in a folder, what time does to it, and the service over both. */
import type { Backend } from '../contract.ts';
import { DEFAULT_SEED, initialState } from '../engine/state.ts';
import { systemFiles } from '../files.ts';
import { localBackend } from './backend.ts';
import { Store } from './store.ts';
import { type Clock, Timeline } from './timeline.ts';

export interface LocalEngine {
  store: Store;
  timeline: Timeline;
  backend: Backend;
}

export interface LocalEngineOptions extends Clock {
  folder: string;
  /** What this process is doing, for the message that others see while they wait for the lock. */
  command: string;
  /** What chance is drawn from in a store that does not exist yet. */
  seed?: number;
}

/** Milliseconds. */
const LOCK_TIMEOUT = 10_000;

/** Touches no file yet: a store is created by the first change. */
export function openLocalEngine({ folder, command, seed = DEFAULT_SEED, ...clock }: LocalEngineOptions): LocalEngine {
  const store = new Store({
    fs: systemFiles,
    folder,
    initial: () => initialState({ seed, now: clock.systemNow(), empty: false }),
    timeoutMs: LOCK_TIMEOUT,
    command,
  });
  const timeline = new Timeline(store, clock);
  return { store, timeline, backend: localBackend(timeline) };
}

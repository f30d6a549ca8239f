/**
 * Assembles the local engine: a store, the passing of time in it, and the service over both. The only place that chooses a
 * store.
 */
import type { Backend } from '../contract.ts';
import { DEFAULT_SEED, initialState } from '../engine/state.ts';
import type { FileError } from '../errors.ts';
import { systemFiles } from '../files/file-system.ts';
import { type Admit, localAdmission, localBackend } from './backend.ts';
import { JsonStore } from './json/json-store.ts';
import type { Store } from './store.ts';
import { type Clock, Timeline } from './timeline.ts';

export interface LocalEngine {
  store: Store;
  timeline: Timeline;
  backend: Backend;
  admit: Admit;
}

export interface LocalEngineOptions extends Clock {
  folder: string;
  /** What this process is doing, for the message that others see while they wait for the lock. */
  command: string;
  /** The random seed for a store that does not exist yet. */
  seed?: number;
  /** Called once if the store can be read but not written, so that due events could not happen. */
  onStale?: (cause: FileError) => void;
}

/** Milliseconds. */
const LOCK_TIMEOUT = 10_000;

/** Touches no file: a store is created by the first change. */
export function openLocalEngine(options: LocalEngineOptions): LocalEngine {
  const { folder, command, seed = DEFAULT_SEED, onStale, ...clock } = options;
  const store = new JsonStore({
    fs: systemFiles,
    folder,
    initial: () => initialState({ seed, now: clock.systemNow(), empty: false }),
    timeoutMs: LOCK_TIMEOUT,
    command,
  });
  const timeline = new Timeline(store, clock, onStale);
  return { store, timeline, backend: localBackend(timeline), admit: localAdmission(timeline) };
}

/**
 * Assembles the local engine: a store, the passing of time in it, and the service over both. The only place that chooses a
 * store.
 */
import type { Backend } from '../contract.ts';
import { DEFAULT_SEED, initialState, type State } from '../engine/state.ts';
import type { FileError } from '../errors.ts';
import { systemFiles } from '../files/file-system.ts';
import { isDatabase } from '../files/store-place.ts';
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
  /** A folder, or the address of a database: postgres://user@host:port/database. */
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

/** Touches no file, and asks no database: a store is created by the first change. */
export async function openLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const { folder: url } = options;
  if (!isDatabase(url)) return openInFolder(options);
  const { PostgresStore } = await import('./postgres/postgres-store.ts');
  return engineOver(new PostgresStore({ url, initial: () => firstState(options) }), options);
}

/** The same over a folder, without waiting. */
export function openInFolder(options: LocalEngineOptions): LocalEngine {
  const { folder, command } = options;
  const initial = () => firstState(options);
  return engineOver(new JsonStore({ fs: systemFiles, folder, initial, timeoutMs: LOCK_TIMEOUT, command }), options);
}

/** The engine over a store, whatever keeps it. */
export function engineOver(
  store: Store,
  { onStale, ...clock }: Clock & Pick<LocalEngineOptions, 'onStale'>,
): LocalEngine {
  const timeline = new Timeline(store, clock, onStale);
  return { store, timeline, backend: localBackend(timeline), admit: localAdmission(timeline) };
}

function firstState({ seed = DEFAULT_SEED, systemNow }: LocalEngineOptions): State {
  return initialState({ seed, now: systemNow(), empty: false });
}

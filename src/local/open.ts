/**
 * Assembles the local engine: a store, the passing of time in it, and the service over both. The only place that chooses a
 * store.
 */
import { type Backend, FIRST_ORGANIZATION } from '../contract.ts';
import { DEFAULT_SEED, initialState, type State } from '../engine/state.ts';
import type { FileError } from '../errors.ts';
import { systemFiles } from '../storage/files/file-system.ts';
import { isDatabase } from '../storage/files/store-place.ts';
import { type Admit, localAdmission, localBackend, requireOrganization, type TimelineOf } from './backend.ts';
import { JsonStore } from './json/json-store.ts';
import { Recent } from './organizations.ts';
import type { PostgresStore } from './postgres/postgres-store.ts';
import type { Store } from './store.ts';
import { type Clock, Timeline } from './timeline.ts';

export interface LocalEngine {
  store: Store;
  /** Where several programs play it. */
  database?: PostgresStore;
  timelineOf: TimelineOf;
  /** Of the organization that was asked for. */
  timeline: Timeline;
  /** Of every organization, for those who have its key. */
  backend: Backend;
  admit: Admit;
}

interface LocalEngineOptions extends Clock {
  /** A folder, or the address of a database: postgres://user@host:port/database. */
  folder: string;
  /** What this process is doing, for the message that others see while they wait for the lock. */
  command: string;
  /** By default the first. */
  organizationId?: number;
  /** The random seed for a store that does not exist yet. */
  seed?: number;
  /** Called once if the store can be read but not written, so that due events could not happen. */
  onStale?: (cause: FileError) => void;
}

/** Milliseconds. */
const LOCK_TIMEOUT = 10_000;

/**
 * Touches no file for the first organization, and asks no database: a store is created by the first change. Throws ServiceError if
 * there is no such organization.
 */
export async function openLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const { folder, organizationId = FIRST_ORGANIZATION } = options;
  let engine: LocalEngine;
  if (isDatabase(folder)) {
    const { PostgresStore } = await import('./postgres/postgres-store.ts');
    const database = new PostgresStore({ url: folder, initial: () => firstState(options) });
    engine = { ...engineOver(database, options), database };
  } else engine = openInFolder(options);
  return { ...engine, timeline: await requireOrganization(engine.timelineOf, organizationId) };
}

/** The same over a folder for the first organization, without waiting. */
export function openInFolder(options: LocalEngineOptions): LocalEngine {
  const { folder, command } = options;
  const place = { fs: systemFiles, folder, command, timeoutMs: LOCK_TIMEOUT };
  return engineOver(new JsonStore({ ...place, initial: () => firstState(options) }), options);
}

/** The engine over a store, for its first organization. */
export function engineOver(
  store: Store,
  { onStale, ...clock }: Clock & Pick<LocalEngineOptions, 'onStale'>,
): LocalEngine {
  const known = new Recent<Timeline>();
  const open = (id: number) => known.get(id, () => new Timeline(store, id, clock, onStale));
  const timelineOf: TimelineOf = async (id) => {
    const isThere = id === FIRST_ORGANIZATION || known.has(id) || (await store.snapshot(id)) !== undefined;
    return isThere ? open(id) : undefined;
  };
  const [backend, admit] = [localBackend(timelineOf), localAdmission(timelineOf)];
  return { store, timelineOf, timeline: open(FIRST_ORGANIZATION), backend, admit };
}

function firstState({ seed = DEFAULT_SEED, systemNow }: LocalEngineOptions): State {
  return initialState({ seed, now: systemNow(), empty: false });
}

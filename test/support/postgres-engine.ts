/** The local engine over a schema of its own, with a clock that obeys. */

import { initialState } from '../../src/engine/state.ts';
import { engineOver, type LocalEngine } from '../../src/local/open.ts';
import { PostgresStore } from '../../src/local/postgres/postgres-store.ts';
import type { Limits } from '../../src/storage/database/connection.ts';
import { EPOCH } from './engine.ts';
import { ownSchema } from './postgres.ts';

export interface PostgresEngine extends LocalEngine {
  url: string;
  database: PostgresStore;
  clock: { now: number };
}

/** Few dials are one commit, so that little is played in one go. */
export function postgresEngine({
  seed = 1,
  url = ownSchema(),
  clock = { now: EPOCH },
  dialsOfCommit = 7,
  limits = {} as Partial<Limits>,
} = {}): PostgresEngine {
  const systemNow = () => clock.now;
  const database = new PostgresStore({
    url,
    dialsOfCommit,
    limits,
    initial: () => initialState({ seed, now: systemNow(), empty: false }),
  });
  return { url, clock, database, ...engineOver(database, { systemNow, signal: new AbortController().signal }) };
}

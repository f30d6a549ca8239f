/** The stores that the local engine knows: each passes the same suite. */
import { describe } from 'vitest';
import { type LocalEngine, openInFolder } from '../../src/local/open.ts';
import { EPOCH, testEngine } from './engine.ts';
import { describePostgres } from './postgres.ts';
import { postgresEngine } from './postgres-engine.ts';

export type Engine = LocalEngine & { clock: { now: number } };

/** Makes a new store; `beside` opens it again, as another process does. */
export type Stores = () => Engine & { beside: () => Engine };

export function describeStores(suite: (stores: Stores) => void): void {
  describe('in a folder', () => {
    suite(() => {
      const engine = testEngine();
      const beside = () => {
        const clock = { now: EPOCH };
        const { signal } = new AbortController();
        return { clock, ...openInFolder({ ...engine, command: 'test', systemNow: () => clock.now, signal }) };
      };
      return { ...engine, beside };
    });
  });
  describePostgres('in a database', () => {
    suite(() => {
      const engine = postgresEngine();
      return { ...engine, beside: () => postgresEngine({ url: engine.url }) };
    });
  });
}

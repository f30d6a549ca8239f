/** Several servers of one database that are killed: every acknowledged call is there once, and every dial was made once. */
import { expect, test } from 'vitest';
import { serveByMany } from '../../support/many-servers.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { temporaryFolder } from '../../support/program.ts';

describePostgres('several servers of one database', () => {
  test('place each call once, and play each campaign once, however often one is killed', async () => {
    const url = ownSchema();
    const engine = postgresEngine({ url, clock: { now: Date.now() } });
    const found = await serveByMany(engine, {
      ...{ url, home: temporaryFolder(), servers: 3, clients: 6, lasts: 4_000, killsASecond: 2, contacts: 1_500 },
    });
    expect(found.wrong).toEqual([]);
    expect(found.kills).toBeGreaterThan(0);
    expect(found.acknowledged).toBeGreaterThan(0);
    expect(found.calls).toBeGreaterThan(found.acknowledged + 3 * 1_500);
  }, 60_000);
});

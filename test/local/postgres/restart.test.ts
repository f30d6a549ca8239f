/**
 * A server of PostgreSQL that is really restarted, and crashes: whoever works over it comes back, and knows what came of each
 * commit.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../../src/contract.ts';
import { Between } from '../../support/between.ts';
import { CALL } from '../../support/changes.ts';
import { everythingOf, problemsOf } from '../../support/everything-of.ts';
import { serveByMany } from '../../support/many-servers.ts';
import { installedPostgres, type OwnPostgres, startPostgres } from '../../support/own-postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { temporaryFolder } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

const bin = installedPostgres();
if (bin === undefined) process.stderr.write('No PostgreSQL is installed: the tests that restart one are skipped.\n');

describe.skipIf(bin === undefined)('a server that is restarted', () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    // What is not committed stays in its memory for long.
    server = await startPostgres(bin as string, { wal_writer_delay: '10s' });
  });
  afterAll(() => server.remove());

  test('before a commit that another takes the number of: it is not taken for that', async () => {
    const { between, url } = await Between.before(server.urlOf('commit'));
    const [engine, beside] = [postgresEngine({ url }), postgresEngine({ url: server.urlOf('commit') })];
    await engine.backend(LOCAL_CREDENTIALS).triggerCall(CALL);
    await beside.backend(LOCAL_CREDENTIALS).triggerCall(CALL);
    const before = await everythingOf(beside);
    const crashed = new Promise<void>((resolve, reject) => {
      between.strike = {
        at: 'commit',
        when: 'before',
        instead: () => server.restart('immediate').then(resolve, reject),
      };
    });
    const error = engine
      .backend(LOCAL_CREDENTIALS)
      .triggerCall(CALL)
      .catch((failure: unknown) => failure);
    await crashed;
    expect(await everythingOf(beside)).toBe(before);
    await sql(server.urlOf('commit'), 'create table other ()');
    expect(await error).toMatchObject({ exitCode: 9, hint: 'The store is as it was before.' });
    between.close();
    expect(await problemsOf(beside)).toEqual([]);
  });

  test.each(['fast', 'immediate'] as const)(
    '-m %s under load: each acknowledged call is there once, and servers come back',
    async (mode) => {
      const url = server.urlOf(mode);
      const found = await serveByMany(postgresEngine({ url, clock: { now: Date.now() } }), {
        ...{ url, home: temporaryFolder(), servers: 2, clients: 6, lasts: 2_500, killsASecond: 1, contacts: 250 },
        instead: () => server.restart(mode),
      });
      expect(found.wrong).toEqual([]);
      expect(found.kills).toBeGreaterThan(1);
      expect(found.acknowledged).toBeGreaterThan(0);
      expect(found.calls).toBeGreaterThan(found.acknowledged + 3 * 250);
    },
  );
});

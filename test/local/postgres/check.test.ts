/** A check of one organization among many reads what is its own, whatever the database expects of its tables. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { checkTables } from '../../../src/local/postgres/check.ts';
import { type Client, TYPES } from '../../../src/storage/database/connection.ts';
import { advance, campaign, service } from '../../support/changes.ts';
import { describePostgres } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

describePostgres('a check', () => {
  test('reads no table from its beginning to its end', async () => {
    const engine = postgresEngine();
    await service(engine).createCampaign(campaign(Array.from({ length: 40 }, (_none, at) => `+1415555${1000 + at}`)));
    await advance(engine, 'idle');
    const address = new URL(engine.url);
    const schema = address.searchParams.get('schema');
    address.searchParams.delete('schema');
    const client = new pg.Client({ connectionString: address.href, options: `-c search_path=${schema}`, types: TYPES });
    await client.connect();
    try {
      await client.query('analyze calls, contacts, retries, campaigns, agents');
      await client.query('begin');
      expect(await checkTables(client as unknown as Client, 1)).toMatchObject({
        problems: [],
        facts: { campaigns: 1 },
      });
      // The one row of `engine`, where ids are counted for all, is read whole: no index can be faster.
      const { rows } = await client.query(
        "select relname, seq_scan from pg_stat_xact_user_tables where schemaname = $1 and seq_scan > 0 and relname <> 'engine'",
        [schema],
      );
      expect(rows).toEqual([]);
    } finally {
      await client.end();
    }
  });
});

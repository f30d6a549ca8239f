/**
 * Databases with which vagent cannot work, or no more: each is told in one true sentence, and nothing is made in the wrong place.
 */
import { expect, onTestFinished, test } from 'vitest';
import { CALL, service } from '../../support/changes.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

/** The address of the same schema in a database of the test's own. */
async function databaseOf(made: string): Promise<string> {
  const url = new URL(ownSchema());
  // So long that no roles are made for it: they would outlive it.
  const name = `unusable_and_of_a_long_name_${url.searchParams.get('schema')}`;
  await sql(url.href, `create database ${name} template template0 ${made}`);
  onTestFinished(async () => {
    await sql(url.href, `drop database ${name} with (force)`);
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

describePostgres('a database', () => {
  test('in another encoding is told, and nothing is made there', async () => {
    const url = await databaseOf(`encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`);
    await expect(service(postgresEngine({ url })).triggerCall(CALL)).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(/is encoded as LATIN1; the store needs UTF8\.$/),
    });
    expect(await sql(url, `select 1 from pg_tables where tablename = 'calls'`)).toEqual([]);
  });

  test('with dates of another style gives the same times', async () => {
    const url = await databaseOf(`encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`);
    await sql(url, `alter database ${new URL(url).pathname.slice(1)} set datestyle = 'German, DMY'`);
    const engine = postgresEngine({ url });
    await service(engine).triggerCall(CALL);
    const { calls } = await service(postgresEngine({ url })).getCallLogs({});
    expect(calls[0]?.timestamp).toBe(new Date(engine.clock.now).toISOString());
  });

  test('that was made read-only says so', async () => {
    const url = await databaseOf(`encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`);
    await sql(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    const engine = postgresEngine({ url });
    await expect(service(engine).triggerCall(CALL)).rejects.toMatchObject({
      message: expect.stringMatching(/: it can only be read\.$/),
    });
    expect(await engine.database.diagnose(Date.now)).toMatchObject({ isReadOnly: true });
  });

  test('whose tables a newer vagent made meanwhile is neither written nor read any more', async () => {
    const engine = postgresEngine();
    await service(engine).triggerCall(CALL);
    await sql(engine.url, 'insert into migrations select max(version) + 1 from migrations');
    for (const other of [engine, postgresEngine({ url: engine.url })]) {
      await expect(service(other).triggerCall(CALL)).rejects.toMatchObject({ code: 'store_too_new' });
      await expect(service(other).getCallLogs({})).rejects.toMatchObject({ code: 'store_too_new' });
    }
    expect(await sql(engine.url, 'select count(*)::int as calls from calls')).toEqual([{ calls: 1 }]);
  });
});

/** Schemas of a PostgreSQL that answers, each for one test. Where none answers, its tests are skipped (`process-start.ts`). */
import { afterAll, describe, onTestFinished } from 'vitest';
import { dropSchema, sql } from './sql.ts';

const { VAGENT_TEST_DATABASE: ADDRESS = '' } = process.env;

export const describePostgres = describe.skipIf(ADDRESS === '');

let schemas = 0;

function newSchema(): string {
  schemas += 1;
  return `test_${process.pid}_${Date.now().toString(36)}_${schemas}`;
}

function addressOf(schema: string): string {
  const url = new URL(ADDRESS);
  url.searchParams.set('schema', schema);
  return url.href;
}

/**
 * The address of a schema that is nobody else's; it and its roles are dropped after the test, which names itself where others
 * run beside it.
 */
export function ownSchema(finished: (drop: () => Promise<void>) => void = onTestFinished): string {
  const schema = newSchema();
  finished(() => dropSchema(ADDRESS, schema));
  return addressOf(schema);
}

const EMPTIED = `do $$ declare t text; begin
  -- In whatever order.
  set local session_replication_role = replica;
  for t in select tablename from pg_tables where schemaname = current_schema() and tablename not like '%migrations'
    loop execute format('delete from %I', t); end loop;
end $$`;

/**
 * The address of a schema for tests that have no tables made, and follow one another: to make them takes longer than most
 * tests. From the second time on they are there, and empty again.
 */
export function emptiedSchema(): () => Promise<string> {
  const schema = newSchema();
  const url = addressOf(schema);
  afterAll(() => (ADDRESS === '' ? undefined : dropSchema(ADDRESS, schema)));
  return async () => {
    await sql(url, EMPTIED);
    return url;
  };
}

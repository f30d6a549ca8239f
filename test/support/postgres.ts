/** Schemas of a PostgreSQL that answers, each for one test. Where none answers, its tests are skipped (`process-start.ts`). */
import pg from 'pg';
import { describe, onTestFinished } from 'vitest';

const { VAGENT_TEST_DATABASE: ADDRESS = '' } = process.env;

export const describePostgres = describe.skipIf(ADDRESS === '');

let schemas = 0;

/** The address of a schema that is nobody else's; it is dropped after the test. */
export function ownSchema(): string {
  schemas += 1;
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${schemas}`;
  onTestFinished(() => dropped(schema));
  const url = new URL(ADDRESS);
  url.searchParams.set('schema', schema);
  return url.href;
}

/** Asks the database itself, beside the program. */
export async function sql<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const address = new URL(url);
  const schema = address.searchParams.get('schema');
  address.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: address.href, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function dropped(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: ADDRESS });
  await client.connect();
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.end();
}

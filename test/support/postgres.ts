/** Schemas of a PostgreSQL that answers, each for one test. Where none answers, its tests are skipped (`process-start.ts`). */
import { describe, onTestFinished } from 'vitest';
import { dropSchema } from './sql.ts';

const { VAGENT_TEST_DATABASE: ADDRESS = '' } = process.env;

export const describePostgres = describe.skipIf(ADDRESS === '');

let schemas = 0;

/** The address of a schema that is nobody else's; it and its roles are dropped after the test. */
export function ownSchema(): string {
  schemas += 1;
  const schema = `test_${process.pid}_${Date.now().toString(36)}_${schemas}`;
  onTestFinished(() => dropSchema(ADDRESS, schema));
  const url = new URL(ADDRESS);
  url.searchParams.set('schema', schema);
  return url.href;
}

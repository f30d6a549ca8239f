/** A schema that is changed and put back as it was: many times faster than to make another. */
import type { Client } from 'pg';

/** Remembers all rows of the connection's schema in `kept`, the address of another schema; what it returns puts them back. */
export async function remembered(client: Client, kept: string): Promise<() => Promise<void>> {
  const to = new URL(kept).searchParams.get('schema');
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema()`,
  );
  const each = (statement: (name: string) => string) => tables.map(({ name }) => statement(name)).join('\n');
  await client.query(`create schema ${to}; ${each((name) => `create table ${to}.${name} as table ${name};`)}`);
  // References between the tables hold before and after.
  const back = `begin; set local session_replication_role = replica;
    ${each((name) => `delete from ${name}; insert into ${name} overriding system value table ${to}.${name};`)} commit;`;
  return async () => void (await client.query(back));
}

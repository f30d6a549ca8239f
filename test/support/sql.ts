/** Asks a database itself, beside the program. */
import pg from 'pg';

/** In the schema of an address. */
export async function sql<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = await connected(url);
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The same for whoever asks often, and ends it. */
export async function connected(url: string): Promise<pg.Client> {
  const address = new URL(url);
  const schema = address.searchParams.get('schema');
  address.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: address.href, options: `-c search_path=${schema}` });
  // A connection that breaks is told by the query that fails.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** With the roles that the program made for it, which would stay. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  const role = (kind: string) => `format('drop role if exists %I', current_database() || '.${schema}_${kind}')`;
  const roles = ['writer', 'reader'].map((kind) => `execute ${role(kind)};`);
  await sql(url, `drop schema if exists ${schema} cascade; do $$ begin ${roles.join(' ')} end $$`);
}

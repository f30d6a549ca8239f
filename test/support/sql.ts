/** Asks a database itself, beside the program. */
import pg from 'pg';

/** In the schema of an address. */
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

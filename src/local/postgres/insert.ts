/** Rows of a table written some thousand at a time, as JSON. */

import { FileError } from '../../errors.ts';
import type { Client } from '../../storage/database/database.ts';

export type Row = Record<string, unknown>;

const ROWS_AT_ONCE = 2_000;
/**
 * Characters of which a network may take a part and no more. A statement in one message is then given up by the database, and
 * its rows are free; one with parameters is several messages, and the database waits for the rest of them however long that
 * takes.
 */
const LONG = 1 << 14;

export interface Inserted {
  table: string;
  /** Those that the rows have, as the first has them unless this says it; what stands in the others, the database knows. */
  columns?: string;
  /** Under which the statement is planned once for a connection; nothing else is ever asked under it. */
  name?: string;
}

/** Returns how many there were. Throws FileError. */
export async function insertRows(
  client: Client,
  { table, name, columns: given }: Inserted,
  rows: Iterable<Row>,
): Promise<number> {
  let inserted = 0;
  for (const batch of batchesOf(rows)) {
    const json = storable(batch, table);
    const columns = given ?? Object.keys(batch[0] ?? {}).join(', ');
    const insert = (rows: string) => `insert into ${table} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${table}, ${rows})`;
    if (json.length < LONG)
      await client.query({ ...(name !== undefined && { name }), text: insert('$1'), values: [json] });
    else await client.query(insert(client.escapeLiteral(json)));
    inserted += batch.length;
  }
  return inserted;
}

/** Some thousand at a time. */
export function* batchesOf<R>(rows: Iterable<R>): Generator<R[]> {
  let batch: R[] = [];
  for (const row of rows) {
    if (batch.push(row) < ROWS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** A character that is none, or half a one, as JSON writes it: behind an even number of backslashes. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** Rows as JSON. Throws FileError where a text is none for the database: what a file of another kind may keep. */
export function storable(rows: readonly object[], table: string): string {
  const json = JSON.stringify(rows);
  // Most texts have no such character at all, and that is seen much faster.
  if (!json.includes('\\u') || !NO_TEXT.test(json)) return json;
  throw new FileError(`A text of ${table} holds a character that PostgreSQL cannot keep: U+0000, or half of a pair.`, {
    hint: 'Nothing was changed. Take it out.',
  });
}

/** The rows of a table, some at a time, and how they are added to that of another place. */
import type { Sql, Value } from '../../database/sql.ts';
import { SCHEMA } from '../schema.ts';

export type Row = Record<string, Value>;

/** Rows that are read together. */
const PAGE = 1_000;

export function columnsOf(table: string): string[] {
  return Object.keys(SCHEMA.tables[table]?.columns ?? {});
}

/** In the order of `by`, which no two rows share; `where` is about `$1`, `$2`, … */
export async function* pagesOf(
  sql: Sql,
  table: string,
  by: readonly string[],
  { where = 'true', values = [] }: { where?: string; values?: readonly Value[] } = {},
): AsyncGenerator<Row[], void> {
  let after: Value[] | undefined;
  for (;;) {
    const places = by.map((_column, at) => `$${values.length + at + 1}`);
    const from = after === undefined ? '' : ` and (${by}) > (${places})`;
    const text = `select * from ${table} where ${where}${from} order by ${by} limit ${PAGE}`;
    const page = await sql.all<Row>(text, [...values, ...(after ?? [])]);
    yield page;
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
    after = by.map((column) => last[column] as Value);
  }
}

/** `after` is what follows the values. */
export async function add(sql: Sql, table: string, rows: readonly Row[], after?: string): Promise<void> {
  const columns = columnsOf(table);
  const values = rows.map((row) => columns.map((column) => row[column] ?? null));
  if (values.length > 0) await sql.insert(table, columns, values, after);
}

/** The greatest number in a column; 0 if there is no row. */
export async function lastOf(sql: Sql, table: string, column: string): Promise<number> {
  const [row] = await sql.all<{ last: number }>(`select coalesce(max(${column}), 0) as last from ${table}`);
  return row?.last ?? 0;
}

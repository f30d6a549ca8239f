/** Rows of the tables by the names of their columns: read some at a time, and added, here or in another place. */
import type { Sql, Value } from '../storage/database/sql.ts';
import { SCHEMA } from './schema.ts';

export type Row = Record<string, Value>;

/** Rows that are read together. */
const PAGE = 5_000;

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

type Table = keyof typeof SCHEMA.tables;

/** A row of which every column is empty. */
export function emptyRow(table: Table): Row {
  return Object.fromEntries(columnsOf(table).map((column) => [column, null]));
}

function columnsOf(table: Table): string[] {
  return Object.keys(SCHEMA.tables[table]?.columns ?? {});
}

/** A column that a row does not name is empty. `after` is what follows the values. */
export async function addRows(sql: Sql, table: Table, rows: Iterable<Row>, after?: string): Promise<void> {
  const columns = columnsOf(table);
  await sql.insert(table, columns, valuesOf(rows, columns), after);
}

/** Of millions, each is made when it is written. */
function* valuesOf(rows: Iterable<Row>, columns: readonly string[]): Generator<Value[], void> {
  for (const row of rows) yield columns.map((column) => row[column] ?? null);
}

/** The greatest number in a column; 0 if there is no row. */
export async function lastOf(sql: Sql, table: string, column: string): Promise<number> {
  const [row] = await sql.all<{ last: number }>(`select coalesce(max(${column}), 0) as last from ${table}`);
  return row?.last ?? 0;
}

/** Numbers that are asked for at once. */
const TOGETHER = 10_000;

/** What is kept of phones, some at a time, for which `numbers($1)` stands in the question; `values` follow from `$2` on. */
export async function* askAbout<Found>(
  sql: Sql,
  phones: Float64Array | readonly number[],
  text: string,
  ...values: readonly Value[]
): AsyncGenerator<Found[], void> {
  for (let from = 0; from < phones.length; from += TOGETHER) {
    const some = JSON.stringify([...phones.slice(from, from + TOGETHER)]);
    yield await sql.all<Found>(text, [some, ...values]);
  }
}

/** The statement that changes columns of the rows `of`, and its values; `and` is one more condition. */
export function changing(table: Table, of: Row, columns: Row, and = 'true'): [text: string, values: Value[]] {
  const [keys, changed] = [Object.keys(of), Object.keys(columns)];
  const wheres = keys.map((column, at) => `${column} = $${at + 1}`);
  const sets = changed.map((column, at) => `${column} = $${keys.length + at + 1}`);
  const text = `update ${table} set ${sets.join(', ')} where ${wheres.join(' and ')} and ${and}`;
  return [text, [...Object.values(of), ...Object.values(columns)]];
}

/** Results as a table for a person: who it is, and what came of it. */
import { type ContactResult, rowOf } from '../../../calls/contact-results.ts';
import type { Context } from '../../../context.ts';
import { showTable } from '../../../terminal/output.ts';
import { screenColumns } from './screen-columns.ts';
import { fieldsOfResults, type ResultsLayout } from './writer.ts';

type Field = keyof ContactResult;

export interface ResultsTable extends Pick<ResultsLayout, 'columns' | 'added'> {
  /** The results to show, in the order of the file. */
  results(): AsyncIterable<ContactResult>;
  /** One of all results: it tells which columns of the file hold the number. */
  first: Parameters<typeof screenColumns>[1];
  /** The fields that say what came of it, in the order of the table, and the most important first. */
  shown: readonly Field[];
  mostImportant: readonly Field[];
  /** What is said if there are none. */
  empty: string;
}

export async function showResultsTable(table: ResultsTable, { io, flags, serviceClock }: Context): Promise<void> {
  const { results, columns, first, empty } = table;
  const named = (field: Field) => table.added.get(field) as string;
  const own = screenColumns(columns, first);
  const screen = ['phone_number', ...own, ...table.shown.map(named)];
  const fields = flags.fields ?? screen;
  // A table is gone through several times: of a long list only what is shown fits into memory.
  const rows: Record<string, unknown>[] = [];
  for await (const result of results()) {
    const row = rowOf(result, columns, table.added);
    rows.push(Object.fromEntries(fields.map((field) => [field, row[field]])));
  }
  const last = table.shown.filter((field) => !table.mostImportant.includes(field));
  await showTable(io, flags, rows, fields, {
    columns: fieldsOfResults(table),
    importance: ['phone_number', ...table.mostImportant.map(named), ...own, ...last.map(named)],
    now: await serviceClock.now(),
    empty,
  });
}

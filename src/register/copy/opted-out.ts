/** Whoever opted out in one of two places has done so in both. */
import type { Sql } from '../../database/sql.ts';
import { add, pagesOf } from './pages.ts';

export async function copyOptedOut(from: Sql, to: Sql): Promise<void> {
  for await (const page of pagesOf(from, 'opted_out', ['service_key', 'phone']))
    await add(to, 'opted_out', page, 'on conflict do nothing');
}

/** The register of a state folder, or of a database that machines share, as somebody beside the program sees and changes it. */

import { bringPlans } from '../../src/plans/before/bring-plans.ts';
import { openRows } from '../../src/register/open-rows.ts';
import { Register } from '../../src/register/register.ts';
import type { Rows } from '../../src/storage/database/sql.ts';

/** A request, with the columns that hold JSON read. */
export interface RequestRow extends Record<string, unknown> {
  entry: number;
  operation: string;
  outcome: string | null;
  request: Record<string, unknown>;
  reply: Record<string, unknown> | null;
}

export async function rowsAt(place: string): Promise<Rows> {
  return await openRows({ place, command: 'test', by: () => 'test@here', bringPlans });
}

export async function registerAt(place: string, systemNow = Date.now): Promise<Register> {
  return new Register({ rows: await rowsAt(place), systemNow });
}

/** In the order of their entries. */
export async function requestsAt(place: string): Promise<RequestRow[]> {
  const rows = await rowsAt(place);
  const found = await rows.read((sql) => sql.all<Record<string, unknown>>('select * from requests order by entry'));
  return found.map((row) => ({
    ...(row as RequestRow),
    request: JSON.parse(String(row.request)),
    reply: row.reply === null ? null : JSON.parse(String(row.reply)),
  }));
}

/** `1 accepted`; of one that is under way, or whose program was killed, `1 open`. */
export function outcomesOf(requests: readonly RequestRow[]): string[] {
  return requests.map(({ entry, outcome }) => `${entry} ${outcome ?? 'open'}`);
}

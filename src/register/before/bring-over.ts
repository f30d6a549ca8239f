/** Brings the register and the plans of an earlier vagent into rows, in the transaction that makes the tables. Throws FileErrors. */
import type { Sql } from '../../database/sql.ts';
import type { OldFiles } from './old-files.ts';
import { bringOptedOut } from './opted-out.ts';
import { bringPlans } from './plans.ts';
import { bringRedials } from './redials.ts';
import { bringRequests } from './requests.ts';

export async function bringOver(old: OldFiles, sql: Sql): Promise<void> {
  await bringOptedOut(old, sql);
  await bringRequests(old, sql);
  await bringRedials(old, sql);
  await bringPlans(old, sql);
}

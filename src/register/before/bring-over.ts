/**
 * Brings the register and the plans of an earlier vagent into rows, in the transaction that makes the tables. Its lists of people to call again
 * lasted a day, and are left out: then the guards are as strict as without them. Throws FileErrors.
 */
import type { Sql } from '../../database/sql.ts';
import type { OldFiles } from './old-files.ts';
import { bringOptedOut } from './opted-out.ts';
import { bringPlans } from './plans.ts';
import { bringRequests } from './requests.ts';

export async function bringOver(old: OldFiles, sql: Sql): Promise<void> {
  await bringOptedOut(old, sql);
  await bringRequests(old, sql);
  await bringPlans(old, sql);
}

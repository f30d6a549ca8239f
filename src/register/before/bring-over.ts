/**
 * Brings the register and the plans of an earlier vagent into rows, in the transaction that makes the tables. Its lists
 * of people to call again lasted a day, and are left out: then the guards are as strict as without them. Throws
 * FileErrors.
 */
import type { Sql } from '../../storage/database/sql.ts';
import type { OldFiles } from './old-files.ts';
import { bringOptedOut } from './opted-out.ts';
import { bringRequests } from './requests.ts';

/** What brings something of old files into rows. */
export type Bringing = (old: OldFiles, sql: Sql) => Promise<void>;

export async function bringOver(old: OldFiles, sql: Sql, bringPlans: Bringing): Promise<void> {
  await bringOptedOut(old, sql);
  await bringRequests(old, sql);
  await bringPlans(old, sql);
}

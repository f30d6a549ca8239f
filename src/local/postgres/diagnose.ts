/** What a database says of itself, for somebody who wants to know whether it will do: one look, which writes nothing. */

import type { Client } from '../../database/database.ts';
import type { DatabaseFacts } from '../store.ts';

interface Row {
  version: string;
  number: number;
  now: string;
  oldest: string;
  has_schema: boolean;
  may_create: boolean;
  is_read_only: boolean;
  forbidden: string[] | null;
}

/** `systemNow`: this machine's time in milliseconds since the epoch, asked around the answer. */
export async function diagnose(client: Client, schema: string, systemNow: () => number): Promise<DatabaseFacts> {
  const before = systemNow();
  const { rows } = await client.query<Row>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
            extract(epoch from clock_timestamp()) * 1000 as now,
            coalesce((select max(extract(epoch from clock_timestamp() - xact_start)) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'), 0)
              as oldest,
            to_regnamespace($1) is not null as has_schema,
            has_database_privilege(current_database(), 'CREATE') as may_create,
            current_setting('transaction_read_only') = 'on' as is_read_only,
            (select array_agg(relname::text order by relname) from pg_class
               where relnamespace = to_regnamespace($1) and relkind = 'r' and not (has_table_privilege(oid, 'SELECT')
                 and (relname = 'migrations' or has_table_privilege(oid, 'INSERT') and has_table_privilege(oid, 'UPDATE')
                   and has_table_privilege(oid, 'DELETE')))) as forbidden`,
    [schema],
  );
  const after = systemNow();
  const { version, number, now, oldest, has_schema, may_create, is_read_only, forbidden } = rows[0] as Row;
  const at = Number(now);
  return {
    version,
    isSupported: number >= OLDEST_VERSION,
    // Whatever the way there and back took is no difference of the clocks.
    clockAhead: at < before ? at - before : at > after ? at - after : 0,
    longestTransaction: Number(oldest),
    isReadOnly: is_read_only,
    mayWrite: has_schema ? forbidden === null : may_create,
    forbiddenTables: forbidden ?? [],
  };
}

/** PostgreSQL 13: whether a transaction was committed can be asked since then. */
const OLDEST_VERSION = 130_000;

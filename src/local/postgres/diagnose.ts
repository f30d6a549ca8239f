/** What a database says of itself, for somebody who wants to know whether it will do: one look, which writes nothing. */
import type { Client } from '../../storage/database/connection.ts';
import type { DatabaseFacts } from '../store.ts';

/** PostgreSQL 13: whether a transaction was committed can be asked since then. */
const OLDEST_VERSION = 130_000;

interface Asked extends Pick<DatabaseFacts, 'version' | 'isSupported' | 'longestTransaction' | 'isReadOnly'> {
  /** Its time in milliseconds since the epoch. */
  at: number;
  hasSchema: boolean;
  mayCreate: boolean;
  forbidden: string[] | null;
}

/** `systemNow`: this machine's time in milliseconds since the epoch, asked around the answer. */
export async function diagnose(client: Client, schema: string, systemNow: () => number): Promise<DatabaseFacts> {
  const before = systemNow();
  const { rows } = await client.query<Asked>(
    `select current_setting('server_version') as version,
            current_setting('server_version_num')::integer >= ${OLDEST_VERSION} as "isSupported",
            date_part('epoch', clock_timestamp()) * 1000 as at,
            coalesce((select max(date_part('epoch', clock_timestamp() - xact_start)) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'), 0)
              as "longestTransaction",
            to_regnamespace($1) is not null as "hasSchema",
            has_database_privilege(current_database(), 'CREATE') as "mayCreate",
            current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select array_agg(relname::text order by relname) from pg_class
               where relnamespace = to_regnamespace($1) and relkind = 'r' and not (has_table_privilege(oid, 'SELECT')
                 and (relname = 'migrations' or has_table_privilege(oid, 'INSERT') and has_table_privilege(oid, 'UPDATE')
                   and has_table_privilege(oid, 'DELETE')))) as forbidden`,
    [schema],
  );
  const after = systemNow();
  const { at, hasSchema, mayCreate, forbidden, ...facts } = rows[0] as Asked;
  return {
    ...facts,
    // Whatever the way there and back took is no difference of the clocks.
    clockAhead: at < before ? at - before : at > after ? at - after : 0,
    mayWrite: hasSchema ? forbidden === null : mayCreate,
    forbiddenTables: forbidden ?? [],
  };
}

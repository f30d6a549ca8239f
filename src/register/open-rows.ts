/** Opens what must not be forgotten: in a file of the state folder, or in a database that several machines share. */
import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { InputError } from '../errors.ts';
import { ROLES } from '../storage/database/roles.ts';
import { type Rows, type Sql, statementsOf } from '../storage/database/sql.ts';
import { quietly, systemFiles, withFileErrors } from '../storage/files/file-system.ts';
import { isDatabase } from '../storage/files/store-place.ts';
import type { Bringing } from './before/bring-over.ts';
import { bringSharedOver, LEFT_BEHIND, OLD_TABLES } from './before/shared-form.ts';
import { SCHEMA } from './schema.ts';

export interface Place {
  /** A folder, or the address of a database. */
  place: string;
  /** Whether somebody has named it: then it must be there, for one that is misspelt knows of nobody who was called. */
  isNamed?: boolean;
  /** What this process is doing, shown to others who wait. */
  command: string;
  /** The person at work: `user@host`. */
  by?: () => string;
  /** Brings over the plans that an earlier vagent kept there. */
  bringPlans: Bringing;
}

/** The file in the state folder. */
export const FILE = 'vagent.db';
const VERSION = 2;
const NAME = 'register';

/**
 * Throws InputError if it is no address of a database. Only the driver that is needed is loaded. What an earlier vagent
 * kept is brought over.
 */
export async function openRows(where: Place): Promise<Rows> {
  if (isDatabase(where.place)) return await openShared(where);
  const folder = resolve(where.place);
  const look = () => systemFiles.statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (where.isNamed && !withFileErrors('read', folder, look))
    throw new InputError(`There is no folder ${folder}, where the register should be. Nothing was sent.`, {
      code: 'no_register',
      hint: 'Look at its name. If it is to be a new one, which knows of nobody who was called: mkdir makes it.',
    });
  const { command, bringPlans } = where;
  const [{ SqliteRows }, { openLeaving }] = await Promise.all([
    import('../storage/database/sqlite-rows.ts'),
    import('./before/leave-folder.ts'),
  ]);
  const database = join(folder, FILE);
  const open = (begin?: (sql: Sql) => Promise<void>) =>
    new SqliteRows({ path: database, schema: SCHEMA, version: VERSION, name: NAME, begin });
  return await openLeaving({ folder, database, command, open, bringPlans });
}

/** Of another user than the first: what that one has granted for later tables holds for its own. */
const OF_SAME_OWNER = `
do $$
declare owner text := (select tableowner from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'requests');
begin
  if owner <> current_user then execute format('alter table once_keys owner to %I', owner); end if;
exception when insufficient_privilege then null;
end $$;
`;

async function openShared({ place: url, by = operator, bringPlans }: Place): Promise<Rows> {
  const { PostgresRows } = await import('../storage/database/postgres-rows.ts');
  const kept = {
    name: NAME,
    schema: 'vagent_register',
    versions: 'register_migrations',
    look: 'look at the register',
    migrations: [
      ...[OLD_TABLES, ROLES, `${LEFT_BEHIND}${statementsOf(SCHEMA, 'postgres').join(';\n')}`],
      `${statementsOf(SCHEMA, 'postgres', 2).join(';\n')};\n${OF_SAME_OWNER}${ROLES}`,
    ],
    // Keys of calls came after it: whoever may not make their table calls without.
    enough: 3,
  };
  return new PostgresRows({ url, kept, schema: SCHEMA, by: by(), begin: (sql) => bringSharedOver(sql, bringPlans) });
}

/** The person at work: `user@host`. */
export function operator(): string {
  // In a container, a user may have no account entry.
  return quietly(() => `${userInfo().username}@${hostname()}`) ?? hostname();
}

/** Opens what must not be forgotten: in a file of the state folder, or in a database that several machines share. */
import { join, resolve } from 'node:path';
import { ROLES } from '../database/roles.ts';
import { type Rows, type Sql, statementsOf } from '../database/sql.ts';
import { InputError } from '../errors.ts';
import { withFileErrors } from '../files/file-error.ts';
import { systemFiles } from '../files/file-system.ts';
import { isDatabase } from '../files/store-place.ts';
import { movedAndGone, standingOf } from './before/seal.ts';
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
  by: () => string;
}

/** The file in the state folder. */
export const FILE = 'vagent.db';
const VERSION = 1;
const NAME = 'register';

/** Throws InputError if it is no address of a database. Only the driver that is needed is loaded. What an earlier vagent kept is brought over. */
export async function openRows({ place, isNamed = false, command, by }: Place): Promise<Rows> {
  if (isDatabase(place)) return await openShared(place, by());
  const folder = resolve(place);
  if (isNamed) requireThere(folder);
  return await openOwn(folder, command);
}

function requireThere(folder: string): void {
  const stat = withFileErrors('read', folder, () => systemFiles.statSync(folder, { throwIfNoEntry: false }));
  if (stat?.isDirectory()) return;
  throw new InputError(`There is no folder ${folder}, where the register should be. Nothing was sent.`, {
    code: 'no_register',
    hint: 'Look at its name. If it is to be a new one, which knows of nobody who was called: mkdir makes it.',
  });
}

async function openOwn(folder: string, command: string): Promise<Rows> {
  const { SqliteRows } = await import('../database/sqlite-rows.ts');
  const path = join(folder, FILE);
  const open = (begin: (sql: Sql) => Promise<void> = async () => {}) =>
    new SqliteRows({ path, schema: SCHEMA, version: VERSION, name: NAME, begin });
  const standing = withFileErrors('read', folder, () => standingOf(systemFiles, folder));
  if (standing === 'none') return open();
  if (standing === 'sealed') {
    if (systemFiles.lstatSync(path, { throwIfNoEntry: false }) === undefined) throw movedAndGone(folder);
    return open(async () => {
      throw movedAndGone(folder);
    });
  }
  const { openLeaving } = await import('./before/leave-folder.ts');
  return await openLeaving({ folder, command, open });
}

async function openShared(url: string, by: string): Promise<Rows> {
  const { PostgresRows } = await import('../database/postgres-rows.ts');
  const kept = {
    name: NAME,
    schema: 'vagent_register',
    versions: 'register_migrations',
    look: 'look at the register',
    migrations: [OLD_TABLES, ROLES, `${LEFT_BEHIND}${statementsOf(SCHEMA, 'postgres').join(';\n')}`],
  };
  return new PostgresRows({ url, kept, schema: SCHEMA, by, begin: bringSharedOver });
}

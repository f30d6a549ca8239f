/** What a transaction notes of itself, so that it is found out what came of it where the answer to its commit is lost. */
import type pg from 'pg';

/** Stands in the migrations of everything that is kept in a database. */
export const LAST_COMMITS = `
create table if not exists last_commits (
  -- Of a program, which has a few of them and uses each for one commit at a time.
  key uuid primary key,
  -- Of its last commit.
  number bigint not null,
  at timestamptz not null
);
`;

/** Any number, the same for all: who holds one lock of a schema waits for nobody who holds another. */
export const LOCKS = 7_461_201;

/** A commit of this program. A key is used for one at a time, so that a row for each key is enough. */
export interface Commit {
  key: string;
  number: number;
}

/** A name as the key of a lock, as a statement has it that takes no parameters. */
export function keyOf(name: string): string {
  return `hashtextextended('${name.replaceAll("'", "''")}', ${LOCKS})`;
}

/**
 * What notes a commit in the transaction that is about to end with it, if that has changed anything. `isFirst`: keys of programs
 * that have ended a day ago are removed, for nobody asks for them any more.
 */
export function noted({ key, number }: Commit, isFirst: boolean): string {
  const note = `insert into last_commits select '${key}', ${number}, now() where pg_current_xact_id_if_assigned() is not null
       on conflict (key) do update set number = excluded.number, at = excluded.at`;
  const forget = `delete from last_commits where key in
       (select key from last_commits where at < now() - interval '1 day' for update skip locked)`;
  return isFirst ? `${note}; ${forget}` : note;
}

/** Whether the transaction is not under way any more: it holds the lock of its key until then. */
export async function hasEnded(client: pg.ClientBase, { key }: Commit): Promise<boolean> {
  const { rows } = await client.query<{ is_free: boolean }>(
    `select pg_try_advisory_lock(lock) and pg_advisory_unlock(lock) as is_free from ${keyOf(key)} as lock`,
  );
  return rows[0]?.is_free === true;
}

/** Whether it was committed; what is under way is not. */
export async function isNoted(client: pg.ClientBase, { key, number }: Commit): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from last_commits where key = $1 and number = $2', [key, number]);
  return rowCount === 1;
}

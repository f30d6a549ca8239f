/** What a transaction notes of itself, so that it is found out what came of it where the answer to its commit is lost. */
import type { Client } from './database.ts';

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

/** There is no transaction of such a high number yet: a crash has taken it. */
const IN_THE_FUTURE = '22023';

/** A commit of this program. A key is used for one at a time, so that a row for each key is enough. */
export interface Commit {
  key: string;
  number: number;
}

/** Notes a commit in the transaction that is about to end with it. Its id; undefined if it has changed nothing. */
export async function note(client: Client, { key, number }: Commit): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>({
    name: 'note',
    text: `insert into last_commits select $1, $2, now() where pg_current_xact_id_if_assigned() is not null
       on conflict (key) do update set number = excluded.number, at = excluded.at
       returning pg_current_xact_id()::text as id`,
    values: [key, number],
  });
  return rows[0]?.id;
}

/** Whether the transaction of this id is not under way any more, if there ever was one. */
export async function hasEnded(client: Client, id: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ status: string | null }>('select pg_xact_status($1::xid8) as status', [id]);
    return rows[0]?.status !== 'in progress';
  } catch (error) {
    if ((error as { code?: unknown }).code === IN_THE_FUTURE) return true;
    throw error;
  }
}

/** Whether it was committed; what is under way is not. */
export async function isNoted(client: Client, { key, number }: Commit): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from last_commits where key = $1 and number = $2', [key, number]);
  return rowCount === 1;
}

/** Keys of programs that have ended a day ago: nobody asks for them any more. */
export async function forgetOld(client: Client): Promise<void> {
  await client.query(
    `delete from last_commits where key in
       (select key from last_commits where at < now() - interval '1 day' for update skip locked)`,
  );
}

/**
 * What machines that share a register kept in PostgreSQL before: their files, by paths. Those tables get other names,
 * so that an earlier vagent writes to them no more.
 */
import { LAST_COMMITS } from '../../storage/database/last-commits.ts';
import type { Sql } from '../../storage/database/sql.ts';
import type { Bringing } from './bring-over.ts';
import type { OldFiles } from './old-files.ts';

/** The first migration, as it was carried out in every database of that time. */
export const OLD_TABLES = `${LAST_COMMITS}
create table register_scopes (
  scope text primary key,
  version bigint not null,
  mark uuid not null
);

-- Who changed what, and when.
create table register_commits (
  scope text not null,
  version bigint not null,
  mark uuid not null,
  at timestamptz not null default clock_timestamp(),
  -- user@host. Not what the command was: it may name people.
  by text not null,
  primary key (scope, version)
);

create table register_files (
  path text primary key,
  scope text not null,
  -- Of the scope, when it was changed last.
  version bigint not null,
  -- Another one whenever its lines were replaced, not only added to.
  generation bigint not null,
  is_removed boolean not null
);
create index on register_files (scope, version);

-- Of files that grow line by line: register.jsonl is what was sent, plans/<id>/journal.jsonl what came of a plan.
create table register_lines (
  path text not null,
  position bigint not null,
  line text not null,
  primary key (path, position)
);

-- Of other files, a mebibyte each.
create table register_pieces (
  path text not null,
  position bigint not null,
  bytes bytea not null,
  primary key (path, position)
);
`;

const NAMES = ['scopes', 'commits', 'files', 'lines', 'pieces'];

/** Whoever waits for one of them with an earlier vagent finds it gone. */
export const LEFT_BEHIND = `lock table ${NAMES.map((name) => `register_${name}`).join(', ')} in access exclusive mode;
do $$ begin
  if exists (select 1 from register_files) then
    ${NAMES.map((name) => `alter table register_${name} rename to before_${name};`).join('\n    ')}
  else
    drop table ${NAMES.map((name) => `register_${name}`).join(', ')};
  end if;
end $$;
`;

/** In the transaction that has made the tables. */
export async function bringSharedOver(sql: Sql, bringPlans: Bringing): Promise<void> {
  if (!(await hasOldTables(sql))) return;
  const anything = 'select 1 from requests union all select 1 from plans union all select 1 from opted_out limit 1';
  // Tables may be brought up to date again before these are removed.
  if ((await sql.all(anything)).length > 0) return;
  const { bringOver } = await import('./bring-over.ts');
  await bringOver(await oldTables(sql), sql, bringPlans);
}

async function hasOldTables(sql: Sql): Promise<boolean> {
  const asked = `select 1 from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'before_files'`;
  return (await sql.all(asked)).length > 0;
}

/** Once everything is in rows. */
export async function removeOldTables(sql: Sql): Promise<void> {
  if (await hasOldTables(sql)) await sql.run(`drop table ${NAMES.map((name) => `before_${name}`).join(', ')}`);
}

// Their content -------------------------------------------------------------------------------------------------------

/** Whatever a colleague has written into the tables: these are all the files that were ever shared. */
const SHARED = [
  'register\\.jsonl',
  'plans/opted-out\\.(jsonl|count\\.json)',
  '(campaigns/N(\\.rows)?|plans/N/(journal|contacts|rows))\\.jsonl',
  'redials/N\\.json',
  'plans/N/(plan|log|told|stop)\\.json',
  'plans/N/(contacts\\.bin|forgotten)',
];
const TAKEN = new RegExp(`^(${SHARED.join('|').replaceAll('N', '[1-9]\\d{0,14}')})$`);
/** Those that are kept line by line; of the others a mebibyte is a row. */
const IN_LINES = /^(register|plans\/opted-out|plans\/\d+\/journal)\.jsonl$/;
const IN_A_ROW = 'select bytes from before_pieces where path = $1 and position = $2';
const LINES_OF = `select string_agg(line || chr(10), '' order by position) as lines from before_lines
  where path = $1 and position >= $2 and position < $2 + 1000`;

/** Old files in tables of PostgreSQL. Nobody else writes to them any more: they have got other names. */
export async function oldTables(sql: Sql): Promise<OldFiles> {
  const folders = new Map<string, Set<string>>();
  for (const { path } of await sql.all<{ path: string }>('select path from before_files where not is_removed')) {
    if (!TAKEN.test(path)) continue;
    const parts = path.split('/');
    for (const [at, part] of parts.entries()) {
      const folder = parts.slice(0, at).join('/');
      folders.set(folder, (folders.get(folder) ?? new Set()).add(part));
    }
  }
  return {
    nameOf: (path) => `${path} of the shared register`,
    names: async (folder) => folders.get(folder) ?? new Set(),
    async *pieces(path) {
      const isInLines = IN_LINES.test(path);
      for (let position = 0; ; position += isInLines ? 1000 : 1) {
        const [row] = await sql.all<{ bytes?: Uint8Array; lines?: string }>(isInLines ? LINES_OF : IN_A_ROW, [
          path,
          position,
        ]);
        const piece = row?.bytes ?? row?.lines;
        if (piece == null) return;
        yield typeof piece === 'string' ? Buffer.from(piece) : piece;
      }
    },
  };
}

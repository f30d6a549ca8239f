/**
 * The tables of a register that several machines share. A commit of a scope is one transaction: it has the next version, and a mark
 * that no other commit has, by which a machine knows that its copy follows from this history, and not from that of a backup.
 */
import type { Client, Kept } from '../database/database.ts';
import { LAST_COMMITS } from '../database/last-commits.ts';
import { ROLES } from '../database/roles.ts';

export const SHARED: Kept = {
  name: 'register',
  schema: 'vagent_register',
  versions: 'register_migrations',
  look: 'look at the register',
  migrations: [
    `${LAST_COMMITS}
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
`,
    ROLES,
  ],
};

/** Of a scope: how often it was changed, and the mark of the last change. */
export interface Version {
  version: number;
  mark: string;
}

export interface SharedFile {
  path: string;
  generation: number;
  isRemoved: boolean;
}

/** A file's lines, or pieces, that are fetched or sent at once. */
export const LINES_AT_ONCE = 1_000;
export const PIECE_BYTES = 1 << 20;

export async function readVersions(client: Client): Promise<Map<string, Version>> {
  const { rows } = await client.query<{ scope: string; version: string; mark: string }>(
    'select scope, version, mark from register_scopes',
  );
  return new Map(rows.map(({ scope, version, mark }) => [scope, { version: Number(version), mark }]));
}

export async function readVersion(client: Client, scope: string, isLocking = false): Promise<Version | undefined> {
  const { rows } = await client.query<{ version: string; mark: string }>(
    `select version, mark from register_scopes where scope = $1${isLocking ? ' for update' : ''}`,
    [scope],
  );
  return rows[0] && { version: Number(rows[0].version), mark: rows[0].mark };
}

/** Whether a version with this mark is part of the history. */
export async function hasVersion(client: Client, scope: string, { version, mark }: Version): Promise<boolean> {
  const { rowCount } = await client.query(
    'select 1 from register_commits where scope = $1 and version = $2 and mark = $3',
    [scope, version, mark],
  );
  return rowCount === 1;
}

/** The files of a scope that were changed after a version, those that were removed first. */
export async function filesSince(client: Client, scope: string, version: number): Promise<SharedFile[]> {
  const { rows } = await client.query<{ path: string; generation: string; is_removed: boolean }>(
    `select path, generation, is_removed from register_files where scope = $1 and version > $2
       order by is_removed desc, path`,
    [scope, version],
  );
  return rows.map(({ path, generation, is_removed }) => {
    return { path, generation: Number(generation), isRemoved: is_removed };
  });
}

export async function* readSharedLines(client: Client, path: string, from: number): AsyncGenerator<string, void> {
  for (let next = from; ; next += LINES_AT_ONCE) {
    const { rows } = await client.query<{ line: string }>(
      'select line from register_lines where path = $1 and position >= $2 and position < $3 order by position',
      [path, next, next + LINES_AT_ONCE],
    );
    for (const { line } of rows) yield line;
    if (rows.length < LINES_AT_ONCE) return;
  }
}

export async function* readSharedPieces(client: Client, path: string): AsyncGenerator<Buffer, void> {
  for (let position = 0; ; position++) {
    const { rows } = await client.query<{ bytes: Buffer }>(
      'select bytes from register_pieces where path = $1 and position = $2',
      [path, position],
    );
    const [piece] = rows;
    if (piece === undefined) return;
    yield piece.bytes;
  }
}

export async function writeVersion(
  client: Client,
  scope: string,
  { version, mark }: Version,
  by: string,
): Promise<void> {
  await client.query(
    `insert into register_scopes values ($1, $2, $3)
       on conflict (scope) do update set version = excluded.version, mark = excluded.mark`,
    [scope, version, mark],
  );
  await client.query('insert into register_commits (scope, version, mark, by) values ($1, $2, $3, $4)', [
    ...[scope, version, mark, by],
  ]);
}

export async function writeFileRow(
  client: Client,
  { path, generation, isRemoved }: SharedFile,
  scope: string,
  version: number,
): Promise<void> {
  await client.query(
    `insert into register_files values ($1, $2, $3, $4, $5)
       on conflict (path) do update set version = excluded.version, generation = excluded.generation,
         is_removed = excluded.is_removed`,
    [path, scope, version, generation, isRemoved],
  );
}

export async function writeLines(client: Client, path: string, from: number, lines: readonly string[]): Promise<void> {
  await client.query(
    `insert into register_lines select $1, $2::bigint + at - 1, line from unnest($3::text[]) with ordinality as new (line, at)`,
    [path, from, lines],
  );
}

export async function writePiece(client: Client, path: string, position: number, bytes: Buffer): Promise<void> {
  await client.query('insert into register_pieces values ($1, $2, $3)', [path, position, bytes]);
}

/** Removes what a file holds, of one that is replaced or removed. */
export async function emptyFile(client: Client, path: string): Promise<void> {
  await client.query('delete from register_lines where path = $1', [path]);
  await client.query('delete from register_pieces where path = $1', [path]);
}

export async function hasFile(client: Client, path: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from register_files where not is_removed and path = $1', [path]);
  return rowCount === 1;
}

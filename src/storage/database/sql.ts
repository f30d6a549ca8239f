/**
 * A database of rows, in SQL that SQLite and PostgreSQL both understand. Parameters are $1, $2, …; `numbers($1)` in a statement
 * stands for the numbers of a list that is given as JSON, one a row, in the column `value`. Throws FileErrors.
 */
import { FileError } from '../../errors.ts';

/** A value of a column. Whole numbers are at most 2^53. */
export type Value = string | number | null;

/** What can be asked inside a transaction. */
export interface Sql {
  all<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
  /** How many rows were changed. */
  run(text: string, values?: readonly Value[]): Promise<number>;
  /** Adds rows, of which there may be millions; `after` is what follows the values, such as `on conflict … do nothing`. */
  insert(table: string, columns: readonly string[], rows: Iterable<readonly Value[]>, after?: string): Promise<void>;
}

export interface HoldOptions {
  /** Milliseconds to wait for another holder. */
  timeoutMs: number;
  /** What this process is doing, shown to others who wait. */
  command: string;
  /** What is locked, for messages. */
  what: string;
}

export interface Rows {
  /** Where it is, in words that name nobody's user or password. */
  readonly location: string;
  /** Whether several machines share it. */
  readonly isShared: boolean;
  /** `body` with one state of everything. Where nothing was ever written there are no rows. */
  read<T>(body: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * `body` inside a transaction, durable when this resolves; nobody else writes meanwhile what is locked under `lock`, or
   * anything where there is one writer only. It must wait for nothing but the database. When it throws, nothing was changed.
   */
  write<T>(body: (sql: Sql) => Promise<T>, lock?: string): Promise<T>;
  /** One statement that may be carried out twice without harm; durable when this resolves. How many rows were changed. */
  put(text: string, values?: readonly Value[]): Promise<number>;
  /** `body` while no other process, on any machine, holds the lock of this name. It ends with its process. */
  holding<T>(name: string, options: HoldOptions, body: () => Promise<T>): Promise<T>;
  /** Leaves nothing on the disk of what was deleted, where that is in our hands. */
  purge(): Promise<void>;
  /** Throws FileError where what is kept is damaged, or can only be read, as far as that is in our hands. */
  requireUsable(): Promise<void>;
}

/** The error of rows that a newer vagent has made. `where`: `in a file`. */
export function tooNew(name: string, where: string, version: number, known: number): FileError {
  return new FileError(`The ${name} ${where} has version ${version}, newer than this vagent knows (${known}).`, {
    code: 'store_too_new',
    reason: { kind: 'store_too_new', what: name },
  });
}

/** Of a database in which nothing was ever written. */
export const NO_ROWS: Sql = {
  all: async () => [],
  run: async () => 0,
  insert: async () => {},
};

/** A column: its type, which both engines know, and what it holds. */
export type Column = readonly [type: string, about: string];

export interface Table {
  about: string;
  /** The version of the schema that has added it, where that is not the first. */
  since?: number;
  columns: Readonly<Record<string, Column>>;
  /** Primary key and references. */
  keys: readonly string[];
  /** Of indexes: what follows `create index on table`. */
  indexes?: readonly string[];
}

export type Dialect = 'sqlite' | 'postgres';

/** What is kept in a database, as data: the statements that make it and the page of the help follow from it. */
export interface Schema {
  tables: Readonly<Record<string, Table>>;
  views: Readonly<Record<string, { about: string; select: (dialect: Dialect) => string }>>;
}

/** The statements that make the tables and views which a version has added. */
export function statementsOf({ tables, views }: Schema, dialect: Dialect, version = 1): string[] {
  const text = (about: string) => `'${about.replaceAll("'", "''")}'`;
  const isPostgres = dialect === 'postgres';
  // Only PostgreSQL keeps what is said of them.
  const comment = (what: string, about: string) => (isPostgres ? [`comment on ${what} is ${text(about)}`] : []);
  const added = Object.entries(tables).filter(([, { since = 1 }]) => since === version);
  const made = added.flatMap(([name, { about, columns, keys, indexes = [] }]) => {
    const typed = Object.entries(columns).map(
      ([column, [type]]) => `${column} ${isPostgres ? type : sqliteType(type)}`,
    );
    return [
      `create table ${name} (\n  ${[...typed, ...keys].join(',\n  ')}\n)${isPostgres ? '' : ' strict'}`,
      ...indexes.map((index, at) => `create index ${name}_${at + 1} on ${name} ${index}`),
      ...comment(`table ${name}`, about),
      ...Object.entries(columns).flatMap(([column, [, said]]) => comment(`column ${name}.${column}`, said)),
    ];
  });
  const shown = Object.entries(version === 1 ? views : {}).flatMap(([name, { about, select }]) => [
    `create view ${name} as ${select(dialect)}`,
    ...comment(`view ${name}`, about),
  ]);
  return [...made, ...shown];
}

/** A strict table of SQLite knows few names, and keeps nothing but what they say. */
function sqliteType(type: string): string {
  return type.replace('bigint', 'integer').replace('double precision', 'real');
}

/** The type of a column without `not null`, as PostgreSQL calls it. */
export function postgresType({ tables }: Schema, table: string, column: string): string {
  return (tables[table]?.columns[column]?.[0] ?? 'text').replace(/ not null$/, '');
}

/** Milliseconds since the epoch as a time that people and programs read. */
export function timeIn(dialect: Dialect, milliseconds: string): string {
  return dialect === 'postgres'
    ? `to_timestamp(${milliseconds} / 1000.0)`
    : `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`;
}

/** Rows in PostgreSQL, for several machines: each asks and writes there directly. */
import type { Client } from './connection.ts';
import { Database, type Kept } from './database.ts';
import { type HoldOptions, NO_ROWS, postgresType, type Rows, type Schema, type Sql, type Value } from './sql.ts';

export interface PostgresOptions {
  /** postgres://user@host:port/database?schema=name, without a password. */
  url: string;
  kept: Kept;
  schema: Schema;
  /** What the first who writes brings in, when the tables have just been made. */
  begin?: (sql: Sql) => Promise<void>;
  /** The person at work: `user@host`. */
  by: string;
}

const LIST = '(select jsonb_array_elements_text($1::jsonb)::bigint as value)';
/** Rows that are sent together, and about how many characters. */
const TOGETHER = 5_000;
const CHARACTERS = 1 << 20;

export class PostgresRows implements Rows {
  readonly location: string;
  readonly isShared = true;
  readonly #database: Database;
  readonly #options: PostgresOptions;

  /** Throws InputError. */
  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#database = new Database(options.url, options.kept);
    this.location = this.#database.location;
  }

  async read<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    // What an earlier vagent kept in other tables must not seem to be nothing.
    const bringUp = () => this.write(async () => {});
    const done = await this.#database.read(async (client) => ({ result: await body(this.#sql(client)) }), bringUp);
    return done === undefined ? await body(NO_ROWS) : done.result;
  }

  async write<T>(body: (sql: Sql) => Promise<T>, lock?: string): Promise<T> {
    return await this.#database.change(async (client, hasMigrated) => {
      const sql = this.#sql(client);
      if (hasMigrated) await this.#options.begin?.(sql);
      return await body(sql);
    }, lock);
  }

  async put(text: string, values: readonly Value[] = []): Promise<number> {
    return await this.#database.put((client) => this.#sql(client).run(text, values));
  }

  async holding<T>(name: string, options: HoldOptions, body: () => Promise<T>): Promise<T> {
    const command = `process ${process.pid} of ${this.#options.by}`;
    return await this.#database.holding(name, { ...options, command }, body);
  }

  /** What its administrator's vacuum and backups keep is theirs, and so is what its disk does. */
  async purge(): Promise<void> {}

  async requireUsable(): Promise<void> {
    await this.#database.requireWritable();
  }

  #sql(client: Client): Sql {
    const { schema } = this.#options;
    const ask = (text: string, values: readonly unknown[]) =>
      client.query({ text: text.replaceAll('numbers($1)', LIST), values: [...values] });
    return {
      all: async <Row>(text: string, values: readonly Value[] = []) => (await ask(text, values)).rows as Row[],
      run: async (text, values = []) => (await ask(text, values)).rowCount ?? 0,
      async insert(table, columns, rows, after = '') {
        const lists = columns.map((column, at) => `$${at + 1}::${postgresType(schema, table, column)}[]`);
        const text = `insert into ${table} (${columns}) select * from unnest(${lists}) ${after}`;
        for (const batch of batchesOf(rows)) {
          const cells = columns.map((_column, at) => batch.map((row) => row[at] ?? null));
          await ask(text, cells);
        }
      },
    };
  }
}

/** Rows that are sent together. */
function* batchesOf(rows: Iterable<readonly Value[]>): Generator<(readonly Value[])[], void> {
  let [batch, size]: [(readonly Value[])[], number] = [[], 0];
  for (const row of rows) {
    batch.push(row);
    for (const value of row) size += typeof value === 'string' ? value.length : 8;
    if (batch.length < TOGETHER && size < CHARACTERS) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Rows in a file of SQLite, for one machine. Readers wait for nobody; of those who write, one waits for the other. What was
 * committed outlasts a power cut. The file is made by the first who writes.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSyncInstance as Engine, StatementSyncInstance as Statement } from '@photostructure/sqlite';
import { FileError, reworded, systemCode, VagentError } from '../../errors.ts';
import { makePrivateFolder, syncFolder } from '../files/durable.ts';
import {
  type FileSystem,
  fileError,
  NOT_ORDINARY,
  quietly,
  systemFiles,
  withFileErrors,
} from '../files/file-system.ts';
import { pauses, withLock } from '../files/lock.ts';
import {
  type HoldOptions,
  NO_ROWS,
  type Rows,
  type Schema,
  type Sql,
  statementsOf,
  tooNew,
  type Value,
} from './sql.ts';

export interface SqliteOptions {
  path: string;
  schema: Schema;
  /** Of the schema: a file of a higher one is refused. */
  version: number;
  /** What is kept there, for messages: `register`. */
  name: string;
  /** What the first who writes brings in, in the transaction that makes the tables. */
  begin?: ((sql: Sql) => Promise<void>) | undefined;
  fs?: FileSystem;
}

/** Milliseconds to wait for another who writes. SQLite's own waiting would stop this whole process. */
const BUSY_TIMEOUT = 10_000;
/** Bytes of the log that are kept when it has been written back. */
const LOG_BYTES = 1 << 24;
const SETTINGS = `pragma journal_mode = wal; pragma synchronous = full;
pragma foreign_keys = on; pragma secure_delete = on; pragma journal_size_limit = ${LOG_BYTES}; pragma cache_size = -4096`;
/**
 * Kibibytes of pages in memory: of a million rows that are read each is wanted once, and the indexes of those that are written
 * often.
 */
const MORE_PAGES = 'pragma cache_size = -16384';

/** The first version of Node whose own SQLite says nothing at its start. */
const HAS_OWN = 24;

/** Node's own SQLite where Node has it without a warning, else the same functions from a package that brings its binary. */
export function openEngine(path: string): Engine {
  const isOwn = Number.parseInt(process.versions.node, 10) >= HAS_OWN;
  const { DatabaseSync } = createRequire(import.meta.url)(isOwn ? 'node:sqlite' : '@photostructure/sqlite');
  return new DatabaseSync(path);
}

const LIST = '(select value from json_each($1))';

export class SqliteRows implements Rows {
  readonly location: string;
  readonly isShared = false;
  readonly #options: SqliteOptions;
  readonly #fs: FileSystem;
  #engine: Engine | undefined;
  readonly #statements = new Map<string, Statement>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#fs = options.fs ?? systemFiles;
    this.location = options.path;
  }

  async read<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#inTurn('read', async () => {
      const engine = await this.#openWritten();
      return engine === undefined ? await body(NO_ROWS) : await this.#transaction(engine, 'begin', body);
    });
  }

  async write<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#inTurn('write', async () => {
      if (!this.#isThere()) withFileErrors('write', this.location, () => this.#create());
      const engine = await this.#open();
      return await this.#transaction(engine, 'begin immediate', async (sql, version) => {
        engine.exec(MORE_PAGES);
        // Whoever was the first to write may have failed.
        const { schema, version: newest, begin } = this.#options;
        for (let next = version + 1; next <= newest; next++) {
          for (const statement of statementsOf(schema, 'sqlite', next)) engine.exec(statement);
          engine.exec(`pragma user_version = ${next}`);
        }
        if (version === 0) await begin?.(sql);
        return await body(sql);
      });
    });
  }

  async put(text: string, values?: readonly Value[]): Promise<number> {
    return await this.write((sql) => sql.run(text, values));
  }

  async holding<T>(name: string, { timeoutMs, command, what }: HoldOptions, body: () => Promise<T>): Promise<T> {
    const folder = join(dirname(this.location), 'locks');
    withFileErrors('write', folder, () => makePrivateFolder(this.#fs, folder));
    const path = join(folder, `${name.replaceAll(' ', '-')}.lock`);
    return await withLock(this.#fs, path, { timeoutMs, command, file: what }, body).catch((error: unknown) => {
      throw fileError(error, 'write', path);
    });
  }

  /** Deleted rows are overwritten by SQLite itself; this is for what stands in its log, and in pages that are not used any more. */
  async purge(): Promise<void> {
    try {
      await this.outside('vacuum');
      await this.outside('pragma wal_checkpoint(truncate)');
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw reworded(error, {
        message: `It was deleted, but may still be found on the disk. ${error.message}`,
        hint: `sqlite3 ${this.location} vacuum overwrites it.`,
      });
    }
  }

  async requireUsable(): Promise<void> {
    const [found] = await this.outside<{ quick_check: string }>('pragma quick_check(1)');
    const isWhole = found === undefined || found.quick_check === 'ok';
    if (isWhole && (await this.outside('pragma foreign_key_check')).length === 0) return;
    const why = isWhole ? 'it has rows that belong to none' : 'its pages do not hold together';
    throw new FileError(`${this.location} is damaged: ${why}.`, {
      code: `${this.#options.name}_damaged`,
      hint: PUT_BACK,
    });
  }

  /** What stands in no transaction: `vacuum`, `pragma quick_check`. */
  async outside<Row>(text: string): Promise<Row[]> {
    return await this.#inTurn('write', async () => {
      const engine = await this.#openWritten();
      return engine === undefined ? [] : await patiently(() => engine.prepare(text).all() as Row[]);
    });
  }

  /** One after the other: there is one connection, and a transaction may wait for its turn between two statements. */
  async #inTurn<T>(doing: 'read' | 'write', body: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(async () => {
      try {
        return await body();
      } catch (error) {
        throw this.#told(error, doing);
      }
    });
    this.#turn = turn.catch(() => {});
    return await turn;
  }

  /** `body` gets the version of the tables: 0 if there are none. */
  async #transaction<T>(engine: Engine, begin: string, body: (sql: Sql, version: number) => Promise<T>): Promise<T> {
    try {
      await patiently(() => engine.exec(begin));
      // The first thing that a transaction reads fixes the moment whose state it sees: here it is the version.
      const version = await this.#version(engine);
      const result = await body(this.#sql(engine), version);
      engine.exec('commit');
      return result;
    } catch (error) {
      // Some failures have ended it already.
      quietly(() => engine.exec('rollback'));
      throw error;
    }
  }

  #sql(engine: Engine): Sql {
    const prepared = (text: string) => {
      const known = this.#statements.get(text);
      if (known !== undefined) return known;
      const statement = engine.prepare(text.replaceAll('numbers($1)', LIST).replaceAll(/\$(\d+)/g, '?$1'));
      this.#statements.set(text, statement);
      return statement;
    };
    return {
      all: async <Row>(text: string, values: readonly Value[] = []) => prepared(text).all(...values) as Row[],
      run: async (text, values = []) => Number(prepared(text).run(...values).changes),
      async insert(table, columns, rows, after = '') {
        const places = columns.map((_column, at) => `$${at + 1}`);
        const statement = prepared(`insert into ${table} (${columns}) values (${places}) ${after}`);
        for (const row of rows) statement.run(...row);
      },
    };
  }

  async #open(): Promise<Engine> {
    if (this.#engine !== undefined) return this.#engine;
    const engine = openEngine(this.location);
    try {
      await patiently(() => engine.exec(SETTINGS));
      // Not only in the transaction: a newer vagent may hold its lock.
      await this.#version(engine);
    } catch (error) {
      engine.close();
      throw error;
    }
    this.#engine = engine;
    return engine;
  }

  /** Undefined where nothing was ever written. Such a file is not kept open: another may be put in its place. */
  async #openWritten(): Promise<Engine | undefined> {
    if (!this.#isThere()) return undefined;
    const engine = await this.#open();
    if ((await this.#version(engine)) > 0) return engine;
    this.#engine = undefined;
    this.#statements.clear();
    engine.close();
    return undefined;
  }

  /** Of the schema of its tables; 0 if there are none. Throws FileError if a newer vagent made them. */
  async #version(engine: Engine): Promise<number> {
    const { path, version: known, name } = this.#options;
    const [row] = await patiently(() => engine.prepare('pragma user_version').all() as { user_version: number }[]);
    const version = row?.user_version ?? 0;
    if (version > known) throw tooNew(name, `in ${path}`, version, known);
    return version;
  }

  /** Whether it is open, or a file. That is not opened to look: to close it would end the locks that SQLite has on it. */
  #isThere(): boolean {
    if (this.#engine !== undefined) return true;
    const stat = withFileErrors('read', this.location, () =>
      this.#fs.statSync(this.location, { throwIfNoEntry: false }),
    );
    if (stat === undefined || stat.isFile()) return stat !== undefined;
    const code = stat.isDirectory() ? 'EISDIR' : NOT_ORDINARY;
    throw fileError(Object.assign(new Error('It is no file'), { code }), 'read', this.location);
  }

  /** Only its owner may read it: what SQLite puts beside it gets the same mode. */
  #create(): void {
    makePrivateFolder(this.#fs, dirname(this.location));
    try {
      this.#fs.closeSync(this.#fs.openSync(this.location, 'wx', 0o600));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    syncFolder(this.#fs, dirname(this.location));
  }

  #told(error: unknown, doing: 'read' | 'write'): unknown {
    if (error instanceof VagentError) return error;
    if ((error as { code?: unknown }).code !== OF_SQLITE) return fileError(error, doing, this.location);
    const errcode = resultCode(error);
    const { why, hint } = WHY[errcode] ?? WHY[errcode & 0xff] ?? { why: (error as Error).message };
    if (isBusy(error)) {
      return new FileError(`${this.location} is locked by another process; waited ${BUSY_TIMEOUT / 1000} s.`, {
        code: 'file_locked',
        hint: 'Try again when that command is done.',
        cause: error,
      });
    }
    const isDamage = DAMAGED.has(errcode & 0xff);
    return new FileError(`Cannot ${doing} ${this.location}: ${why}.`, {
      ...(isDamage && { code: `${this.#options.name}_damaged` }),
      hint: hint ?? (doing === 'write' ? 'Nothing was changed.' : undefined),
      cause: error,
    });
  }
}

/** Carries out what another process may prevent for a while. */
async function patiently<T>(act: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT;
  for (const waits = pauses(); ; ) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(waits.next().value);
  }
}

const BUSY = 5;

function isBusy(error: unknown): boolean {
  return (resultCode(error) & 0xff) === BUSY;
}

/** The package has none for what fails while rows are read: then it is known by SQLite's own text. */
function resultCode(error: unknown): number {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode ?? CODES[message ?? ''] ?? UNREADABLE;
}

const CODES: Record<string, number> = {
  'database is locked': BUSY,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'file is not a database': 26,
};

const OF_SQLITE = 'ERR_SQLITE_ERROR';
/** Of what SQLite itself has no code for: a number that none of us has written, because it is none of JavaScript. */
const UNREADABLE = 0;
const DAMAGED = new Set([UNREADABLE, 11, 26]);
const PUT_BACK = 'Put back a copy of it, with the files beside it: nobody is called until then.';
/** SQLite's result codes, a few of them with what is known beyond that. */
const WHY: Record<number, { why: string; hint?: string }> = {
  3: { why: 'permission is denied' },
  8: { why: 'it can only be read' },
  10: { why: 'the disk reports an error' },
  11: { why: 'it is damaged', hint: PUT_BACK },
  13: { why: 'the disk is full' },
  14: { why: 'it cannot be opened', hint: 'Look whether this user may read and write it, and its folder.' },
  26: { why: 'it is no database', hint: PUT_BACK },
  3850: { why: 'the file system has no locks' },
};

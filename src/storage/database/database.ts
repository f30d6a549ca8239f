/** A database of PostgreSQL: its transactions and locks, and its tables brought up to date. Throws FileErrors. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { FileError } from '../../errors.ts';
import { databaseAddress, type Named } from '../files/store-place.ts';
import { type Client, Connections, giveUp, isWaiting, LIMITS, type Limits, RECONNECTED_FOR } from './connection.ts';
import {
  CANNOT_WRITE,
  codeOf,
  DATABASE_UNAVAILABLE,
  databaseError,
  NO_RIGHT,
  NO_TABLE,
  olderTables,
  unknownCommit,
} from './database-error.ts';
import { type Commit, hasEnded, isNoted, keyOf, LOCKS, noted } from './last-commits.ts';
import { type HoldOptions, tooNew } from './sql.ts';

/** How often a program with a transaction under way says that it is not gone, in that time. */
const SAYS_SO = 4;
/** Milliseconds for one that holds a lock: what it does under it may be sent to a service, and takes a while. */
const LOCK_GONE_AFTER = 8_000;
/** Of who only reads, and holds nothing that others need: it may be busy for longer with what it has read. */
const PATIENT = `set local idle_in_transaction_session_timeout = 30000; set local tcp_user_timeout = 30000`;
/** Milliseconds in which it is asked what came of a commit, and between two questions. */
const ASKED_FOR = 20_000;
const ASKED_EVERY = 500;
const NO_SCHEMA = '3F000';
const NO_TABLES = new Set([NO_TABLE, NO_SCHEMA, NO_RIGHT]);
const IS_READ_ONLY = 'show transaction_read_only';
const LOCK_NOT_AVAILABLE = '55P03';
/** A holder that this user may not see. */
const UNNAMED = 'another machine';
/** Of a name, as the key of a lock. */
const KEY = `hashtextextended($1, ${LOCKS})`;

/** What is kept in a database. */
export interface Kept extends Named {
  /** The table of the migrations that were carried out. */
  versions: string;
  /** Its tables, as migrations in their order: each is carried out once. */
  migrations: readonly string[];
  /**
   * So many of them are enough to go on: the later ones only add, and are left out where this user may not make tables. All of
   * them, where nothing is said.
   */
  enough?: number;
  /** Where it shows whether a change was made whose answer was lost: `look at the call log`. */
  look: string;
}

export class Database {
  /** Host, port, database and schema: no user, and no password. */
  readonly location: string;
  readonly schema: string;
  readonly #kept: Kept;
  readonly #limits: Limits;
  readonly #connections: Connections;
  /** Tables never become older. */
  #isMigrated = false;
  #isKnown = false;
  /** Under which commits are noted: those that no transaction uses just now. */
  readonly #keys: string[] = [];
  #commits = 0;

  /** The password comes from PGPASSWORD or ~/.pgpass. Throws InputError. */
  constructor(url: string, kept: Kept, limits: Partial<Limits> = {}) {
    const address = databaseAddress(url, kept);
    this.#kept = kept;
    this.location = address.name;
    this.schema = address.schema;
    this.#limits = { ...LIMITS, ...limits };
    this.#connections = new Connections(address, kept.name, this.#limits);
  }

  /**
   * `body` inside a transaction, which is committed when it resolves. Where the answer to the commit is lost, the database is asked
   * over another connection what came of it. `lock` is the name of what it locks until its end. Throws FileError; then nothing
   * was changed, unless it says otherwise.
   */
  async #write<T>(body: (client: Client) => Promise<T>, lock?: string, isAside = false): Promise<T> {
    const key = this.#keys.pop();
    const commit = { key: key ?? randomUUID(), number: ++this.#commits };
    let done: { result: T } | undefined;
    const transaction = async (client: Client) => {
      await this.#begin(client, [commit.key, ...(lock === undefined ? [] : [`${this.schema} ${lock}`])]);
      const result = await alive(client, this.#limits.gone / SAYS_SO, () => body(client));
      const noting = noted(commit, key === undefined);
      done = { result };
      await client.query(`${noting}; commit`);
      return result;
    };
    try {
      return await this.#with('write', transaction, isAside);
    } catch (error) {
      if (done === undefined || !(await this.#wasCommitted(commit))) throw error;
      return done.result;
    } finally {
      this.#keys.push(commit.key);
    }
  }

  /** Asks until somebody answers, for a while. Throws FileError if nobody does. What it noted is looked for once it is over. */
  async #wasCommitted(commit: Commit): Promise<boolean> {
    for (let waited = 0; ; waited += ASKED_EVERY) {
      try {
        const isOver = await this.#with('read', (client) => hasEnded(client, commit));
        if (isOver) return await this.#with('read', (client) => isNoted(client, commit));
      } catch (error) {
        if (waited >= ASKED_FOR) throw unknownCommit(this.location, this.#kept.look, error);
        // To connect was tried for long.
        waited += RECONNECTED_FOR;
      }
      // The server may be starting again, or still have the connection that is gone.
      if (waited >= ASKED_FOR) throw unknownCommit(this.location, this.#kept.look);
      await delay(ASKED_EVERY);
    }
  }

  /**
   * `body` with one state of everything. Undefined if the tables were never made. Where they are of an older version that is not
   * enough, `bringUp` is called before, if it is given.
   */
  async read<T>(body: (client: Client) => Promise<T>, bringUp?: () => Promise<void>): Promise<T | undefined> {
    const done = await this.#with('read', async (client) => {
      const begin = `begin isolation level repeatable read read only; ${PATIENT}`;
      let version = 0;
      try {
        version = await this.#begun(client, begin);
        const isBehind = bringUp !== undefined && version < this.#enough;
        const result = isBehind ? undefined : await body(client);
        await client.query('commit');
        return { result, isBehind };
      } catch (error) {
        // A table that somebody has taken away was not empty.
        const isMade = version >= this.#enough;
        if (isMade || codeOf(error) !== NO_TABLE) throw error;
        await client.query('rollback');
        return undefined;
      }
    });
    if (!done?.isBehind) return done?.result;
    await bringUp?.();
    return await this.read(body);
  }

  /** One statement, which needs no transaction and no table of ours. */
  async look<T>(body: (client: Client) => Promise<T>): Promise<T> {
    return await this.#with('read', body);
  }

  /** Throws FileError where nobody may write: it is a standby, or was made read-only. */
  async requireWritable(): Promise<void> {
    const { rows } = await this.look((client) => client.query<{ transaction_read_only: string }>(IS_READ_ONLY));
    if (rows[0]?.transaction_read_only === 'on') throw databaseError({ code: CANNOT_WRITE }, 'write', this.location);
  }

  /** One statement, which needs no transaction. Undefined if the tables were never made. */
  async ask<T>(body: (client: Client) => Promise<T>): Promise<T | undefined> {
    return await this.#with('read', async (client) => {
      // Throws if this user may not see the tables, which are no missing ones; and if a newer vagent made them.
      if (!this.#isKnown) await this.#version(client);
      this.#isKnown = true;
      try {
        return await body(client);
      } catch (error) {
        if (codeOf(error) === NO_TABLE) return undefined;
        throw error;
      }
    });
  }

  /**
   * One statement, which is a transaction of its own and may be carried out twice: it is, where its answer is lost. The tables
   * are there. Throws FileError.
   */
  async put<T>(body: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.#with('write', body);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== DATABASE_UNAVAILABLE) throw error;
      return await this.#with('write', body);
    }
  }

  /**
   * Takes the locks of these names, until the transaction ends. A newer vagent may have brought the tables up to date since:
   * then what this one writes may not fit. Throws FileError.
   */
  async #begin(client: Client, locks: readonly string[]): Promise<void> {
    const taken = locks.map((lock) => `select pg_advisory_xact_lock(${keyOf(lock)})`);
    const begin = `begin isolation level read committed; ${taken.join('; ')}`;
    try {
      const version = await this.#begun(client, begin);
      this.#isMigrated ||= version === this.#kept.migrations.length;
    } catch (error) {
      // They were never made, or this user may not see them, which is told by what follows.
      if (this.#isMigrated || !NO_TABLES.has(codeOf(error) ?? '')) throw error;
      await client.query(`rollback; ${begin}`);
    }
  }

  /**
   * The same beside a transaction that is under way, and committed whatever comes of that one. It must not need its rows or
   * tables.
   */
  async writeAside<T>(body: (client: Client) => Promise<T>): Promise<T> {
    return await this.#write(body, undefined, true);
  }

  /** The same as `#write`, with tables that are made first, or brought up to date; `hasMigrated`: nobody else sees them yet. */
  async change<T>(body: (client: Client, hasMigrated: boolean) => Promise<T>, lock?: string): Promise<T> {
    const result = await this.#write(async (client) => {
      const hasMigrated = !this.#isMigrated && (await this.#migrate(client));
      return await body(client, hasMigrated);
    }, lock);
    this.#isMigrated = true;
    return result;
  }

  /**
   * `body` while no other session holds the lock of this name; it ends with the session, so none is ever left. Whoever changes
   * something under it makes sure in that transaction that nobody else did: the session may have been cut off meanwhile. Throws
   * FileError, `file_locked` with the holder's name, if the wait is over. `command`: this process, shown to others who wait.
   */
  async holding<T>(name: string, { timeoutMs, command, what }: HoldOptions, body: () => Promise<T>): Promise<T> {
    const lock = `${this.schema} ${name}`;
    const client = await this.#connections.take();
    try {
      // Names of holders have 63 bytes at most.
      const waiting = `set_config('lock_timeout', $1, false), set_config('application_name', $2, false)`;
      await client.query(`select ${waiting}, set_config('tcp_user_timeout', $3, false)`, [
        ...[String(Math.max(1, timeoutMs)), command.slice(0, 63), String(LOCK_GONE_AFTER)],
      ]);
      await client.query(`select pg_advisory_lock(${KEY})`, [lock]);
    } catch (error) {
      const isHeld = codeOf(error) === LOCK_NOT_AVAILABLE;
      const holder = isHeld ? await holderOf(client, lock).catch(() => UNNAMED) : undefined;
      giveUp(client);
      if (holder === undefined) throw databaseError(error, 'lock', this.location);
      throw new FileError(`${what} is locked by ${holder}; waited ${timeoutMs / 1000} s.`, {
        code: 'file_locked',
        hint: 'Try again when that command is done.',
      });
    }
    try {
      return await body();
    } finally {
      // If that fails: the lock goes with the session.
      await client.query(`select pg_advisory_unlock(${KEY})`, [lock]).catch(() => {});
      giveUp(client);
    }
  }

  get #enough(): number {
    const { migrations, enough = migrations.length } = this.#kept;
    return enough;
  }

  /**
   * Makes the tables, or brings older ones up to date; whether it did. Throws FileError if a newer vagent made them, and where
   * this user may not change those that are too old.
   */
  async #migrate(client: Client): Promise<boolean> {
    const { migrations } = this.#kept;
    // Who may only write rows asks for nothing else.
    if ((await this.#version(client)) === migrations.length) return false;
    await client.query('savepoint older');
    await client.query(`select pg_advisory_xact_lock(${KEY})`, [this.schema]);
    const version = await this.#version(client);
    if (version === 0) {
      await client.query(`create schema if not exists ${this.schema}`);
      await client.query(`create table if not exists ${this.#kept.versions} (version integer primary key)`);
    }
    // There may be millions of rows.
    await client.query('set local statement_timeout = 0');
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      try {
        await client.query(migration);
      } catch (error) {
        if (version === 0 || codeOf(error) !== NO_RIGHT) throw error;
        if (version < this.#enough) throw olderTables(this.#kept.name, this.location, error);
        // With the lock, for which the others wait.
        await client.query('rollback to savepoint older');
        return false;
      }
      await client.query(`insert into ${this.#kept.versions} values ($1)`, [at + 1]);
    }
    return true;
  }

  /** How many migrations were carried out. */
  async #version(client: Client): Promise<number> {
    // Asked of the tables: what to_regclass remembers may be older than the lock that was waited for.
    const { rowCount } = await client.query(
      `select 1 from pg_catalog.pg_tables where schemaname = $1 and tablename = $2`,
      [this.schema, this.#kept.versions],
    );
    if (rowCount === 0) return 0;
    return this.#requireKnownVersion(await client.query<Version>(this.#askVersion));
  }

  /** The same in a transaction that is begun with these statements. */
  async #begun(client: Client, begin: string): Promise<number> {
    const done: unknown = await client.query(`${begin}; ${this.#askVersion}`);
    return this.#requireKnownVersion((done as pg.QueryResult<Version>[]).at(-1));
  }

  /** With its schema: to a user without a right to it the table would seem to be missing. */
  get #askVersion(): string {
    return `select max(version) as version from ${this.schema}.${this.#kept.versions}`;
  }

  #requireKnownVersion(asked: pg.QueryResult<Version> | undefined): number {
    const version = asked?.rows[0]?.version ?? 0;
    const { name, migrations } = this.#kept;
    if (version <= migrations.length) return version;
    throw tooNew(name, `at ${this.location}`, version, migrations.length);
  }

  async #with<T>(doing: 'read' | 'write', body: (client: Client) => Promise<T>, isAside = false): Promise<T> {
    const client = await this.#connections.take(isAside);
    try {
      const result = await body(client);
      client.release();
      return result;
    } catch (error) {
      giveUp(client);
      const unchanged = doing === 'write' ? `The ${this.#kept.name} is as it was before.` : undefined;
      throw databaseError(error, doing, this.location, unchanged);
    }
  }
}

interface Version {
  version: number | null;
}

/** `body` while the database hears every so many milliseconds, where nothing else is asked of it, that this program is there. */
async function alive<T>(client: Client, every: number, body: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => {
    if (!isWaiting(client)) client.query('select 1').catch(() => {});
  }, every);
  try {
    return await body();
  } finally {
    clearInterval(beat);
  }
}

/** In words. Who may not see it is told no name. */
async function holderOf(client: Client, lock: string): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>(
    `with lock as (select ${KEY} as key)
     select application_name as name from lock, pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and objsubid = 1
         and classid::bigint = ((key >> 32) & 4294967295) and objid::bigint = (key & 4294967295)`,
    [lock],
  );
  return rows[0]?.name || UNNAMED;
}

/**
 * A connection to PostgreSQL that leaves nothing behind where it fails, and takes a password from where PostgreSQL's own
 * programs do; and on which nobody waits for ever. Where a network falls silent neither side is told: what was asked may not
 * have arrived, or the answer is lost. Then the database is asked over another connection whether it is still at work on it,
 * however long that takes.
 */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import pgpass from 'pgpass';
import { FileError } from '../../errors.ts';
import type { DatabaseAddress } from '../files/store-place.ts';
import { codeOf, databaseError, NO_PASSWORD, NO_POOLER, NOT_FOR_TLS } from './database-error.ts';

/** What the driver knows of a connection. */
interface Wire {
  /** Whether all that was asked was answered. */
  readonly readyForQuery: boolean;
  readonly processID: number;
  readonly _connecting: boolean;
  readonly connection: NodeJS.EventEmitter & { readonly stream: Socket };
  password: unknown;
}

function wireOf(client: pg.ClientBase): Wire {
  return client as unknown as Wire;
}

/** Ends a connection from which nothing is expected any more: to say goodbye may take for ever. */
function hangUp(client: pg.ClientBase): void {
  wireOf(client).connection.stream.destroy();
}

class Connection extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    try {
      super(config);
    } catch (error) {
      const { syscall, message } = error as { syscall?: unknown; message: string };
      throw syscall === undefined ? error : Object.assign(new Error(message), { code: NOT_FOR_TLS });
    }
    const wire = wireOf(this);
    // The driver waits for the server to hang up, which may wait for an answer of ours for a minute.
    wire.connection.on('error', () => hangUp(this));
    wire.connection.on('errorMessage', () => wire._connecting && hangUp(this));
    wire.password ??= passwordOf;
  }
}

/** Of ~/.pgpass; asked for only where the server wants one. Throws where it has none. */
async function passwordOf(of: pgpass.Connected): Promise<string> {
  const said = new PassThrough();
  pgpass.warnTo(said);
  const password = await new Promise<string | undefined>((resolve) => pgpass(of, resolve));
  if (password !== undefined) return password;
  const isLoose = /group or world access/.test(String(said.read() ?? ''));
  throw Object.assign(new Error('no password'), { code: NO_PASSWORD, isLoose });
}

/** A server with no connection left has answered. */
const TOO_MANY_CONNECTIONS = '53300';
/**
 * Whoever waits for the client waits for what we have sent long ago, or for us to take what we have not got; a replica may never
 * come back.
 */
const AT_WORK = `select wait_event_type is distinct from 'Client' and wait_event is distinct from 'SyncRep' as is_at_work
  from pg_stat_activity where pid = $1`;

export function isWaiting(client: pg.ClientBase): boolean {
  return !wireOf(client).readyForQuery;
}

/**
 * Whoever waits on this connection for `silence` milliseconds without a word is told that nobody answers, unless somebody is at
 * work.
 */
function watch(client: pg.ClientBase, silence: number, isAtWork: (processId: number) => Promise<boolean>): void {
  const wire = wireOf(client);
  const { stream } = wire.connection;
  stream.setTimeout(silence);
  stream.on('timeout', async () => {
    if (wire.readyForQuery) return;
    const heard = stream.bytesRead;
    if ((await isAtWork(wire.processID)) || stream.bytesRead > heard) stream.setTimeout(silence);
    else stream.destroy(Object.assign(new Error('The network is silent'), { code: 'ETIMEDOUT' }));
  });
}

/** Asked over a connection of its own: those of the pool may all be waiting. `config` limits how long that takes. */
async function isAtWork(config: pg.ClientConfig, processId: number): Promise<boolean> {
  const client = new Connection(config);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ is_at_work: boolean }>(AT_WORK, [processId]);
    return rows[0]?.is_at_work === true;
  } catch (error) {
    return codeOf(error) === TOO_MANY_CONNECTIONS;
  } finally {
    hangUp(client);
  }
}

// Connections -----------------------------------------------------------------------------------------------------------

export type Client = pg.PoolClient;

/** Milliseconds. */
export interface Limits {
  /** In which a connection is made, or becomes free. */
  connect: number;
  /** Without a word of the database, until it is asked whether it is still at work. */
  silence: number;
  /** Of a transaction under way, in which the database hears nothing, until it takes this program for gone. */
  gone: number;
}

export const LIMITS: Limits = { connect: 10_000, silence: 5_000, gone: 2_000 };
/** Milliseconds for the last word on a connection. */
const GOODBYE = 1_000;
/**
 * Of each connection. A machine that has gone holds no rows for long; one that waits for a row is told after as long as for a
 * folder.
 */
const SETTINGS = {
  lock_timeout: 10_000,
  statement_timeout: 120_000,
  tcp_keepalives_idle: 1,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 2,
  timezone: 'UTC',
  datestyle: 'ISO',
  client_encoding: 'UTF8',
  client_min_messages: 'warning',
  // To compile a statement takes longer than any of ours over few rows, and those over many are read from indexes.
  jit: 'off',
};
/** Connections of one process: requests that wait for one organization share commits, so few are enough. */
const MOST_CONNECTIONS = 8;
/** Milliseconds between two tries to connect, growing, and how long it is tried. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 1_000;
export const RECONNECTED_FOR = 10_000;
/** What passes by itself: it is starting, it has no connection left. */
const PASSING = new Set(['57P03', '53300']);
/** What passes of a database that was there before. */
const RESTARTING = new Set(['57P01', '57P02', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
/** A server may be told to forget its last commits in a crash: what they allow to be sent would be known to nobody. */
const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Numbers of the database may be larger than ours: whoever reads one sees that it is none of ours, for it is not exact. */
const INT8 = 20;
export const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** Those of one process to a database. */
export class Connections {
  readonly #address: DatabaseAddress;
  readonly #what: string;
  readonly #limits: Limits;
  readonly #pool: pg.Pool;
  /** For short transactions of those who have one under way: they would wait for one another if all shared a pool. */
  readonly #aside: pg.Pool;
  #hasConnected = false;

  /** `what` is kept there. The password comes from PGPASSWORD or ~/.pgpass. */
  constructor(address: DatabaseAddress, what: string, limits: Limits) {
    this.#address = address;
    this.#what = what;
    this.#limits = limits;
    const options = Object.entries({
      search_path: address.schema,
      ...SETTINGS,
      // A program that is taken for gone after so many milliseconds.
      idle_in_transaction_session_timeout: limits.gone,
      tcp_user_timeout: limits.gone,
    });
    const config = {
      connectionString: address.url,
      connectionTimeoutMillis: limits.connect,
      keepAlive: true,
      application_name: 'vagent',
      options: options.map(([option, value]) => `-c ${option}=${value}`).join(' '),
    };
    this.#pool = this.#poolOf(config, MOST_CONNECTIONS);
    this.#aside = this.#poolOf(config, 1);
  }

  #poolOf(config: pg.ClientConfig, max: number): pg.Pool {
    const pool = new pg.Pool({
      ...config,
      types: TYPES,
      Client: Connection,
      max,
      idleTimeoutMillis: 1_000,
      allowExitOnIdle: true,
    });
    // A connection that breaks while nobody uses it is no matter, the next one is a new one; and whoever uses one is told by the
    // query that fails.
    pool.on('error', () => {});
    pool.on('connect', (client) => {
      client.on('error', () => {});
      const asking = { ...config, query_timeout: this.#limits.connect };
      watch(client, this.#limits.silence, (processId) => isAtWork(asking, processId));
      // Comes before whatever is asked on it; if it fails, so does that. The first one is asked for more.
      if (this.#hasConnected) client.query(DURABLE).catch(() => {});
    });
    return pool;
  }

  /** Throws FileError where what was asked of a connection is not so: without its schema, tables would be made among others. */
  async #requireUsable(client: Client): Promise<void> {
    try {
      const done: unknown = await client.query(
        `${DURABLE}; select current_setting('search_path') as search_path, current_setting('server_encoding') as encoding,
                extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval) * 1000 as gone_after`,
      );
      const { search_path, encoding, gone_after } =
        (done as pg.QueryResult<Record<string, string>>[])[1]?.rows[0] ?? {};
      // Some poolers let one of them through.
      if (search_path !== this.#address.schema || Number(gone_after) !== this.#limits.gone)
        throw new FileError(
          `What stands before the database at ${this.#address.name} keeps back the settings of a connection.`,
          { hint: NO_POOLER },
        );
      if (encoding !== 'UTF8')
        throw new FileError(
          `The database at ${this.#address.name} is encoded as ${encoding}; the ${this.#what} needs UTF8.`,
          { hint: "create database name encoding 'UTF8' template template0 makes another." },
        );
    } catch (error) {
      giveUp(client);
      throw error;
    }
  }

  /** Waits a while for a database that is starting, or has no connection left; nothing was asked of it yet. Throws FileError. */
  async take(isAside = false): Promise<Client> {
    for (let waited = 0, pause = FIRST_PAUSE; ; waited += pause, pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        const client = await (isAside ? this.#aside : this.#pool).connect();
        if (!this.#hasConnected) await this.#requireUsable(client);
        this.#hasConnected = true;
        return client;
      } catch (error) {
        const code = codeOf(error) ?? '';
        const isPassing = PASSING.has(code) || (this.#hasConnected && RESTARTING.has(code));
        if (!isPassing || waited >= RECONNECTED_FOR) throw databaseError(error, 'connect to', this.#address.name);
        await delay(pause);
      }
    }
  }
}

/** Whatever was begun on it is given up with it. */
export function giveUp(client: Client): void {
  client.release(true);
  setTimeout(() => hangUp(client), GOODBYE).unref();
}

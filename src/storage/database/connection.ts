/**
 * A connection to PostgreSQL that leaves nothing behind where it fails, and takes a password from where PostgreSQL's own
 * programs do; and on which nobody waits for ever. Where a network falls silent neither side is told: what was asked may not
 * have arrived, or the answer is lost. Then the database is asked over another connection whether it is still at work on it,
 * however long that takes.
 */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import pg from 'pg';
import pgpass from 'pgpass';
import { codeOf, NO_PASSWORD, NOT_FOR_TLS } from './database-error.ts';

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
export function hangUp(client: pg.ClientBase): void {
  wireOf(client).connection.stream.destroy();
}

export class Connection extends pg.Client {
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
export function watch(client: pg.ClientBase, silence: number, isAtWork: (processId: number) => Promise<boolean>): void {
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
export async function isAtWork(config: pg.ClientConfig, processId: number): Promise<boolean> {
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

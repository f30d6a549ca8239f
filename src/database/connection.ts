/** A connection to PostgreSQL that leaves nothing behind where it fails, and takes a password from where PostgreSQL's own programs do. */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import pg from 'pg';
import pgpass from 'pgpass';
import { NO_PASSWORD, NOT_FOR_TLS } from './database-error.ts';

/** What the driver knows of a connection. */
export interface Wire {
  /** Whether all that was asked was answered. */
  readonly readyForQuery: boolean;
  readonly processID: number;
  readonly _connecting: boolean;
  readonly connection: NodeJS.EventEmitter & { readonly stream: Socket };
  password: unknown;
}

export function wireOf(client: pg.ClientBase): Wire {
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

/**
 * A connection on which nobody waits for ever. Where a network falls silent neither side is told: what was asked may not have arrived, or the
 * answer is lost. Then the database is asked over another connection whether it is still at work on it, however long that takes.
 */
import type pg from 'pg';
import { Connection, hangUp, wireOf } from './connection.ts';
import { codeOf } from './database-error.ts';

/** A server with no connection left has answered. */
const TOO_MANY_CONNECTIONS = '53300';
/** Whoever waits for the client waits for what we have sent long ago, or for us to take what we have not got; a replica may never come back. */
const AT_WORK = `select wait_event_type is distinct from 'Client' and wait_event is distinct from 'SyncRep' as is_at_work
  from pg_stat_activity where pid = $1`;

export function isWaiting(client: pg.ClientBase): boolean {
  return !wireOf(client).readyForQuery;
}

/** Whoever waits on this connection for `silence` milliseconds without a word is told that nobody answers, unless somebody is at work. */
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

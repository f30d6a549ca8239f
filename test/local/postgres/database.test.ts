/** A database that does not answer, and one of which too much is asked: each told in a sentence. */
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { initialState } from '../../../src/engine/state.ts';
import { Database, type Kept } from '../../../src/storage/database/database.ts';
import { CALL, service } from '../../support/changes.ts';
import { EPOCH } from '../../support/engine.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

/** Milliseconds. */
const TIMEOUT = { connect: 300 };
const STORE: Kept = { name: 'store', schema: 'vagent', versions: 'migrations', migrations: [], look: 'look' };

test('a server that takes connections and says nothing does not answer', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const database = new Database(`postgres://me@127.0.0.1:${port}/test`, STORE, TIMEOUT);
  await expect(database.look(async () => {})).rejects.toMatchObject({
    exitCode: 9,
    message: `Cannot connect to the database at 127.0.0.1:${port}/test, schema vagent: it does not answer.`,
    hint: 'Check the host and the port, and that PostgreSQL is what listens there.',
  });
});

describePostgres('a database', () => {
  test('whose connections are all in use says so, and goes on when one is free', async () => {
    const database = new Database(ownSchema(), STORE, TIMEOUT);
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    const users = Array.from({ length: 8 }, () => database.look(() => freed));
    await expect(database.look(async () => {})).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(/: this program uses as many connections as it may, and none became free\.$/),
      hint: 'Try again when it has less to do.',
    });
    free();
    await Promise.all(users);
    expect(await database.look(async (client) => (await client.query('select 1 as one')).rows)).toEqual([{ one: 1 }]);
  });

  test('may take as long as it needs to reset a large store', async () => {
    const engine = postgresEngine();
    await service(engine).triggerCall(CALL);
    await sql(
      engine.url,
      `create table seen (statement_timeout text);
       create function see() returns trigger language plpgsql as
         $$ begin insert into seen values (current_setting('statement_timeout')); return null; end $$;
       create trigger see after delete on calls execute function see()`,
    );
    await engine.store.reset(initialState({ seed: 2, now: EPOCH, empty: false }));
    expect(await sql(engine.url, 'select * from seen')).toEqual([{ statement_timeout: '0' }]);
  });
});

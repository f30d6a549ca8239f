/** A connection that is cut at a commit: what came of it is found out, not guessed. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS, type RequestOf } from '../../../src/contract.ts';
import { describePostgres, ownSchema, sql } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

const CALL: RequestOf<'triggerCall'> = {
  ...{ use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100', custom_first_line: 'Hello.' },
  custom_identifiers: '',
};

/** What a client sends to commit: a simple query. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0');

type Fault = 'before' | 'after' | undefined;

/** Stands between the program and the database, and cuts the connection of the next commit. */
class Between {
  fault: Fault;
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(url: URL) {
    const [port, host] = [Number(url.port || 5432), url.hostname];
    this.#server = createServer((client) => {
      const database = connect(port, host);
      for (const socket of [client, database]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      }
      let isCut = false;
      client.on('data', (bytes) => {
        const { fault } = this;
        if (fault === undefined || !bytes.includes(COMMIT)) return void database.write(bytes);
        this.fault = undefined;
        this.cuts += 1;
        isCut = true;
        if (fault === 'after') database.write(bytes);
        else for (const socket of [client, database]) socket.destroy();
      });
      database.on('data', (bytes) => {
        if (isCut) client.destroy();
        else client.write(bytes);
      });
      client.on('close', () => database.end());
      database.on('close', () => client.end());
    });
  }

  /** The same address, with this between. */
  static async before(url: string): Promise<{ between: Between; url: string }> {
    const address = new URL(url);
    const between = new Between(address);
    await new Promise<void>((resolve) => between.#server.listen(0, '127.0.0.1', resolve));
    address.hostname = '127.0.0.1';
    address.port = String((between.#server.address() as { port: number }).port);
    return { between, url: address.href };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

let open: Between | undefined;
afterEach(() => open?.close());

describePostgres('a connection that is cut', () => {
  test.each<[Fault, number]>([
    ['before', 1],
    ['after', 2],
  ])('%s the commit', async (fault, calls) => {
    const direct = ownSchema();
    const { between, url } = await Between.before(direct);
    open = between;
    const engine = postgresEngine({ url });
    const service = engine.backend(LOCAL_CREDENTIALS);
    await service.triggerCall(CALL);
    between.fault = fault;
    const placed = service.triggerCall(CALL);
    if (fault === 'after') await expect(placed).resolves.toMatchObject({ room_name: 'call-call_0000000002' });
    else await expect(placed).rejects.toMatchObject({ exitCode: 9, hint: 'The store is as it was before.' });
    expect(between.cuts).toBe(1);
    expect(await sql(direct, 'select count(*)::int as calls from calls')).toEqual([{ calls }]);
    // It goes on, and no number was given twice.
    expect(await service.triggerCall(CALL)).toMatchObject({ room_name: `call-call_000000000${calls + 1}` });
    expect((await service.getCallLogs({})).total).toBe(calls + 1);
  });
});

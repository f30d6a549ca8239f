/** A connection that is cut at a commit: what came of it is found out, not guessed. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS, type RequestOf } from '../../../src/contract.ts';
import { dayRange } from '../../../src/engine/policy.ts';
import { initialState } from '../../../src/engine/state.ts';
import type { LocalEngine } from '../../../src/local/open.ts';
import { EPOCH, testEngine } from '../../support/engine.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';
import { sql } from '../../support/sql.ts';

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
  /** How many more pieces of what the client says are let through; then the connection is cut, once. */
  lets = Number.POSITIVE_INFINITY;
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
        if (--this.lets < 0) {
          this.lets = Number.POSITIVE_INFINITY;
          this.cuts += 1;
          for (const socket of [client, database]) socket.destroy();
          return;
        }
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

  /** Like a server that starts again: for so many milliseconds nobody listens, and who was connected is not any more. */
  async restart(milliseconds: number): Promise<void> {
    const { port } = this.#server.address() as { port: number };
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await delay(milliseconds);
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
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

  const CAMPAIGN: RequestOf<'createCampaign'> = {
    ...{ campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', calls_per_hour: 60 },
    ...{ retry_attempts: 2, retry_delay: 90 },
    contacts: Array.from({ length: 12 }, (_none, at) => ({ phone_number: `+1415555${String(1000 + at)}` })),
  };
  const everythingOf = async ({ organizations, store }: LocalEngine) => {
    const snapshot = await store.snapshot();
    const { calls } = await snapshot.callPage({ ...dayRange(undefined, undefined), agentId: undefined }, 10_000, 0);
    return JSON.stringify({ ids: await organizations.ids(), state: snapshot.state, calls });
  };
  const problemsOf = async ({ store }: LocalEngine) =>
    (await store.check({ signal: new AbortController().signal, onCall: () => {} })).problems;

  test.each<[string, (engine: LocalEngine) => Promise<unknown>]>([
    ['a call', ({ backend }) => backend(LOCAL_CREDENTIALS).triggerCall(CALL)],
    ['a campaign', ({ backend }) => backend(LOCAL_CREDENTIALS).createCampaign(CAMPAIGN)],
    [
      'another organization',
      ({ organizations }) =>
        organizations.add((organizationId, demoAgentId) =>
          initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
        ),
    ],
    ['a reset', ({ store }) => store.reset(initialState({ seed: 2, now: EPOCH, empty: false }))],
  ])('at any message of %s leaves all or nothing of it', async (_what, change) => {
    const direct = ownSchema();
    const { between, url } = await Between.before(direct);
    open = between;
    const [engine, beside] = [postgresEngine({ url }), postgresEngine({ url: direct })];
    await engine.backend(LOCAL_CREDENTIALS).triggerCall(CALL);
    for (let lets = 0; ; lets++) {
      const [before, cuts] = [await everythingOf(beside), between.cuts];
      between.lets = lets;
      const error = await change(engine).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      between.lets = Number.POSITIVE_INFINITY;
      const after = await everythingOf(beside);
      if (error === undefined) expect(after).not.toBe(before);
      else expect({ lets, error, after }).toMatchObject({ error: { exitCode: 9 }, after: before });
      expect(await problemsOf(beside)).toEqual([]);
      if (between.cuts === cuts) break;
    }
    expect(between.cuts).toBeGreaterThan(3);
  });

  test('at any message of what falls due changes no call of it', async () => {
    const { between, url } = await Between.before(ownSchema());
    open = between;
    const [engine, undisturbed] = [postgresEngine({ url }), testEngine()];
    for (const one of [engine, undisturbed]) await one.backend(LOCAL_CREDENTIALS).createCampaign(CAMPAIGN);
    const idle = ({ timeline }: LocalEngine) =>
      timeline.move(
        () => 'idle',
        () => {},
      );
    await idle(undisturbed);
    for (let lets = 0; ; lets += 2) {
      between.lets = lets;
      const hasEnded = await idle(engine).then(
        () => true,
        (error: { exitCode?: number }) => {
          if (error.exitCode !== 9) throw error;
        },
      );
      between.lets = Number.POSITIVE_INFINITY;
      if (hasEnded) break;
    }
    const callsIn = async (one: LocalEngine) => JSON.parse(await everythingOf(one)).calls;
    expect(await callsIn(engine)).toEqual(await callsIn(undisturbed));
    expect(await problemsOf(engine)).toEqual([]);
  });

  test('by a server that starts again: what comes meanwhile waits for it', async () => {
    const { between, url } = await Between.before(ownSchema());
    open = between;
    const engine = postgresEngine({ url });
    const service = engine.backend(LOCAL_CREDENTIALS);
    await service.triggerCall(CALL);
    const back = between.restart(400);
    await delay(50);
    expect(await service.triggerCall(CALL)).toMatchObject({ room_name: 'call-call_0000000002' });
    await back;
  });
});

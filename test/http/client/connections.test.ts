/** Which connection a request goes over: GETs share those that are free, a POST has one that nothing else is sent on. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { aCall, someCalls } from '../../support/hostile-log.ts';
import { sendJson } from '../../support/http.ts';
import { Operator } from '../../support/program.ts';
import { CALL, startProxy } from '../../support/wire.ts';

const PAGES = 12;
const PAGE = 10;
const calls = someCalls(PAGES * PAGE);
const everyId = calls.map(({ call_id }) => call_id).sort();

interface Service {
  port: number;
  /** The methods that came over each connection, in their order. */
  connections: string[][];
  /** The headers Host, in the order of the requests. */
  hosts: string[];
}

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** A service that keeps connections open for as long as it lives; `nth`: of the requests over the same connection, from 1. */
async function startService(answer: Answer): Promise<Service> {
  const methods = new Map<Socket, string[]>();
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? '');
    const before = methods.get(request.socket) ?? [];
    methods.set(request.socket, before);
    before.push(request.method ?? '');
    request.resume().on('end', () => answer(request, response, before.length));
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close().closeAllConnections());
  return {
    port: (server.address() as AddressInfo).port,
    hosts,
    get connections() {
      return [...methods.values()];
    },
  };
}

/** A page of the log. */
const page: Answer = ({ url }, response) => {
  const offset = Number(new URL(url ?? '', 'http://test').searchParams.get('offset') ?? 0);
  const shown = calls.slice(offset, offset + PAGE);
  sendJson(response, 200, { success: true, calls: shown, total: calls.length, limit: shown.length, offset });
};

const operator = new Operator({ env: { VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' } });
const at = ({ port }: Service) => ({ VAGENT_BASE_URL: `http://127.0.0.1:${port}` });
const EXPORT = ['logs', 'export', '--format', 'ndjson'];

function idsOf(ndjson: string): string[] {
  const lines = ndjson.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { call_id: string }).call_id).sort();
}

describe.concurrent('the pages of an export', () => {
  test.each([1, 4])('%i at a time take as many connections, and leave none that keeps the program', async (count) => {
    const service = await startService(page);
    const outcome = await operator.run([...EXPORT, '--concurrency', String(count)], { env: at(service) });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(idsOf(outcome.stdout)).toEqual(everyId);
    expect(service.connections.flat().length).toBeGreaterThanOrEqual(PAGES);
    expect(service.connections.length).toBeLessThanOrEqual(count);
  });

  test('sixteen at a time: nothing but the counts is said', async () => {
    const service = await startService(page);
    const { code, stderr } = await operator.run([...EXPORT, '--concurrency', '16'], { env: at(service) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${calls.length} calls written.\n` });
  });

  test('through a proxy share its tunnels', async () => {
    const [service, proxy] = await Promise.all([startService(page), startProxy()]);
    const env = {
      VAGENT_BASE_URL: `http://service.test:${service.port}`,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    };
    const outcome = await operator.run([...EXPORT, '--concurrency', '3', '--insecure-http'], { env });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(idsOf(outcome.stdout)).toEqual(everyId);
    expect(proxy.asked.length).toBeLessThanOrEqual(3);
  });

  test('of one service leave no trace in the requests to the next', async () => {
    const [far, near, proxy] = await Promise.all([startService(page), startService(page), startProxy()]);
    const throughProxy = {
      VAGENT_BASE_URL: `http://service.test:${far.port}`,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    };
    await operator.json(['logs', 'list', '--insecure-http'], { env: throughProxy });
    await operator.json(['logs', 'list'], { env: at(near) });
    expect([far, near].map(({ hosts }) => hosts)).toEqual([[`service.test:${far.port}`], [`127.0.0.1:${near.port}`]]);
  });

  /** What a service does with a connection that was used before. */
  const habits: Record<string, Answer> = {
    'closed after each answer, without a word': (request, response, nth) => {
      page(request, response, nth);
      response.on('finish', () => request.socket.end());
    },
    'closed after each answer, as it says': (request, response, nth) => {
      response.setHeader('connection', 'close');
      page(request, response, nth);
    },
    'reset at the second request': (request, response, nth) => {
      if (nth > 1) request.socket.resetAndDestroy();
      else page(request, response, nth);
    },
    'closed at the second request': (request, response, nth) => {
      if (nth > 1) request.socket.end();
      else page(request, response, nth);
    },
    'closed inside the second answer': (request, response, nth) => {
      if (nth === 1) return page(request, response, nth);
      response.writeHead(200, { 'content-length': 5000 }).write('{"success": true, "calls": [');
      setTimeout(() => request.socket.end(), 5);
    },
    'used for an answer that nobody asked for': (request, response, nth) => {
      page(request, response, nth);
      const body = JSON.stringify({ success: true, calls: [aCall({ call_id: 'of another' })], total: 1 });
      response.on('finish', () =>
        request.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
      );
    },
    'used for 100 Continue before every answer': (request, response, nth) => {
      request.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      page(request, response, nth);
    },
  };
  test.each(Object.entries(habits))('whose connection is %s: each call once', async (_habit, answer) => {
    const service = await startService(answer);
    const outcome = await operator.run([...EXPORT, '--concurrency', '2'], { env: at(service) });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(idsOf(outcome.stdout)).toEqual(everyId);
  });
});

describe.concurrent('a call', () => {
  const entry = aCall({ call_id: 'call_new', timestamp: new Date().toISOString() });
  const answers = (): Answer => {
    let isPlaced = false;
    return ({ method }, response) => {
      isPlaced ||= method === 'POST';
      sendJson(
        response,
        200,
        method === 'POST' ? { success: true } : { success: true, calls: isPlaced ? [entry] : [] },
      );
    };
  };
  test('goes over a connection of its own, though others are open', async () => {
    const service = await startService(answers());
    const outcome = await operator.run([...CALL, '--wait'], { env: at(service) });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    const withPost = service.connections.filter((methods) => methods.includes('POST'));
    expect(withPost).toEqual([['POST']]);
    expect(service.connections.flat().filter((method) => method === 'GET').length).toBeGreaterThan(1);
  });

  test('is sent once, also where what came before leaves connections that are dead', async () => {
    const answer = answers();
    const service = await startService((request, response, nth) => {
      answer(request, response, nth);
      response.on('finish', () => request.socket.destroy());
    });
    const outcome = await operator.run([...CALL, '--wait', '--force'], { env: at(service) });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(service.connections.flat().filter((method) => method === 'POST')).toHaveLength(1);
  });
});

test.each(['undici', '*'])('NODE_DEBUG=%s: what libraries tell of requests has no key', async (NODE_DEBUG) => {
  const service = await startService(page);
  for (const args of [EXPORT, [...CALL, '--force']]) {
    const { stdout, stderr } = await operator.run(args, { env: { ...at(service), NODE_DEBUG } });
    expect(service.connections.flat()).not.toEqual([]);
    expect(stdout + stderr).not.toContain('key-of-tests');
  }
});

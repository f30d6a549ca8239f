/**
 * The way to a service and back, below the meaning of what is said: compressed answers, deadlines, certificates, addresses,
 * broken HTTP, and Ctrl-C at each moment. What counts is the exit code, and how often the service was asked.
 */
import dns from 'node:dns';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { remoteBackend } from '../../../src/http/client/client.ts';
import { casesBeside } from '../../support/cases.ts';
import { Operator } from '../../support/program.ts';
import { UnderWay } from '../../support/under-way.ts';
import {
  AUTHORITY,
  CALL,
  CLOSED_PORT,
  KINDS,
  LOGS,
  PLEASANT,
  type Reply,
  startProxy,
  startSockets,
  startWire,
  UNKNOWN_AUTHORITY,
  type WireServer,
} from '../../support/wire.ts';

const KEY = 'sk-PLANTED/9f+=key';
const CREDENTIALS = { VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY };

const operator = new Operator({ env: CREDENTIALS });
/** Side by side: many wait for an answer. */
const SIDE_BY_SIDE = { cwd: operator.home };
const run = (args: readonly string[], baseUrl: string, env: Record<string, string> = {}) =>
  operator.run(args, { env: { VAGENT_BASE_URL: baseUrl, ...env }, ...SIDE_BY_SIDE });
const at = ({ port }: { port: number }) => `http://127.0.0.1:${port}`;

/** The service in this process; `timeoutMs` is for a request with all its repetitions, which begin at once. */
function serviceAt(server: WireServer, timeoutMs: number, now = Date.now) {
  return remoteBackend({
    baseUrl: new URL(at(server)),
    timeoutMs,
    signal: new AbortController().signal,
    proxy: undefined,
    redact: (words) => words,
    onRequest: () => {},
    random: () => 0,
    now,
  })({ organization_id: 7, api_key: KEY });
}

/** A whole answer with these headers. */
function answer(body: string | Buffer, headers: string[] = [], status = '200 OK'): Buffer {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = [`HTTP/1.1 ${status}`, 'content-type: application/json', length, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
}

const pleased: Reply = (socket) => void socket.write(answer(PLEASANT));

/**
 * Writes, and resets the connection once the client has read that. Found together with bytes, a reset is to the client what an
 * end is; the client is in this process, whose loop reads what has come between two turns.
 */
async function writeAndReset(socket: Socket, bytes: string | Buffer): Promise<void> {
  await new Promise((written) => socket.write(bytes, written));
  await sleep(50);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  socket.resetAndDestroy();
}

/** Writes for as long as the other side reads. */
function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

interface Expected {
  /** Exit codes. */
  post: number;
  get: number;
  /** Requests that the service counts; a GET may be tried again. */
  getRequests?: number;
  says?: RegExp;
  flags?: string[];
}

const FINE = { post: 0, get: 0 };

function table(rows: Record<string, [Reply, Expected]>): void {
  for (const [name, [reply, { post, get, getRequests = 1, says = /./, flags = [] }]] of Object.entries(rows)) {
    for (const [kind, args] of Object.entries(KINDS)) {
      const [code, requests] = kind === 'POST' ? [post, 1] : [get, getRequests];
      describe(`${kind}: ${name}`, async () => {
        const server = await startWire(reply);
        test(`exit ${code}, ${requests} received`, async () => {
          const outcome = await run([...args, ...flags], at(server));
          expect(outcome, outcome.stderr).toMatchObject({ code });
          expect(server.requests, server.received.slice(0, 5000)).toBe(requests);
          expectSound(outcome, code, says);
        });
      });
    }
  }
}

/** One sentence that says what failed, and the key in nothing. */
function expectSound({ stdout, stderr }: { stdout: string; stderr: string }, code: number, says: RegExp): void {
  expect(stdout + stderr).not.toContain('PLANTED');
  expect(stderr).not.toContain('    at ');
  if (code === 0) return;
  expect(stdout).toBe('');
  expect(stderr).toMatch(says);
  expect(stderr.split('\n').filter((line) => line.startsWith('vagent: '))).toHaveLength(1);
  if (code === 8) expect(stderr).toContain('It may have been carried out.');
}

describe.concurrent('a compressed answer', () => {
  const encoded = (body: Buffer, ...encodings: string[]): Reply => {
    const headers = encodings.map((encoding) => `content-encoding: ${encoding}`);
    return (socket) => void socket.write(answer(body, headers));
  };
  const gzipped = gzipSync(PLEASANT);
  const tooLong = { post: 8, get: 7, says: /cannot be read: it is longer than (8|128) MiB/ };
  const unknown = { post: 8, get: 7, says: /cannot be read: it is in an encoding that was not requested/ };
  const damaged = { post: 8, get: 7, getRequests: 3, says: /cannot be read: its compressed bytes are damaged/ };

  table({
    gzip: [encoded(gzipped, 'gzip'), FINE],
    'gzip, in capitals': [encoded(gzipped, 'GZIP'), FINE],
    'gzip, by its old name': [encoded(gzipped, 'x-gzip'), FINE],
    brotli: [encoded(brotliCompressSync(PLEASANT), 'br'), FINE],
    'not compressed, and says so': [encoded(Buffer.from(PLEASANT), 'identity'), FINE],
    'gzip in chunks': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n');
        for (const byte of gzipped)
          socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
        socket.write('0\r\n\r\n');
      },
      FINE,
    ],
    'a refusal in gzip': [
      (socket) =>
        void socket.write(
          answer(gzipSync('{"message": "Agent 3 is unknown."}'), ['content-encoding: gzip'], '404 Not Found'),
        ),
      { post: 5, get: 5, says: /Agent 3 is unknown\./ },
    ],
    'a redirect without a body that is said to be gzip': [
      (socket) => void socket.write(answer('', ['content-encoding: gzip', 'location: /x'], '302 Found')),
      { post: 8, get: 7, says: /redirect/ },
    ],
    'gzip cut short': [encoded(gzipped.subarray(0, -9), 'gzip'), damaged],
    'gzip that is none': [encoded(Buffer.from(PLEASANT), 'gzip'), damaged],
    'brotli that is none': [encoded(Buffer.from(PLEASANT), 'br'), damaged],
    'an encoding that nobody asked for': [encoded(gzipped, 'zstd'), unknown],
    'two encodings in two headers': [encoded(gzipSync(gzipped), 'gzip', 'gzip'), unknown],
    'bytes without end': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        pour(socket, Buffer.alloc(1 << 20, ' '));
      },
      tooLong,
    ],
    'gzip cut off with the connection': [
      (socket) => void writeAndReset(socket, answer(gzipped, ['content-encoding: gzip']).subarray(0, -20)),
      { post: 8, get: 7, getRequests: 3, says: /the connection was cut/ },
    ],
  });

  test('is asked for', async () => {
    const server = await startWire(pleased);
    await run(LOGS, at(server));
    expect(server.received).toMatch(/^accept-encoding: gzip, br\r$/m);
  });
});

const CLIENT_HELLO = 1;

/** The kind of the only message in what a client sent of TLS, a record of the handshake; undefined for anything else. */
function onlyWord(bytes: Buffer): number | undefined {
  const isHandshake = bytes[0] === 22 && bytes.length === 5 + bytes.readUInt16BE(3);
  return isHandshake ? bytes[5] : undefined;
}

describe.concurrent('one deadline for all of a request', () => {
  const flags = ['--timeout', '3s'];
  const slow = { post: 8, get: 7, flags, says: /no full answer within 3 s \(--timeout\)/ };
  table({
    'interim answers and never a last one': [
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
      slow,
    ],
    // The first failure comes long before the deadline, the second would come after it.
    'failures that come slowly': [
      (socket, { requests }) => {
        const fail = () => socket.write(answer('{}', ['retry-after: 0'], '503 Later'));
        setTimeout(fail, requests === 1 ? 2000 : 60_000).unref();
      },
      { post: 8, get: 7, getRequests: 2, flags: ['--timeout', '12s'], says: /503|no full answer within/ },
    ],
    'a Retry-After beyond it': [
      (socket) => void socket.write(answer('{}', ['retry-after: 15'], '503 Later')),
      { post: 8, get: 7, flags, says: /503/ },
    ],
  });

  for (const [kind, args] of Object.entries(KINDS)) {
    test(`${kind}: TLS that is never taken up: exit 7, nothing sent`, async () => {
      const heard: Buffer[] = [];
      const server = await startSockets((socket) => void socket.on('data', (bytes: Buffer) => heard.push(bytes)));
      const outcome = await run([...args, ...flags], `https://127.0.0.1:${server.port}`);
      expect(outcome, outcome.stderr).toMatchObject({ code: 7 });
      expectSound(outcome, 7, /no connection within 3 s \(--timeout\)\. Nothing was sent\./);
      // The library may begin one more connection when the first is given up. Each says no more than that it wants TLS.
      expect([1, 2]).toContain(server.connections);
      expect(heard.length).toBeLessThanOrEqual(server.connections);
      for (const bytes of heard) expect(onlyWord(bytes)).toBe(CLIENT_HELLO);
    });
  }

  for (const [kind, args] of Object.entries(KINDS)) {
    test(`${kind}: an address that nobody answers at: exit 7, nothing sent`, async () => {
      const outcome = await run([...args, ...flags], 'https://192.0.2.1');
      expect(outcome, outcome.stderr).toMatchObject({ code: 7 });
      expectSound(outcome, 7, /Nothing was sent\./);
    });
  }

  test('a timer that fires a moment early leaves no time to ask again', async () => {
    const server = await startWire(() => {});
    const service = serviceAt(server, 2_000.5);
    const asked = Array.from({ length: 300 }, async () => {
      await sleep(Math.random() * 1000);
      return service.getVoices({});
    });
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect(server.requests).toBeGreaterThan(0);
    expect(server.requests).toBeLessThanOrEqual(300);
  });

  describe('a machine that sleeps while it connects, its clock going on', () => {
    const asleep = async (milliseconds: number) => {
      const server = await startWire(pleased);
      let looks = 0;
      const service = serviceAt(server, 30_000, () => (looks++ === 0 ? 0 : milliseconds));
      return { server, service };
    };
    const campaign = { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100' };
    const request = { ...campaign, contacts: [{ phone_number: '+14155550123' }] };

    test('sends no POST when its time is over: nothing was sent', async () => {
      const { server, service } = await asleep(40 * 60_000);
      await expect(service.createCampaign(request)).rejects.toMatchObject({ exitCode: 7 });
      expect(server.requests).toBe(0);
    });

    test('sends it within its time, and a GET at any', async () => {
      const soon = await asleep(20_000);
      await soon.service.createCampaign(request).catch(() => {});
      const later = await asleep(40 * 60_000);
      await later.service.getVoices({}).catch(() => {});
      expect([soon.server.requests, later.server.requests > 0]).toEqual([1, true]);
    });
  });

  test('POST: a service that reads nothing of a long body: exit 8', async () => {
    const server = await startSockets((socket) => socket.pause());
    const contacts = Array.from({ length: 20_000 }, () => ({
      phone_number: '+14155550123',
      custom_instruction: 'x'.repeat(1000),
    }));
    const input = JSON.stringify({ campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts });
    const outcome = await operator.run(['api', 'create-campaign', '--input', '-', '--timeout', '3s'], {
      env: { VAGENT_BASE_URL: at(server) },
      input,
      ...SIDE_BY_SIDE,
    });
    expect(outcome, outcome.stderr.slice(-2000)).toMatchObject({ code: 8 });
    expect(outcome.stderr).toMatch(/no full answer within 3 s \(--timeout\)\. It may have been carried out\./);
    expect(server.connections).toBe(1);
  });
});

describe.concurrent('HTTP that is broken or odd', () => {
  const write =
    (bytes: string | Buffer): Reply =>
    (socket) =>
      void socket.write(bytes);
  const unread = { post: 8, get: 7, getRequests: 3 };
  table({
    'a hundred interim answers, then the answer': [
      write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100) + answer(PLEASANT)),
      FINE,
    ],
    // Whether more would have come, nobody knows.
    'a whole body that closing should end, and a reset does': [
      (socket) => void writeAndReset(socket, `HTTP/1.1 200 OK\r\n\r\n${PLEASANT}`),
      unread,
    ],
    'HTTP/1.0, reset inside its body': [
      (socket) => void writeAndReset(socket, `HTTP/1.0 200 OK\r\n\r\n${PLEASANT.slice(0, -1)}`),
      unread,
    ],
    'a whole body in an encoding of transfer that only closing ends, and a reset does': [
      (socket) => void writeAndReset(socket, `HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\n\r\n${PLEASANT}`),
      unread,
    ],
    'a byte order mark before the JSON': [write(answer(`\ufeff${PLEASANT}`)), FINE],
    // Looked for a title from each of its tags to the end, it would keep the processor busy for hours.
    'a page of a million tags that never end': [
      write(answer('<title'.repeat(1_000_000), [], '502 Bad Gateway')),
      { ...unread, says: /it sent a web page/ },
    ],
    'HTTP/2 without being asked': [write(Buffer.from('000012040000000000', 'hex')), unread],
  });

  type Odd = [name: string, isRead: boolean, parts: string[], ends?: true];
  const escaped = (bytes: string | Buffer) => JSON.stringify(String(bytes)).slice(1, -1);
  const names = { PLEASANT: escaped(PLEASANT), ANSWER: escaped(answer(PLEASANT)), LENGTH: String(PLEASANT.length) };
  const odd = casesBeside(import.meta.filename, names)<Odd>('HTTP that is odd');
  table(
    Object.fromEntries(
      odd.map(([name, isRead, parts, ends]): [string, [Reply, Expected]] => [
        name,
        [(socket) => void (ends ? socket.end(parts.join('')) : socket.write(parts.join(''))), isRead ? FINE : unread],
      ]),
    ),
  );
});

/** In a home of its own: a call that is under way elsewhere at the same time holds up no other. */
const runAnew = (args: readonly string[], baseUrl: string, env: Record<string, string> = {}) =>
  new Operator({ env: CREDENTIALS }).run(args, { env: { VAGENT_BASE_URL: baseUrl, ...env }, ...SIDE_BY_SIDE });

describe.concurrent('a certificate', async () => {
  // The alert protocol_version.
  const alert = (socket: Socket) => void socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex')));
  const own = { NODE_EXTRA_CA_CERTS: UNKNOWN_AUTHORITY };
  const unknown = /its certificate cannot be verified\. Nothing was sent\.\n.*NODE_EXTRA_CA_CERTS/;
  for (const [kind, args] of Object.entries(KINDS)) {
    const strange = await startWire(pleased, { isTls: true, isKnown: false });
    const trusted = await startWire(pleased, { isTls: true, isKnown: false });
    const misnamed = await startWire(pleased, { isTls: true });
    const refused: [what: string, host: string, server: Promise<{ port: number }> | WireServer, says: RegExp][] = [
      ['TLS of another age', '127.0.0.1', startSockets(alert), /: TLS was refused \(tlsv1 alert protocol version\)\. /],
      ['of an unknown authority', '127.0.0.1', strange, unknown],
      ['for another host', 'localhost', misnamed, /its certificate is for another host\. /],
    ];
    test.each(refused)(`${kind}: %s is refused: exit 7, nothing sent`, async (_what, host, server, says) => {
      const outcome = await runAnew(args, `https://${host}:${(await server).port}`);
      expect(outcome, outcome.stderr).toMatchObject({ code: 7 });
      expectSound(outcome, 7, says);
      expect(outcome.stderr).toContain('Nothing was sent.');
      expect([strange.requests, misnamed.requests]).toEqual([0, 0]);
    });
    test(`${kind}: of an authority in NODE_EXTRA_CA_CERTS is trusted`, async () => {
      const outcome = await runAnew(args, `https://127.0.0.1:${trusted.port}`, own);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      expect(trusted.requests).toBe(1);
    });
  }
});

describe.concurrent('addresses', async () => {
  const six = await startWire(pleased, { host: '::1' });
  for (const [suffix, args, line] of [
    ['/prefix/', LOGS, 'GET /prefix/get-call-logs?'],
    ['/prefix', CALL, 'POST /prefix/trigger-call '],
  ] as const) {
    test(`http://[::1]${suffix}, ${line}`, async () => {
      const outcome = await run(args, `http://[::1]:${six.port}${suffix}`);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      expect(six.received).toContain(line);
      expect(six.received).toContain(`host: [::1]:${six.port}\r\n`);
    });
  }

  /** Names with addresses of which only some are listened on: `::1` is not, 127.0.0.2 is not, and nobody has 192.0.2.1. */
  const hosts: Record<string, { name: string; addresses: string[] }> = {
    'first-refuses.test': { name: 'the first refuses', addresses: ['::1', '127.0.0.1'] },
    'last-refuses.test': { name: 'the last refuses', addresses: ['127.0.0.1', '::1'] },
    'two-refuse.test': { name: 'two refuse', addresses: ['::1', '127.0.0.2', '127.0.0.1'] },
    'first-is-silent.test': { name: 'the first does not answer', addresses: ['192.0.2.1', '127.0.0.1'] },
  };
  const { lookup } = dns;
  const lookUp = (host: string, options: dns.LookupAllOptions, done: (...found: unknown[]) => void) => {
    const addresses = hosts[host]?.addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (addresses === undefined) return lookup(host, options, done);
    setImmediate(done, null, addresses);
  };
  beforeAll(() => {
    dns.lookup = lookUp as typeof lookup;
  });
  afterAll(() => {
    dns.lookup = lookup;
  });
  for (const [host, { name }] of Object.entries(hosts)) {
    for (const [kind, args] of Object.entries(KINDS)) {
      describe(`${kind}: a host with several addresses, ${name}`, async () => {
        const server = await startWire(pleased);
        test('is reached, and asked once', async () => {
          const outcome = await run([...args, '--insecure-http'], `http://${host}:${server.port}`);
          expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
          expect(server.requests).toBe(1);
        });
      });
    }
  }

  test('POST: a host of which each address refuses: exit 7, nothing sent', async () => {
    const outcome = await run([...CALL, '--insecure-http'], `http://first-refuses.test:${CLOSED_PORT}`);
    expect(outcome, outcome.stderr).toMatchObject({ code: 7 });
    expectSound(outcome, 7, /the connection was refused\. Nothing was sent\./);
  });
});

describe.concurrent('plain http is for this machine', async () => {
  const server = await startWire(pleased);
  const { port } = server;
  const own = '127.0.0.1 127.1 2130706433 0x7f.0.0.1 LOCALHOST'.split(' ');
  const others = [
    ...'0.0.0.0 127.0.0.1.evil.com 127.0.0.1%2eevil.com localhost.evil.com evil.localhost localhost.'.split(' '),
    ...'[::ffff:127.0.0.1] [::] 128.0.0.1 user@127.0.0.1 localhost@evil.com'.split(' '),
  ];
  test.each([...own, ...others])('http://%s', async (host) => {
    const outcome = await run(LOGS, `http://${host}:${port}`);
    expect(outcome, outcome.stderr).toMatchObject({ code: own.includes(host) ? 0 : 2 });
  });
});

describe.concurrent('Ctrl-C', () => {
  interface Moment {
    args: readonly string[];
    reply: Reply;
    /** Where it is not a server that answers as `reply` says. */
    baseUrl?: string;
    /** Where a signal comes to the program; elsewhere it is told as `bin` tells it. */
    isProgram?: true;
    /** When it comes. */
    when: (command: UnderWay, server: WireServer) => Promise<void>;
    says: RegExp;
    /** 1 by default. */
    requests?: number;
  }
  const received = async (_command: UnderWay, server: WireServer) => {
    await vi.waitUntil(() => server.requests > 0, { timeout: 60_000, interval: 5 });
  };
  const said = (words: string) => (command: UnderWay) => command.says(words);
  const unknown = /Interrupted while \/trigger-call was under way: it may have been carried out\.\n.*vagent logs list/;
  const nothing = /^vagent: Interrupted: nothing was sent\.$/m;
  const interrupted = /^vagent: Interrupted\.$/m;
  const silent: Reply = () => {};
  const half: Reply = (socket) => void socket.write(answer(PLEASANT).subarray(0, -5));
  const later: Reply = (socket) => void socket.write(answer('{}', ['retry-after: 15'], '503 Later'));
  const lost = { when: said('ECONNREFUSED'), baseUrl: `http://127.0.0.1:${CLOSED_PORT}`, says: nothing, requests: 0 };
  const moments: Record<string, Moment> = {
    'while a POST waits for its answer': { args: CALL, reply: silent, isProgram: true, when: received, says: unknown },
    'while a POST reads its answer': { args: CALL, reply: half, when: received, says: unknown },
    'while a POST waits to be tried again': { args: [...CALL, '--verbose'], reply: pleased, ...lost },
    'while a GET waits for its answer': { args: LOGS, reply: silent, when: received, says: interrupted },
    'while a GET waits as long as Retry-After says': {
      ...{ args: [...LOGS, '--verbose'], reply: later, when: said('503'), says: interrupted },
    },
  };
  for (const [name, moment] of Object.entries(moments)) {
    const { args, reply, baseUrl, isProgram, when, says, requests = 1 } = moment;
    describe(name, async () => {
      const server = await startWire(reply);
      const env = { VAGENT_BASE_URL: baseUrl ?? at(server) };
      test(`exit 130, ${requests} received`, async () => {
        const begin = isProgram ? UnderWay.program : UnderWay.here;
        await expectInterrupted(begin(operator, args, { env }), (command) => when(command, server), says);
        expect(server.requests).toBe(requests);
      });
    });
  }

  describe('while a POST has TLS spoken', async () => {
    let connected = () => {};
    const connection = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const server = await startSockets(() => connected());
    test('exit 130, nothing sent', async () => {
      const env = { VAGENT_BASE_URL: `https://127.0.0.1:${server.port}` };
      await expectInterrupted(UnderWay.here(operator, CALL, { env }), () => connection, nothing);
    });
  });

  describe('through a proxy', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const silent = await startProxy(() => {
      asked();
      return true;
    });
    const through = ({ port }: { port: number }) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    test('that has not answered: exit 130, nothing sent', async () => {
      const env = { VAGENT_BASE_URL: 'https://service.test', ...through(silent) };
      await expectInterrupted(UnderWay.here(operator, CALL, { env }), () => isAsked, nothing);
    });

    const proxy = await startProxy();
    const server = await startWire(() => {}, { isTls: true });
    test('once a POST has gone: exit 130, the outcome unknown', async () => {
      const env = { VAGENT_BASE_URL: `https://service.test:${server.port}`, ...through(proxy) };
      const trusting = { ...env, NODE_EXTRA_CA_CERTS: AUTHORITY };
      const command = UnderWay.program(operator, CALL, { env: trusting });
      await expectInterrupted(command, () => received(command, server), unknown);
      expect(server.requests).toBe(1);
    });
  });
});

async function expectInterrupted(
  command: UnderWay,
  when: (command: UnderWay) => Promise<void>,
  says: RegExp,
): Promise<void> {
  await when(command);
  const { code, signal, stdout, stderr } = await command.interrupt();
  expect({ code, signal, stdout }, stderr).toEqual({ code: 130, signal: null, stdout: '' });
  expect(stderr).toMatch(says);
}

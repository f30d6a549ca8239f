/**
 * Services behind a proxy: which one the environment means, what it gets to see, and what is known of a request when the
 * way through it fails. Each service here is one of this machine, whatever name it is asked for by.
 */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../../src/http/client/proxy.ts';
import { casesBeside } from '../../support/cases.ts';
import { Operator } from '../../support/program.ts';
import {
  CALL,
  CLOSED_PORT,
  KINDS,
  LOGS,
  PLEASANT,
  type Refusal,
  type Reply,
  startProxy,
  startWire,
} from '../../support/wire.ts';

const cases = casesBeside(import.meta.filename);
const KEY = 'sk-PLANTED/9f+=key';
const operator = new Operator({ env: { VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY } });
/** Side by side: most wait for an answer. */
const run = (args: readonly string[], env: Record<string, string>) => operator.run(args, { env, cwd: operator.home });

const pleased: Reply = (socket) =>
  void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${PLEASANT.length}\r\n\r\n${PLEASANT}`);

const local = (port: number) => `http://127.0.0.1:${port}`;

describe('which proxy the environment means', () => {
  const service = 'https://voice.example.com/api';
  const proxy = 'http://proxy.example.com:3128';
  type Named = [base: string, env: Record<string, string>, proxy: string | undefined];
  test.each(cases<Named>('which proxy'))('%s, %j: %s', (base, env, named) => {
    expect(proxyFor(new URL(base), env)?.url.href).toBe(named);
  });

  test.each(cases<[string, string[], string[]]>('exempt'))('%s by %j, and not by %j', (base, exempting, others) => {
    for (const NO_PROXY of [...exempting, ...others]) {
      const isExempt = exempting.includes(NO_PROXY);
      for (const env of [{ NO_PROXY }, { no_proxy: NO_PROXY }])
        expect(proxyFor(new URL(base), { HTTPS_PROXY: proxy, ...env }) === undefined, NO_PROXY).toBe(isExempt);
    }
  });

  const credentials: [userinfo: string, pair: string | undefined][] = [
    ['user:secret', 'user:secret'],
    ['user:p%40ss%3Aword', 'user:p@ss:word'],
    ['user', 'user:'],
    [':token', ':token'],
    ['us%C3%A9r:100%', 'usér:100%'],
  ];
  test.each(credentials)('%s@ says %s', (userinfo, pair) => {
    const proxy = proxyFor(new URL(service), { HTTPS_PROXY: `http://${userinfo}@proxy.example.com` });
    expect(Buffer.from(proxy?.authorization?.replace('Basic ', '') ?? '', 'base64').toString()).toBe(pair);
  });
});

describe.concurrent('a proxy that cannot be used: exit 2, and its value is not repeated', async () => {
  const server = await startWire(pleased, { isTls: true });
  const values = [
    'socks5://user:hidden-word@127.0.0.1:1080',
    'socks4://user:hidden-word@127.0.0.1:1080',
    'ftp://user:hidden-word@127.0.0.1',
    'http://user:hidden-word@',
    'http://user:hidden-word@127.0.0.1:99999',
    'http://user:hidden-word@[::1',
    '://hidden-word',
  ];
  for (const value of values) {
    for (const name of ['HTTPS_PROXY', 'https_proxy']) {
      test(`${name}=${value}`, async () => {
        const env = { VAGENT_BASE_URL: `https://127.0.0.1:${server.port}`, [name]: value };
        for (const args of [CALL, [...LOGS, '--json']]) {
          const { code, stdout, stderr } = await run(args, env);
          expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
          expect(stderr).toContain(name);
          expect(stderr).not.toContain('hidden');
        }
        expect(server.connections).toBe(0);
      });
    }
  }
});

describe.concurrent('through a proxy', () => {
  for (const [kind, args] of Object.entries(KINDS)) {
    describe(`${kind} to a host that only the proxy can find`, async () => {
      const [server, proxy] = await Promise.all([startWire(pleased, { isTls: true }), startProxy()]);
      test('is sent once, and the proxy sees none of it', async () => {
        const outcome = await run(args, {
          VAGENT_BASE_URL: `https://service.test:${server.port}/api`,
          HTTPS_PROXY: local(proxy.port),
        });
        expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
        expect(proxy.asked).toEqual([`service.test:${server.port}`]);
        expect(proxy.authorizations).toEqual([undefined]);
        expect(server.requests).toBe(1);
        expect(server.received).toContain(`host: service.test:${server.port}\r\n`);
        // The key has reached the service, and the proxy no word of it.
        expect(server.received).toContain('PLANTED');
        expect(proxy.seen.length).toBeGreaterThan(0);
        for (const trace of ['PLANTED', 'api_key', 'organization_id']) expect(proxy.seen).not.toContain(trace);
      });
    });

    const ways = [
      { way: 'in plain http, through a tunnel as well', isTls: false, isProxyTls: false, isLocal: false },
      { way: 'in plain http to this machine, on which it stays', isTls: false, isProxyTls: false, isLocal: true },
      { way: 'through a proxy that speaks TLS', isTls: true, isProxyTls: true, isLocal: false },
    ];
    for (const { way, isTls, isProxyTls, isLocal } of ways) {
      describe(`${kind} ${way}`, async () => {
        const [server, proxy] = await Promise.all([
          startWire(pleased, { isTls }),
          startProxy(undefined, { isTls: isProxyTls }),
        ]);
        test('is sent once', async () => {
          const url = isLocal ? local(server.port) : `http${isTls ? 's' : ''}://service.test:${server.port}`;
          const through = isLocal
            ? 'http://proxy.invalid:3128'
            : `http${isProxyTls ? 's' : ''}://127.0.0.1:${proxy.port}`;
          const env = { VAGENT_BASE_URL: url, [isTls ? 'HTTPS_PROXY' : 'HTTP_PROXY']: through };
          const outcome = await run([...args, ...(isTls || isLocal ? [] : ['--insecure-http'])], env);
          expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
          expect(proxy.asked).toEqual(isLocal ? [] : [`service.test:${server.port}`]);
          expect(server.requests).toBe(1);
        });
      });
    }
  }

  describe('to an IPv6 address', async () => {
    const [server, proxy] = await Promise.all([startWire(pleased, { isTls: true, host: '::1' }), startProxy()]);
    test('is asked for in brackets', async () => {
      const env = { VAGENT_BASE_URL: `https://[::1]:${server.port}`, HTTPS_PROXY: local(proxy.port) };
      const outcome = await run(LOGS, env);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      expect(proxy.asked).toEqual([`[::1]:${server.port}`]);
    });
  });

  describe('named in NO_PROXY', async () => {
    const [server, proxy] = await Promise.all([startWire(pleased, { isTls: true }), startProxy()]);
    test('the service is reached straight', async () => {
      const env = { VAGENT_BASE_URL: `https://127.0.0.1:${server.port}`, HTTPS_PROXY: local(proxy.port) };
      const outcome = await run(LOGS, { ...env, NO_PROXY: '127.0.0.1' });
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
      expect(proxy.asked).toEqual([]);
    });
  });
});

describe.concurrent('credentials of a proxy', () => {
  const PAIR = 'buyer:p@ss/w0rd';
  const BASIC = Buffer.from(PAIR).toString('base64');
  const userinfo = 'buyer:p%40ss%2Fw0rd';
  const traces = ['p@ss/w0rd', 'p%40ss', 'w0rd', BASIC];
  const asks: Refusal = (request, socket) => {
    if (request.headers['proxy-authorization'] === `Basic ${BASIC}`) return undefined;
    const said = request.headers['proxy-authorization'];
    socket.end(`HTTP/1.1 407 ${said}\r\nproxy-authenticate: Basic realm="${said}"\r\ncontent-length: 0\r\n\r\n`);
    return true;
  };
  const echoes: Reply = (socket) => {
    const said = JSON.stringify({ message: `No: ${PAIR} ${userinfo} ${BASIC}.` });
    socket.write(`HTTP/1.1 404 Not Found\r\ncontent-length: ${said.length}\r\n\r\n${said}`);
  };
  for (const [kind, args] of Object.entries(KINDS)) {
    // A second call to a number is refused while nobody knows what comes of the first.
    describe.sequential(kind, async () => {
      const [server, echo] = await Promise.all([
        startWire(pleased, { isTls: true }),
        startWire(echoes, { isTls: true }),
      ]);
      const [proxy, other] = await Promise.all([startProxy(asks), startProxy(asks)]);
      const to = ({ port }: { port: number }, via: { port: number }, who: string) => ({
        VAGENT_BASE_URL: `https://service.test:${port}`,
        HTTPS_PROXY: `http://${who}@127.0.0.1:${via.port}`,
      });
      test('are sent to it, to nobody else, and shown to nobody', async () => {
        for (const flags of [['--verbose'], ['--json'], []]) {
          const good = await run([...args, ...flags], to(server, proxy, userinfo));
          expect(good, good.stderr).toMatchObject({ code: 0 });
          const echoed = await run([...args, ...flags], to(echo, proxy, userinfo));
          expect(echoed, echoed.stderr).toMatchObject({ code: 5 });
          for (const { stdout, stderr } of [good, echoed]) {
            for (const trace of traces) expect(stdout + stderr).not.toContain(trace);
          }
        }
        expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${BASIC}`]));
        expect(server.received).not.toContain('proxy-authorization');
      });
      test('that are wrong: exit 7, nothing sent, not tried again', async () => {
        const { code, stdout, stderr } = await run([...args, '--verbose'], to(server, other, 'buyer:wr0ng-word'));
        expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' });
        expect(stderr).toMatch(
          /The proxy 127\.0\.0\.1:\d+ refused .* \(407\)\. Nothing was sent\.\n.*user name and password in HTTPS_PROXY/,
        );
        for (const trace of ['wr0ng', Buffer.from('buyer:wr0ng-word').toString('base64')]) {
          expect(stderr).not.toContain(trace);
        }
        expect(stderr).toMatch(/^(POST|GET) \/[a-z-]+ proxy 407 \d+ ms, attempt 1$/m);
        expect(other.asked).toHaveLength(1);
      });
    });
  }
});

describe.concurrent('what a failure on the way through a proxy means', () => {
  interface Row {
    post: number;
    get: number;
    /** What the proxy does with a request for a tunnel, where it does not open one. */
    refuse?: Refusal;
    /** Where it is not the proxy of the test. */
    proxyUrl?: string;
    /** What the service does; undefined where it is none that speaks TLS. */
    reply?: Reply;
    /** Tunnels that were asked for, and requests that the service counts. */
    tunnels: { post: number; get: number };
    requests: { post: number; get: number };
    says: RegExp;
    flags?: string[];
    /** False where nobody trusts the certificate of the service. */
    isKnown?: false;
  }
  const nothing = { post: 0, get: 0 };
  const once = { post: 1, get: 1 };
  const thrice = { post: 3, get: 3 };
  const respond =
    (text: string): Refusal =>
    (_request, socket) => {
      socket.end(text);
      return true;
    };
  const unsent = (tunnels: Row['tunnels'], says: RegExp) => ({ post: 7, get: 7, tunnels, requests: nothing, says });
  const status = (code: number, tunnels: Row['tunnels']): Row => ({
    ...unsent(
      tunnels,
      new RegExp(`^vagent: The proxy 127\\.0\\.0\\.1:\\d+ refused to connect to service\\.test:\\d+ \\(${code}\\)\\.`),
    ),
    refuse: respond(`HTTP/1.1 ${code} No\r\ncontent-length: 2\r\n\r\nno`),
  });
  const failed = (why: string) => new RegExp(`^vagent: Cannot reach service\\.test:\\d+ through the proxy .*: ${why}`);
  const cut = (then: (socket: Socket) => void): Row => ({
    post: 8,
    get: 7,
    reply: then,
    tunnels: { post: 1, get: 3 },
    requests: { post: 1, get: 3 },
    says: /the connection was cut|answered/,
  });

  /** Opens a tunnel to nothing but what follows. */
  const opens =
    (then: (socket: Socket) => unknown): Refusal =>
    (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      then(socket);
      return true;
    };
  const behind = (why: string) =>
    new RegExp(`^vagent: Cannot reach service\\.test:\\d+: ${why}\\. Nothing was sent\\.`);
  const answered = (reply: Reply, says: RegExp) => ({ reply, tunnels: once, requests: once, says });
  const [five, six] = [
    ['--timeout', '5s'],
    ['--timeout', '6s'],
  ];
  const no407: Reply = (socket) => void socket.write('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n');
  const half = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{';

  const rows: Record<string, Row> = {
    'it is not there': { ...unsent(nothing, failed('the connection was refused')), proxyUrl: local(CLOSED_PORT) },
    'its name does not resolve': {
      ...{ ...unsent(nothing, failed('the name does not resolve')), proxyUrl: 'http://no-such-proxy.invalid:3128' },
    },
    'it does not speak TLS, as its URL says': {
      ...{ ...unsent(nothing, failed('it does not speak TLS')), proxyUrl: 'https:own' },
    },
    ...Object.fromEntries([302, 403, 404, 407].map((code) => [code, status(code, once)])),
    ...Object.fromEntries([500, 502, 503].map((code) => [code, status(code, thrice)])),
    'it hangs up': {
      ...unsent(thrice, failed('the connection was cut')),
      refuse: (_request, socket) => {
        socket.resetAndDestroy();
        return true;
      },
    },
    'it says what is no HTTP': {
      ...unsent(thrice, failed('it does not speak proper HTTP')),
      refuse: respond('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    },
    'it says nothing': {
      ...unsent(once, failed('no connection within 5 s \\(--timeout\\)')),
      ...{ refuse: () => true, flags: five },
    },
    'the service does not speak TLS': {
      ...unsent(thrice, behind('it does not speak TLS')),
      refuse: opens((socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    },
    'the certificate of the service is not trusted': {
      ...unsent(thrice, behind('its certificate cannot be verified')),
      ...{ reply: pleased, isKnown: false },
    },
    'the way ends before TLS is spoken': {
      ...unsent(thrice, behind('the connection was cut')),
      refuse: opens((socket) => setTimeout(() => socket.destroy(), 50)),
    },
    'the service never takes up TLS': {
      ...unsent(once, behind('no connection within 5 s \\(--timeout\\)')),
      ...{ refuse: opens(() => {}), flags: five },
    },
    'the service hangs up on the request': cut((socket) => socket.destroy()),
    'the service hangs up inside its answer': cut((socket) => socket.end(half)),
    'the service answers 407 itself': { post: 3, get: 3, ...answered(no407, /refused \(407\)/) },
    'the service does not answer': {
      ...{ post: 8, get: 7, ...answered(() => {}, /no full answer within 6 s \(--timeout\)/), flags: six },
    },
  };

  describe('', async () => {
    for (const [name, row] of Object.entries(rows)) {
      const { refuse, reply, tunnels, requests, says, flags = [], isKnown = true } = row;
      for (const [kind, args] of Object.entries(KINDS)) {
        const which = kind === 'POST' ? 'post' : 'get';
        describe(`${kind}: ${name}`, async () => {
          const [server, proxy] = await Promise.all([
            startWire(reply ?? pleased, { isTls: reply !== undefined, isKnown }),
            startProxy(refuse),
          ]);
          const own = row.proxyUrl === 'https:own' ? `https://127.0.0.1:${proxy.port}` : local(proxy.port);
          const proxyUrl = row.proxyUrl?.startsWith('http:') ? row.proxyUrl : own;
          test(`exit ${row[which]}, ${requests[which]} received`, async () => {
            const { code, stdout, stderr } = await run([...args, ...flags, '--quiet'], {
              VAGENT_BASE_URL: `https://service.test:${server.port}`,
              HTTPS_PROXY: proxyUrl,
            });
            expect({ code, stdout }, stderr).toEqual({ code: row[which], stdout: '' });
            expect(stderr).toMatch(new RegExp(says, 'm'));
            expect(stderr).not.toContain('PLANTED');
            if (requests.post === 0) expect(stderr).toContain('Nothing was sent.');
            expect(proxy.asked).toHaveLength(tunnels[which]);
            expect(server.requests).toBe(requests[which]);
          });
        });
      }
    }
  });
});

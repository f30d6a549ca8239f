/**
 * Every way in which a service fails × the operations that matter most: what the program exits with, what it says, and how
 * many requests the service counted. A phone that rings twice cannot be made to not have rung.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { casesBeside } from '../support/cases.ts';
import {
  CERTIFICATE,
  type Fault,
  type Reply,
  type Response,
  replies,
  response,
  startFaultyService,
} from '../support/faulty-service.ts';
import { aCall } from '../support/hostile-log.ts';
import { Operator, temporaryFolder } from '../support/program.ts';

// The failures ------------------------------------------------------------------------------------------------------

interface Expected {
  fault: Fault;
  /** Exit codes of a POST and of a GET. */
  post: number;
  get: number;
  /** Requests that the service counts, of a POST and of a GET. */
  postRequests: number;
  getRequests: number;
  /** Connections that are opened, where not each carries a request. */
  connections?: { post: number; get: number };
  /** What is said of it, whatever the operation. */
  says: RegExp;
  flags?: string[];
  env?: Record<string, string>;
}

type Case = Pick<Expected, 'fault' | 'says' | 'flags' | 'connections' | 'env'>;

/** Surely nothing was sent: tried three times, and safe to try again. `connections`: of each attempt. */
const unsent = (fault: Fault, says: RegExp, connections: 0 | 1): Expected => ({
  fault,
  says: new RegExp(`${says.source}.*Nothing was sent`),
  ...{ post: 7, get: 7, postRequests: 0, getRequests: 0 },
  connections: { post: 3 * connections, get: 3 * connections },
});

/** It may have been carried out: a POST is sent once, a GET is tried three times. */
const inDoubt = (row: Case): Expected => ({ ...row, post: 8, get: 7, postRequests: 1, getRequests: 3 });

/** It may have been carried out, and to ask again would be in vain or too late. */
const inDoubtOnce = (row: Case): Expected => ({ ...row, post: 8, get: 7, postRequests: 1, getRequests: 1 });

const refused = (row: Case): Expected => ({ ...row, post: 3, get: 3, postRequests: 1, getRequests: 1 });

const answered = (parts: Response, says: RegExp): Case => ({ fault: { reply: replies(parts) }, says });

/** Bytes, and then the end of the connection: the other side cannot tell it from a service that died. */
const cutAfter = (parts: Response, kept: (bytes: Buffer) => Buffer): Case => ({
  fault: { reply: (socket) => void socket.end(kept(response(parts))) },
  says: CUT,
});

const CUT = /did not answer \/[a-z-]+: the connection was cut/;
const UNREADABLE = /answered \/[a-z-]+ with 200, but not as the interface says/;

/** Not all of the answer comes in time. When a GET is given up, undici may connect once more, and sends nothing there. */
const late = (reply: Reply): Expected => ({
  ...inDoubtOnce({ fault: { reply }, says: /no full answer within 10 s/, flags: LATE }),
  connections: { post: 1, get: expect.toBeOneOf([1, 2]) },
});
/** Enough for a busy machine to send what is then answered late. */
const LATE = ['--timeout', '10s'];

/** What would please every operation, if only it arrived. */
const PLEASANT = JSON.stringify({
  success: true,
  ...{ sip_trunk_id: 'ST_1', sip_call_to: '+14155550123', room_name: 'room' },
  ...{ participant_identity: 'sip_1', participant_name: 'Ana' },
  ...{ campaign_id: 9, campaign_name: 'Spring', status: 'running', total_contacts: 2 },
  ...{ calls: [aCall()], total: 1, limit: 1, offset: 0 },
});

/** Small on the wire; inflated it is 320 MiB of blanks inside an answer that would please. */
const blanks = gzipSync(Buffer.alloc(1 << 24, ' '));
const bomb = Buffer.concat([gzipSync(PLEASANT.slice(0, -1)), ...Array<Buffer>(20).fill(blanks), gzipSync('}')]);

/** Where a redirect leads. It must stay unvisited: the key would come along. */
const elsewhere = await startFaultyService({ reply: replies({ body: PLEASANT }) });

const redirect = (status: number): Expected =>
  inDoubtOnce({
    fault: {
      reply: (socket, { path }) =>
        void socket.write(response({ status, headers: { location: `${elsewhere.url}${path}` } })),
    },
    says: new RegExp(`redirect \\(${status}\\), which is never followed`),
  });

const KINDS = { 'in doubt': inDoubt, 'in doubt once': inDoubtOnce, refused };
const REPLIES = casesBeside(import.meta.filename)<[string, keyof typeof KINDS, Response, RegExp, Partial<Expected>?]>(
  'replies that do not please',
);

const MATRIX: Record<string, Expected> = {
  // Nobody listens at another address of this machine, whatever other tests do with its ports.
  'connection refused': unsent(
    { url: ({ port }) => `http://127.0.0.2:${port}` },
    /Cannot reach 127\.0\.0\.2:\d+: the connection was refused/,
    0,
  ),
  'name not resolved': unsent(
    { url: () => 'https://something.invalid' },
    /Cannot reach something\.invalid: the name does not resolve/,
    0,
  ),
  'TLS refused: a certificate that is self-signed': unsent({ isTls: true }, /its certificate is self-signed/, 1),
  'TLS refused: the port does not speak TLS': unsent(
    {
      takes: (socket) => socket.resume().end(response({ status: 400 })),
      url: ({ port }) => `https://127.0.0.1:${port}`,
    },
    /it does not speak TLS/,
    1,
  ),
  'TLS refused: closed during the handshake': unsent(
    {
      takes: (socket) => void socket.once('data', () => socket.end()).resume(),
      url: ({ port }) => `https://127.0.0.1:${port}`,
    },
    /the connection was cut/,
    1,
  ),
  'TLS refused: reset during the handshake': unsent(
    {
      takes: (socket) => void socket.once('data', () => socket.resetAndDestroy()).resume(),
      url: ({ port }) => `https://127.0.0.1:${port}`,
    },
    /the connection was cut/,
    1,
  ),

  'reset as the request arrives': {
    ...inDoubt({
      // Were it reset before the program sends, that would at times look like a refusal.
      fault: { takes: (socket) => void socket.once('data', () => socket.resetAndDestroy()).resume() },
      says: CUT,
      connections: { post: 1, get: 3 },
    }),
    postRequests: 0,
    getRequests: 0,
  },
  'reset after the request was read': inDoubt({
    fault: { reply: (socket) => void socket.resetAndDestroy() },
    says: CUT,
  }),
  'clean close after the request was read': inDoubt({ fault: { reply: (socket) => void socket.end() }, says: CUT }),
  'reset after half the headers': inDoubt({
    fault: {
      reply: (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-ty', async () => {
          // Within two turns the program, in this same process, has read them.
          await nextTurn();
          await nextTurn();
          socket.resetAndDestroy();
        }),
    },
    says: CUT,
  }),
  'deadline before headers': late(() => {}),
  'deadline in the body': late((socket) => socket.write(response({ body: PLEASANT }).subarray(0, -20))),
  'one byte a second': late((socket) => {
    const bytes = response({ body: PLEASANT });
    let at = 0;
    const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 1000);
    socket.on('close', () => clearInterval(timer));
  }),

  ...Object.fromEntries(
    REPLIES.map(([name, kind, parts, says, more]) => [name, { ...KINDS[kind](answered(parts, says)), ...more }]),
  ),
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`${status} to another origin`, redirect(status)])),
  '200 shorter than its content-length': inDoubt(cutAfter({ body: PLEASANT }, (bytes) => bytes.subarray(0, -20))),
  '200 in chunks that break off': inDoubt(
    cutAfter(
      {
        headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' },
        body: `${PLEASANT.length.toString(16)}\r\n${PLEASANT}\r\n`,
      },
      // All of the answer is there, but not the word that it is all.
      (bytes) => bytes,
    ),
  ),
  '200 without a length that breaks off': inDoubt({
    ...cutAfter({ headers: { 'content-length': undefined }, body: PLEASANT }, (bytes) => bytes.subarray(0, -20)),
    says: UNREADABLE,
  }),
  'a gzip bomb': inDoubtOnce(
    answered(
      { headers: { 'content-encoding': 'gzip' }, body: bomb },
      /(longer|larger|bigger|more|too long|too large|too big)\b.*\b(bytes|[KMG]i?B)/,
    ),
  ),
  'a header of 20 KB': inDoubtOnce(
    answered({ headers: { 'x-long': 'x'.repeat(20_000) }, body: PLEASANT }, /its headers are too long/),
  ),
};

/** What is not failing is not called so: the same service, the same certificate, believed. */
const CONTROLS: Record<string, Expected> = {
  'an answer that pleases': {
    ...answered({ body: PLEASANT }, /^/),
    ...{ post: 0, get: 0, postRequests: 1, getRequests: 1 },
  },
  'the same in single bytes over TLS that is trusted': {
    fault: {
      isTls: true,
      reply: (socket) => {
        for (const byte of response({ body: PLEASANT })) socket.write(Buffer.of(byte));
      },
    },
    says: /^/,
    ...{ post: 0, get: 0, postRequests: 1, getRequests: 1 },
    env: { NODE_EXTRA_CA_CERTS: CERTIFICATE },
  },
};

// The operations ----------------------------------------------------------------------------------------------------

interface Operation {
  args: string[];
  method: 'GET' | 'POST';
  path: string;
  /** Where the outcome is unknown: the command that shows it. */
  look?: RegExp;
}

const DAY = String.raw`--start-date \d{4}-\d\d-\d\d`;
const CALL_LOOK = new RegExp(String.raw`vagent logs list --to \+14155550123 --from \+14155550100 --agent 3 ${DAY}`);
const CAMPAIGN_LOOK = new RegExp(String.raw`vagent logs list --from \+14155550100 --agent 3 ${DAY}`);

const OPERATIONS: Record<string, Operation> = {
  'trigger-call': {
    args: ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'],
    method: 'POST',
    path: '/trigger-call',
    look: CALL_LOOK,
  },
  'create-campaign': {
    args: [
      ...['api', 'create-campaign', 'campaign_name=Spring', 'agent_id=3', 'call_from=+14155550100'],
      'contacts=[{"phone_number":"+14155550190"}]',
    ],
    method: 'POST',
    path: '/create-campaign',
    look: CAMPAIGN_LOOK,
  },
  'get-call-logs': { args: ['logs', 'list'], method: 'GET', path: '/get-call-logs' },
};

// Every cell ----------------------------------------------------------------------------------------------------------

/** What the services counted, cell by cell. */
const ledger: { cell: string; posts: number; connections: number; mayConnectAgain: boolean }[] = [];

const CELLS = Object.entries({ ...MATRIX, ...CONTROLS }).flatMap(([failure, expected]) =>
  Object.entries(OPERATIONS).map(([name, operation]) => ({ name: `${failure} × ${name}`, operation, expected })),
);

/** They name no file: in one working folder they run side by side. */
const cwd = temporaryFolder();

/** One run in a home of its own: what is remembered of a call that may have been placed must not hinder the next cell. */
async function play(
  cell: string,
  { args, method, path }: Operation,
  { fault, flags = [], env = {} }: Expected,
  mode: string[],
) {
  const service = await startFaultyService(fault);
  try {
    const operator = new Operator({
      cwd,
      env: { VAGENT_BASE_URL: service.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'a-key-of-7', ...env },
    });
    const outcome = await operator.run([...args, ...flags, ...mode]);
    const posts = service.requests.filter((request) => request.method === 'POST').length;
    const connections = service.connections();
    const mayConnectAgain = method === 'GET' || outcome.code === 7;
    ledger.push({ cell: `${cell} ${mode.join(' ')}`, posts, connections, mayConnectAgain });
    return {
      outcome,
      connections,
      requests: service.requests.map((request) => `${request.method} ${request.path}`),
      path,
    };
  } finally {
    await service.close();
  }
}

const MODES = [[], ['--json']];

/** Cells that wait for a deadline begin before all others, and wait together. */
const begun = new Map<string, ReturnType<typeof play>>();
beforeAll(() => {
  for (const { name, operation, expected } of CELLS.filter((cell) => cell.expected.flags === LATE))
    for (const mode of MODES) begun.set([name, ...mode].join(), play(name, operation, expected, mode));
});

describe.concurrent('each failure × each operation', () => {
  for (const { name, operation, expected } of CELLS) {
    const played = (...mode: string[]) => begun.get([name, ...mode].join()) ?? play(name, operation, expected, mode);
    const isPost = operation.method === 'POST';
    const code = isPost ? expected.post : expected.get;
    const count = isPost ? expected.postRequests : expected.getRequests;
    const connections = expected.connections?.[isPost ? 'post' : 'get'] ?? count;
    const requests = Array<string>(count).fill(`${operation.method} ${operation.path}`);

    test(`${name}: exit ${code}, ${count} counted`, async () => {
      const { outcome, ...counted } = await played();
      expect(outcome, outcome.stderr).toMatchObject({ code });
      expect(counted).toMatchObject({ requests, connections });
      if (code === 0) return expect(outcome.stdout).not.toBe('');
      expect(outcome.stdout).toBe('');
      const told = outcome.stderr.split('\n').filter((line) => line.startsWith('vagent: '));
      expect(told).toEqual([expect.stringMatching(expected.says)]);
      expect(outcome.stderr).not.toContain('    at ');
      if (code === 8) expect(outcome.stderr).toMatch(operation.look as RegExp);
      else expect(outcome.stderr).not.toContain('may have been carried out');
    });

    test(`${name} --json: the error as one object`, async () => {
      const { outcome, ...counted } = await played('--json');
      expect(outcome, outcome.stderr).toMatchObject({ code });
      expect(counted).toMatchObject({ requests, connections });
      if (code === 0) return expect(JSON.parse(outcome.stdout)).toMatchObject({ success: true });
      expect(outcome.stdout).toBe('');
      const { error, ...rest } = JSON.parse(outcome.stderr) as { error: Record<string, unknown> };
      expect(rest).toEqual({});
      expect(error).toMatchObject({ exit_code: code, message: expect.stringMatching(expected.says) });
      if (code === 8) expect(error.hint).toMatch(operation.look as RegExp);
    });
  }
});

describe('over all cells', () => {
  test('no POST was received twice, and none that may have been received was tried again', () => {
    expect(ledger.filter(({ posts }) => posts > 1)).toEqual([]);
    expect(ledger.filter(({ connections, mayConnectAgain }) => connections > 1 && !mayConnectAgain)).toEqual([]);
    expect(ledger).toHaveLength(2 * CELLS.length);
  });

  test('nothing followed a redirect to another origin', async () => {
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });
});

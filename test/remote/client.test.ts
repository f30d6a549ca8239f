/**
 * The remote backend, seen from both ends of the wire: what the built program sends, byte for byte, and what it makes of
 * whatever comes back. Two promises matter most: a POST is never sent twice, and the key is shown to nobody.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aCall } from '../support/hostile-log.ts';
import { type Answer, sendJson, startServer, type TestServer } from '../support/http.ts';
import { Operator, temporaryFolder } from '../support/program.ts';
import { CLOSED_PORT } from '../support/wire.ts';

/** Commands in one working folder run side by side: files are named from the home. */
const cwd = temporaryFolder();

const KEY = 'sk-PLANTED/9f+=key';
const KEY_IN_QUERY = 'sk-PLANTED%2F9f%2B%3Dkey';
const CREDENTIALS = { VAGENT_ORG_ID: '7', VAGENT_API_KEY: KEY };

/** An answer that pleases each operation. */
const PLEASANT: Record<string, object> = {
  '/trigger-call': {
    success: true,
    sip_trunk_id: 'ST_1',
    sip_call_to: '+14155550123',
    room_name: 'room',
    participant_identity: 'sip_1',
    participant_name: 'Ana',
  },
  '/create-campaign': { success: true, campaign_id: 9, campaign_name: 'Spring', status: 'running', total_contacts: 2 },
  '/get-call-logs': { success: true, calls: [aCall()], total: 1, limit: 1, offset: 0 },
  '/create-agent': { success: true, agent_id: 5, agent_name: 'Front desk', status: 'active' },
  '/get-agents': { success: true, agents: [{ agent_id: 5, agent_name: 'Front desk', status: 'active' }], total: 1 },
  '/get-voices': { success: true, voices: [{ voice_id: 2, voice_name: 'Ava', language: 'en' }], total: 1 },
};

const please: Answer = ({ path }, response) =>
  sendJson(response, 200, PLEASANT[`/${path.split('/').at(-1)}`] ?? { success: true });

interface Shop {
  operator: Operator;
  server: TestServer;
}

/** A service and an operator of their own. Made while tests are collected: hooks of vitest do not work inside one. */
async function setUp(answer: Answer, env: Record<string, string> = CREDENTIALS): Promise<Shop> {
  const server = await startServer(answer);
  return { server, operator: new Operator({ cwd, env: { VAGENT_BASE_URL: server.url, ...env } }) };
}

const CALL = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];
const LOGS = ['logs', 'list'];

// What is sent --------------------------------------------------------------------------------------------------------

describe.concurrent('the exact request', () => {
  const head = '{"organization_id":7,"api_key":"sk-PLANTED/9f+=key",';
  const query = `organization_id=7&api_key=${KEY_IN_QUERY}`;
  const contacts = [
    'phone_number,custom_first_line,custom_instruction,custom_identifiers',
    '+14155550190,Hi Ana.,Ask for the date.,crm-1',
    '+14155550191,,,',
  ];
  const campaign = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
  const many = Array.from({ length: 2500 }, (_none, at) => `+1415${5_560_000 + at}`);
  const agent = ['agent', 'create', '--name', 'Front desk', '--prompt', 'Be brief.', '--voice', '2'];

  interface Sent {
    args: readonly string[];
    input?: string;
    /** Method, path and query string. */
    line: string;
    body?: string;
  }
  const requests: Record<string, Sent> = {
    'trigger-call, nothing optional': {
      args: CALL,
      line: 'POST /trigger-call',
      body: `${head}"use_agent_id":3,"called_to":"+14155550123","call_from":"+14155550100","custom_first_line":"Hello.","custom_identifiers":""}`,
    },
    'trigger-call, everything, flags in any order': {
      args: [
        ...['call', '--account', 'crm', '--identifier', 'order "7"', '--instruction', 'Grüß 👋\nthen ask.'],
        ...['--first-line', 'Hello, "Ana".', '--from', '+14155550100', '--agent', '3', '+14155550123'],
      ],
      line: 'POST /trigger-call',
      body: `${head}"use_agent_id":3,"called_to":"+14155550123","call_from":"+14155550100","custom_first_line":"Hello, \\"Ana\\".","custom_instruction":"Grüß 👋\\nthen ask.","called_by_account":"crm","custom_identifiers":"order \\"7\\""}`,
    },
    'create-campaign, nothing optional': {
      args: [...campaign, '--contacts', '-'],
      input: 'phone_number\n+14155550190\n',
      line: 'POST /create-campaign',
      body: `${head}"campaign_name":"Spring","agent_id":3,"call_from":"+14155550100","contacts":[{"phone_number":"+14155550190"}]}`,
    },
    'create-campaign, everything': {
      args: [
        ...[...campaign, '--contacts', '-', '--start', '2099-01-01T09:00+01:00', '--calls-per-hour', '120'],
        ...['--retry-attempts', '0', '--retry-delay', '15m'],
      ],
      input: `${contacts.join('\r\n')}\r\n`,
      line: 'POST /create-campaign',
      body: `${head}"campaign_name":"Spring","agent_id":3,"call_from":"+14155550100","contacts":[{"phone_number":"+14155550190","custom_first_line":"Hi Ana.","custom_instruction":"Ask for the date.","custom_identifiers":"crm-1"},{"phone_number":"+14155550191"}],"start_time":"2099-01-01T08:00:00.000Z","calls_per_hour":120,"retry_attempts":0,"retry_delay":900}`,
    },
    'create-campaign, more contacts than are encoded at a time': {
      args: [...campaign, '--contacts', '-'],
      input: `phone_number\n${many.join('\n')}\n`,
      line: 'POST /create-campaign',
      body: `${head}"campaign_name":"Spring","agent_id":3,"call_from":"+14155550100","contacts":${JSON.stringify(many.map((phone_number) => ({ phone_number })))}}`,
    },
    'get-call-logs, nothing optional': { args: LOGS, line: `GET /get-call-logs?${query}` },
    'get-call-logs, everything': {
      args: [
        ...[...LOGS, '--offset', '0', '--limit', '100', '--agent', '3'],
        ...['--end-date', '2026-11-30', '--start-date', '2026-11-01'],
      ],
      line: `GET /get-call-logs?${query}&start_date=2026-11-01&end_date=2026-11-30&agent_id=3&limit=100&offset=0`,
    },
    'create-agent, nothing optional': {
      args: agent,
      line: 'POST /create-agent',
      body: `${head}"agent_name":"Front desk","base_prompt":"Be brief.","voice_id":2}`,
    },
    'create-agent, everything': {
      args: [...agent, '--goal', 'qualify_lead', '--greeting', '¡Hola!', '--description', '', '--language', 'es'],
      line: 'POST /create-agent',
      body: `${head}"agent_name":"Front desk","agent_description":"","base_prompt":"Be brief.","voice_id":2,"language":"es","greeting":"¡Hola!","conversation_goal":"qualify_lead"}`,
    },
    'get-agents, nothing optional': { args: ['agent', 'list'], line: `GET /get-agents?${query}` },
    'get-agents, everything': {
      args: ['agent', 'list', '--limit', '5', '--offset', '10', '--status', 'paused'],
      line: `GET /get-agents?${query}&status=paused&limit=5&offset=10`,
    },
    'get-voices, nothing optional': { args: ['voice', 'list'], line: `GET /get-voices?${query}` },
    'get-voices, everything': {
      args: ['voice', 'list', '--gender', 'female', '--language', 'es&x=1 ü'],
      line: `GET /get-voices?${query}&language=es%26x%3D1+%C3%BC&gender=female`,
    },
    'the raw operation, null for what is optional': {
      args: ['api', 'create-agent', '--input', '-'],
      input:
        '{"agent_name": "Front desk", "base_prompt": "Be brief.", "voice_id": 2, "greeting": null, "language": null}',
      line: 'POST /create-agent',
      body: `${head}"agent_name":"Front desk","base_prompt":"Be brief.","voice_id":2}`,
    },
    'the raw operation': {
      args: ['api', 'create-agent', '--input', '-'],
      input: '{"agent_name": "Front desk", "base_prompt": "Be brief.", "voice_id": 2}',
      line: 'POST /create-agent',
      body: `${head}"agent_name":"Front desk","base_prompt":"Be brief.","voice_id":2}`,
    },
  };

  for (const [name, { args, input = '', line, body = '' }] of Object.entries(requests)) {
    describe(name, async () => {
      const lines: string[] = [];
      const { operator, server } = await setUp((request, response) => {
        if (name.startsWith('create-campaign') && request.path === '/get-agents') {
          return sendJson(response, 200, { success: true, agents: [{ agent_id: 3, status: 'active' }], total: 1 });
        }
        lines.push(`${request.method} ${response.req.url}`);
        return please(request, response);
      });
      test(line.replace(/\?.*/, ''), async () => {
        expect(await operator.run(args, { input })).toMatchObject({ code: 0 });
        expect(lines).toEqual([line]);
        const { headers, body: sent } = server.received.at(-1) ?? { headers: {}, body: undefined };
        expect(sent).toBe(body);
        expect(headers['content-type']).toBe(body === '' ? undefined : 'application/json');
        expect(headers['content-length']).toBe(body === '' ? undefined : String(Buffer.byteLength(body)));
        expect(headers.authorization).toBeUndefined();
        expect(JSON.stringify(headers)).not.toContain('PLANTED');
      });
    });
  }

  for (const [suffix, prefix] of Object.entries({
    '': '',
    '/': '',
    '/api': '/api',
    '/api/': '/api',
    '/api/v1//': '/api/v1',
    '/a%20b/': '/a%20b',
  })) {
    describe(`a base URL ending in ${JSON.stringify(suffix)}`, async () => {
      const { operator, server } = await setUp(please);
      test(`GET ${prefix}/get-voices, POST ${prefix}/trigger-call`, async () => {
        const env = { VAGENT_BASE_URL: `${server.url}${suffix}` };
        expect(await operator.run(['voice', 'list'], { env })).toMatchObject({ code: 0 });
        expect(await operator.run(CALL, { env })).toMatchObject({ code: 0 });
        expect(server.received.map(({ path }) => path)).toEqual([`${prefix}/get-voices`, `${prefix}/trigger-call`]);
      });
    });
  }
});

// What comes back -----------------------------------------------------------------------------------------------------

/** Any page, for tests of shapes that are the same to every operation. */
const sendText = (response: ServerResponse, status: number, body: string | Buffer, type = 'text/plain') => {
  response.writeHead(status, { 'content-type': type }).end(body);
};

describe.concurrent('what an answer means', async () => {
  /** Where a redirect would lead. It must stay unvisited: the key would come along. */
  const elsewhere = await startServer(please);

  interface Expected {
    /** Exit code of a POST (`vagent call`) and of a GET (`vagent logs list`). */
    post: number;
    get: number;
    answer?: Answer;
    /** Requests that reach the service. */
    requests?: 0 | 1;
    /** Those of a GET, which may be tried again. */
    getRequests?: 3;
    /** Where it is not the test's own service. */
    baseUrl?: (own: string) => string;
    flags?: string[];
  }
  const status = (code: number, headers = {}): Answer => {
    return (_request, response) => {
      response.writeHead(code, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ message: `It is ${code}.` }));
    };
  };
  const redirect = (code: number): Expected => ({
    post: 8,
    get: 7,
    answer: ({ path }, response) => {
      response.writeHead(code, { location: `${elsewhere.url}${path}` }).end();
    },
  });
  const body = (text: string, type = 'application/json'): Expected => ({
    post: 8,
    get: 7,
    getRequests: 3,
    answer: (_request, response) => sendText(response, 200, text, type),
  });
  const cut = (start: (response: ServerResponse) => void): Expected => ({
    post: 8,
    get: 7,
    getRequests: 3,
    answer: (_request, response) => {
      start(response);
      setTimeout(() => response.req.socket.resetAndDestroy(), 20);
    },
  });
  const unreachable = (baseUrl: (own: string) => string): Expected => ({ post: 7, get: 7, requests: 0, baseUrl });

  const table: Record<string, Expected> = {
    '200': { post: 0, get: 0, answer: please },
    '400': { post: 3, get: 3, answer: status(400) },
    '401': { post: 4, get: 4, answer: status(401, { 'www-authenticate': 'Basic realm="x"' }) },
    '402': { post: 6, get: 6, answer: status(402) },
    '403': { post: 4, get: 4, answer: status(403) },
    '404': { post: 5, get: 5, answer: status(404) },
    '405': { post: 3, get: 3, answer: status(405) },
    '409': { post: 3, get: 3, answer: status(409) },
    '422': { post: 3, get: 3, answer: status(422) },
    '429': { post: 7, get: 7, getRequests: 3, answer: status(429, { 'retry-after': '0' }) },
    '500': { post: 8, get: 7, getRequests: 3, answer: status(500) },
    '502': { post: 8, get: 7, getRequests: 3, answer: status(502) },
    '503': { post: 8, get: 7, getRequests: 3, answer: status(503, { 'retry-after': '0' }) },
    '504': { post: 8, get: 7, getRequests: 3, answer: status(504) },

    'redirect 301 to another origin': redirect(301),
    'redirect 302 to another origin': redirect(302),
    'redirect 303 to another origin': redirect(303),
    'redirect 307 to another origin': redirect(307),
    'redirect 308 to another origin': redirect(308),
    'redirect to itself': {
      post: 8,
      get: 7,
      answer: ({ path }, response) => void response.writeHead(307, { location: path }).end(),
    },
    'redirect to nowhere': { post: 8, get: 7, answer: status(302) },
    '304': { post: 8, get: 7, answer: (_request, response) => void response.writeHead(304).end() },

    '200 with a web page': body('<!doctype html><html><title>Sign in</title></html>', 'text/html'),
    '200 with JSON cut short': body('{"success": true, "calls": ['),
    '200 with nothing': body(''),
    '200 with null': body('null'),
    '200 with an array': body('[]'),
    '200 with a string': body('"success"'),
    '200 that does not say success': body('{"calls": [], "total": 0, "room_name": "room"}'),
    '200 with success null': body('{"success": null, "calls": []}'),
    '204': { post: 8, get: 7, getRequests: 3, answer: (_request, response) => void response.writeHead(204).end() },
    '200 with success false': {
      post: 3,
      get: 3,
      answer: (_request, response) => sendJson(response, 200, { success: false, error: 'Not today.' }),
    },

    'the connection is reset after the request': cut(() => {}),
    'the connection is reset after the headers': cut((response) => response.writeHead(200).flushHeaders()),
    'the connection is reset inside the body': cut((response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('{"success": true, ');
    }),
    'an answer that is no HTTP': {
      post: 8,
      get: 7,
      getRequests: 3,
      answer: (_request, response) => void response.req.socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    },
    'no answer within --timeout': { post: 8, get: 7, answer: () => {}, flags: ['--timeout', '3s'] },
    'half an answer within --timeout': {
      post: 8,
      get: 7,
      answer: (_request, response) => void response.writeHead(200).write('{"success": true, '),
      flags: ['--timeout', '3s'],
    },

    'connection refused': unreachable(() => `http://127.0.0.1:${CLOSED_PORT}`),
    'the name does not resolve': unreachable(() => 'https://no-such-host.invalid'),
    'TLS refused: the service speaks plain http': unreachable((own) => own.replace('http:', 'https:')),
  };

  for (const [name, row] of Object.entries(table)) {
    const { post, get, answer = please, requests = 1, getRequests = requests, baseUrl, flags = [] } = row;
    for (const [args, code, count] of [[CALL, post, requests] as const, [LOGS, get, getRequests] as const]) {
      describe(`${args === CALL ? 'POST' : 'GET'}: ${name}`, async () => {
        const { operator, server } = await setUp(answer);
        test(`exit ${code}, ${count} sent`, async () => {
          const env = { VAGENT_BASE_URL: baseUrl?.(server.url) ?? server.url };
          const outcome = await operator.run([...args, ...flags], { env });
          expect(outcome, outcome.stderr).toMatchObject({ code });
          expect(server.received).toHaveLength(count);
          expect(elsewhere.received).toEqual([]);
          if (code === 0) return;
          expect(outcome.stdout).toBe('');
          // What failed, in one sentence; where the outcome is unknown, how to find out.
          expect(outcome.stderr.split('\n').filter((line) => line.startsWith('vagent: '))).toHaveLength(1);
          expect(outcome.stderr).not.toContain('    at ');
          if (code === 8) expect(outcome.stderr).toContain('vagent logs list');
          if (count === 0) expect(outcome.stderr).toContain('Nothing was sent');
        });
      });
    }
  }

  const failing = await setUp(status(500));
  test('--json: the error as one object, exit code and status in it', async () => {
    const post = await failing.operator.run([...CALL, '--json']);
    expect(JSON.parse(post.stderr)).toEqual({
      error: {
        code: 'outcome_unknown',
        message: expect.stringContaining('It is 500.'),
        hint: expect.stringContaining('vagent logs list'),
        status: 500,
        exit_code: 8,
        issues: [],
      },
    });
    const get = await failing.operator.run([...LOGS, '--json']);
    expect(JSON.parse(get.stderr)).toMatchObject({ error: { status: 500, exit_code: 7 } });
  });
});

describe.concurrent('an error body of any shape is told in one sentence', () => {
  const shapes: Record<string, { body: string | Buffer; says: string; type?: string }> = {
    'JSON with message': { body: '{"message": "Agent 9 is unknown."}', says: 'Agent 9 is unknown.' },
    'JSON with error': { body: '{"error": "Agent 9 is unknown."}', says: 'Agent 9 is unknown.' },
    'JSON with detail': { body: '{"detail": "Agent 9 is unknown."}', says: 'Agent 9 is unknown.' },
    'JSON with a code and a message': {
      body: '{"error": "agent_not_found", "message": "Agent 9 is unknown."}',
      says: 'Agent 9 is unknown.',
    },
    'JSON with success false': { body: '{"success": false, "error": "Not found: agent."}', says: 'Not found: agent.' },
    'problem+json': {
      body: '{"type": "about:blank", "title": "Not Found", "status": 404, "detail": "Agent 9 is unknown."}',
      says: 'Agent 9 is unknown.',
      type: 'application/problem+json',
    },
    'an error nested in the error': {
      body: '{"error": {"code": 17, "message": "Agent 9 is unknown."}}',
      says: 'Agent 9 is unknown.',
    },
    'nested deeper': { body: '{"errors": [{"detail": {"error": "Deep words."}}]}', says: 'Deep words.' },
    'a list of faults (FastAPI)': {
      body: '{"detail": [{"loc": ["body", "use_agent_id"], "msg": "field required", "type": "missing"}]}',
      says: 'field required',
    },
    'faults by field (Laravel)': {
      body: '{"errors": {"use_agent_id": ["must be an agent"]}}',
      says: 'must be an agent',
    },
    'an array of strings': { body: '["First words.", "Second words."]', says: 'First words.' },
    'a bare string': { body: '"Bare words."', says: 'Bare words.' },
    'a message that is blank, and an error that is not': {
      body: '{"message": " ", "error": "Real words."}',
      says: 'Real words.',
    },
    'a message that is null': { body: '{"message": null, "error": "Real words."}', says: 'Real words.' },
    'a message that is a number': { body: '{"message": 17}', says: '17' },
    'an object of unknown fields': { body: '{"fault": "Odd words."}', says: 'Odd words.' },
    null: { body: 'null', says: 'null' },
    text: { body: 'Agent 9 is unknown.\n', says: 'Agent 9 is unknown.', type: 'text/plain' },
    'text said to be JSON': { body: 'upstream timed out', says: 'upstream timed out' },
    'several lines': { body: '{"message": "First line.\\r\\n\\r\\nSecond line."}', says: 'First line. Second line.' },
    'a web page': {
      body: '<!DOCTYPE html>\n<html><head><title>404 Not\nFound</title></head><body><p>…</p></body></html>',
      says: '404 Not Found',
      type: 'text/html',
    },
    'a web page without a title': { body: '<html><body>x</body></html>', says: 'web page', type: 'text/html' },
    nothing: { body: '', says: 'the answer was empty' },
    blanks: { body: ' \r\n ', says: 'the answer was empty' },
    'bytes that are no text': { body: Buffer.from([0xff, 0xfe, 0x00, 0x9f]), says: '404' },
    'a megabyte of text': { body: `Long words. ${'x'.repeat(1 << 20)}`, says: 'Long words.', type: 'text/plain' },
    'a megabyte of message': {
      body: JSON.stringify({ message: `Long words. ${'y'.repeat(1 << 20)}` }),
      says: 'Long words.',
    },
    'arrays nested a hundred thousand deep': { body: `${'['.repeat(1e5)}${']'.repeat(1e5)}`, says: '404' },
    'commands to a terminal': {
      body: JSON.stringify({ message: 'Red \u001b[31mwords\u001b[2J\u0007\u009b1m of caution.' }),
      says: 'of caution.',
    },
  };
  for (const [name, { body, says, type = 'application/json' }] of Object.entries(shapes)) {
    describe(name, async () => {
      const { operator } = await setUp((_request, response) => sendText(response, 404, body, type));
      test(`says ${JSON.stringify(says)}`, async () => {
        const { code, stdout, stderr } = await operator.run([...CALL, '--quiet']);
        expect({ code, stdout }, stderr.slice(0, 2000)).toEqual({ code: 5, stdout: '' });
        const [sentence = '', ...more] = stderr.trimEnd().split('\n');
        expect(sentence).toMatch(/^vagent: \/trigger-call was refused \(404\): ./);
        expect(sentence).toContain(says);
        expect(sentence.length).toBeLessThan(500);
        // At most one more line, which says what to do next.
        expect(more.map((line) => line.slice(0, 4))).toEqual(more.length === 0 ? [] : ['  → ']);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
        expect(sentence).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      });
    });
  }
});

describe.concurrent('responses are read leniently, and nothing is made up', () => {
  const page = (call: string, rest = '"total": 1, "limit": 1, "offset": 0') =>
    `{"success": true, "calls": [${call}], ${rest}}`;
  const answering = (body: string) => setUp((_request, response) => sendText(response, 200, body, 'application/json'));

  describe('integers that arrive as strings', async () => {
    const call = '{"call_id": "c1", "agent_id": "3", "call_duration": "42", "call_status": "completed"}';
    const { operator } = await answering(page(call, '"total": "1", "limit": "1", "offset": "0"'));
    test('are gone by as integers, and shown as they came', async () => {
      expect(await operator.json(['logs', 'stats'])).toMatchObject({ by_agent: [{ agent_id: 3 }], talk_seconds: 42 });
      expect(await operator.json(LOGS)).toEqual({
        success: true,
        calls: [{ call_id: 'c1', agent_id: '3', call_duration: '42', call_status: 'completed' }],
        total: '1',
        limit: '1',
        offset: '0',
      });
    });
  });

  describe('statuses and outcomes that nobody documented', async () => {
    const { operator } = await answering(
      page('{"call_id": "c1", "call_status": "ringing", "call_outcome": "déjà vu"}'),
    );
    test('are shown', async () => {
      const { code, stdout } = await operator.run([...LOGS, '--fields', 'call_id,call_status,call_outcome']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'c1\tringing\tdéjà vu\n' });
    });
  });

  describe('a transcript that is null, a recording_url that is missing', async () => {
    const { operator } = await answering(page('{"call_id": "c1", "agent_id": null, "transcript": null}'));
    test('stay what they are', async () => {
      const { calls } = await operator.json<{ calls: unknown[] }>(LOGS);
      expect(calls).toEqual([{ call_id: 'c1', agent_id: null, transcript: null }]);
      const { code, stdout } = await operator.run([
        ...LOGS,
        '-o',
        'csv',
        '--fields',
        'call_id,transcript,recording_url',
      ]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'call_id,transcript,recording_url\r\nc1,,\r\n' });
    });
  });

  describe('fields that nobody documented', async () => {
    const { operator } = await answering(
      page('{"call_id": "c1", "cost": 0.1, "tags": ["a"]}', '"total": 1, "next": null'),
    );
    test('are in the JSON', async () => {
      expect(await operator.json(LOGS)).toEqual({
        success: true,
        calls: [{ call_id: 'c1', cost: 0.1, tags: ['a'] }],
        total: 1,
        next: null,
      });
    });
  });

  describe('identifiers that are all digits', async () => {
    const { operator } = await answering(page('{"call_id": "900719925474099312345"}, {"call_id": 12}'));
    test('as text are kept whole, as a number become text', async () => {
      expect((await operator.run([...LOGS, '-o', 'ids'])).stdout).toBe('900719925474099312345\n12\n');
    });
  });

  /** A double would round these: a wrong agent or campaign is worse than none. */
  const beyond: Record<string, { args: readonly string[]; body: string; code: number }> = {
    'a number, GET': { args: LOGS, body: page('{"call_id": "c1", "agent_id": 9007199254740993}'), code: 7 },
    'a string, GET': { args: LOGS, body: page('{"call_id": "c1", "agent_id": "9007199254740993"}'), code: 7 },
    'a call_id, GET': { args: LOGS, body: page('{"call_id": 9007199254740993}'), code: 7 },
    'an agent of the list, GET': {
      args: ['agent', 'list'],
      body: '{"success": true, "agents": [{"agent_id": 9007199254740993}], "total": 1}',
      code: 7,
    },
    'the agent that was created, POST': {
      args: ['agent', 'create', '--name', 'a', '--prompt', 'b', '--voice', '1'],
      body: '{"success": true, "agent_id": 9007199254740993}',
      code: 8,
    },
    'a fraction, GET': { args: LOGS, body: page('{"call_id": "c1", "agent_id": 1.5}'), code: 7 },
  };
  for (const [name, { args, body, code }] of Object.entries(beyond)) {
    describe(`an identifier beyond 2^53: ${name}`, async () => {
      const { operator } = await answering(body);
      test(`is refused, exit ${code}`, async () => {
        expect(await operator.run(args)).toMatchObject({ code, stdout: '' });
      });
    });
  }

  describe('the greatest identifier that a double holds', async () => {
    const { operator } = await answering(page('{"call_id": "c1", "agent_id": 9007199254740991}'));
    test('is shown exactly', async () => {
      const { code, stdout } = await operator.run([...LOGS, '--fields', 'agent_id']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '9007199254740991\n' });
    });
  });

  describe('an integer beyond 2^53 in a field that nobody documented', async () => {
    const { operator } = await answering(page('{"call_id": "c1", "invoice": 9007199254740993}'));
    test('is never rounded: shown exactly or refused', async () => {
      const { stdout } = await operator.run([...LOGS, '--json']);
      expect(stdout).not.toContain('9007199254740992');
    });
  });
});

// Where it is sent, and with which key ----------------------------------------------------------------------------------

describe.concurrent('the key goes where it belongs', () => {
  describe('plain http', async () => {
    const { operator, server } = await setUp(please);
    const port = new URL(server.url).port;
    const withoutFlag: Record<string, { baseUrl: string; code: number }> = {
      'another machine': { baseUrl: 'http://voice.invalid', code: 2 },
      'an address of documentation': { baseUrl: 'http://192.0.2.1:8080/api', code: 2 },
      'any address of this machine': { baseUrl: `http://0.0.0.0:${port}`, code: 2 },
      'a name that begins like loopback': { baseUrl: `http://127.0.0.1.invalid:${port}`, code: 2 },
      'a name that begins like localhost': { baseUrl: `http://localhost.invalid:${port}`, code: 2 },
      'a user name that looks like loopback': { baseUrl: `http://127.0.0.1@voice.invalid:${port}`, code: 2 },
      'a scheme that is neither': { baseUrl: 'ftp://127.0.0.1', code: 2 },
      'loopback by address': { baseUrl: `http://127.0.0.1:${port}`, code: 0 },
      'loopback by name': { baseUrl: `http://LOCALHOST:${port}`, code: 0 },
    };
    for (const [name, { baseUrl, code }] of Object.entries(withoutFlag)) {
      test(`to ${name}: exit ${code}`, async () => {
        const outcomes = await Promise.all([
          operator.run(['voice', 'list', '--base-url', baseUrl]),
          operator.run(['voice', 'list'], { env: { VAGENT_BASE_URL: baseUrl } }),
        ]);
        for (const outcome of outcomes) expect(outcome, outcome.stderr).toMatchObject({ code });
      });
    }
    test('to another machine with --insecure-http is tried', async () => {
      const args = ['voice', 'list', '--base-url', 'http://no-such-host.invalid', '--insecure-http'];
      expect(await operator.run(args)).toMatchObject({ code: 7 });
    });
    test('to another machine: the sentence says why and what else to do', async () => {
      const { stderr } = await operator.run(['voice', 'list', '--base-url', 'http://voice.invalid']);
      expect(stderr).toContain('key');
      expect(stderr).toContain('--insecure-http');
    });
  });

  describe('credentials that are missing', async () => {
    const { operator, server } = await setUp(please, {});
    const cases: Record<string, { env: Record<string, string>; says: string }> = {
      'no key': { env: { VAGENT_ORG_ID: '7' }, says: 'VAGENT_API_KEY' },
      'an empty key': { env: { VAGENT_ORG_ID: '7', VAGENT_API_KEY: '' }, says: 'VAGENT_API_KEY' },
      'no organization': { env: { VAGENT_API_KEY: KEY }, says: '--org' },
    };
    for (const [name, { env, says }] of Object.entries(cases)) {
      test(`${name}: exit 4, never the local engine`, async () => {
        for (const args of [CALL, LOGS]) {
          const { code, stdout, stderr } = await operator.run(args, { env });
          expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
          expect(stderr).toContain(says);
        }
        expect(server.received).toEqual([]);
      });
    }
  });

  describe('the key of a profile', async () => {
    const { operator, server: own } = await setUp(please, {});
    const other = await startServer(please);
    test('goes to the base URL of the profile and to no other', async () => {
      const env = { VAGENT_BASE_URL: '' };
      const run = (args: string[], more = {}) => operator.run(args, { env: { ...env, ...more } });
      writeFileSync(join(operator.home, 'key'), `${KEY}\n`);
      const add = [
        'profile',
        'add',
        'work',
        '--base-url',
        `${own.url}/api`,
        '--org',
        '7',
        '--api-key-file',
        join(operator.home, 'key'),
      ];
      expect(await run(add)).toMatchObject({ code: 0 });

      expect(await run(['voice', 'list'])).toMatchObject({ code: 0 });
      expect(own.received.map(({ path, query }) => [path, query.get('api_key')])).toEqual([
        ['/api/get-agents', KEY],
        ['/api/get-voices', KEY],
      ]);

      const elsewhere: { args: string[]; env?: Record<string, string> }[] = [
        { args: ['--base-url', other.url] },
        { args: ['--base-url', `${own.url}/apis`] },
        { args: ['--base-url', own.url] },
        { args: ['--profile', 'work', '--base-url', other.url] },
        { args: ['--org', '7', '--base-url', other.url] },
        { args: [], env: { VAGENT_BASE_URL: other.url } },
        { args: [], env: { VAGENT_BASE_URL: other.url, VAGENT_PROFILE: 'work' } },
      ];
      const outcomes = await Promise.all(elsewhere.map(({ args, env }) => run(['voice', 'list', ...args], env)));
      for (const { code, stdout, stderr } of outcomes) {
        expect({ code, stdout }, stderr).toEqual({ code: 4, stdout: '' });
        expect(stderr).not.toContain('PLANTED');
      }
      expect(other.received).toEqual([]);
      expect(own.received).toHaveLength(2);

      // With credentials of its own the other service is reached, and with those alone.
      const given = { VAGENT_API_KEY: 'another-key', VAGENT_ORG_ID: '8' };
      expect(await run(['voice', 'list', '--base-url', other.url], given)).toMatchObject({ code: 0 });
      expect(other.received.map(({ query }) => query.toString())).toEqual(['organization_id=8&api_key=another-key']);
    });
  });
});

// The key in no output ------------------------------------------------------------------------------------------------

/** Neither the key nor a good part of it, in any of the usual spellings. */
function expectNoKey(text: string): void {
  for (const trace of ['PLANTED', Buffer.from(KEY).toString('base64').slice(0, 12)]) expect(text).not.toContain(trace);
}

describe.concurrent('the key appears in no output', () => {
  const forms: Record<string, string> = {
    plain: KEY,
    'percent-encoded': encodeURIComponent(KEY),
    'percent-encoded in lower case': encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    'percent-encoded but for the slash, as Python does it': KEY.split('/').map(encodeURIComponent).join('/'),
    base64: Buffer.from(KEY).toString('base64'),
    'base64 for URLs': Buffer.from(KEY).toString('base64url'),
    'JSON with escaped slashes, as PHP does it': KEY.replace('/', '\\/'),
  };
  const echoes = (form: string): Answer => {
    const said = `The key ${form} is known.`;
    return ({ method }, response) => {
      if (method === 'POST')
        return sendJson(response, 404, { error: form, message: said, issues: [{ field: form, message: said }] });
      const call = aCall({ transcript: `User: before ${form} after.`, call_outcome: form, debug: { [form]: [form] } });
      const request = `/get-call-logs?api_key=${form}`;
      sendJson(response, 200, { success: true, calls: [call], agents: [], total: 1, request });
    };
  };
  for (const [name, form] of Object.entries(forms)) {
    // A second call to a number is refused while nobody knows what comes of the first.
    describe.sequential(`echoed ${name}`, async () => {
      const { operator, server } = await setUp(echoes(form));
      test('in an error, plain and --verbose', async () => {
        const { code, stdout, stderr } = await operator.run([...CALL, '--verbose']);
        expect(code).toBe(5);
        expect(stderr).toContain('POST /trigger-call 404');
        expect(stderr).toContain('is known.');
        expectNoKey(stdout + stderr);
      });
      test('in an error, --json', async () => {
        const { code, stdout, stderr } = await operator.run([...CALL, '--json']);
        expect(code).toBe(5);
        expect(JSON.parse(stderr)).toMatchObject({ error: { exit_code: 5 } });
        expectNoKey(stdout + stderr);
      });
      test('in a transcript, to standard output', async () => {
        for (const format of ['json', 'tsv']) {
          const fields = format === 'tsv' ? ['--fields', 'call_id,transcript,call_outcome'] : [];
          const { code, stdout, stderr } = await operator.run([...LOGS, '-o', format, '--verbose', ...fields]);
          expect(code).toBe(0);
          expect(stdout).toMatch(/before .* after/);
          expectNoKey(stdout + stderr);
        }
      });
      test('in a transcript, to a file', async () => {
        const outcome = await operator.run([
          'logs',
          'export',
          '--out',
          join(operator.home, 'calls'),
          '--format',
          'ndjson',
        ]);
        expect(outcome).toMatchObject({ code: 0 });
        const text = readFileSync(join(operator.home, 'calls'), 'utf8');
        expect(text).toMatch(/before .* after/);
        expectNoKey(text + outcome.stdout + outcome.stderr);
        expect(server.received.length).toBeGreaterThan(0);
      });
    });
  }

  /** Error bodies that are quoted in other ways than a JSON message is. */
  const bodies: Record<string, { body: string; status?: number; headers?: Record<string, string> }> = {
    'in text': { body: `No such key: ${KEY}` },
    'in JSON that is cut short': {
      body: JSON.stringify({ api_key: KEY, message: 'x' }).replaceAll('/', '\\/').slice(0, -1),
    },
    'in the title of a web page': { body: `<html><title>${KEY}</title></html>` },
    'in a text so long that it is cut inside the key': { body: `${KEY} `.repeat(500) },
    'in a message so long that it is cut inside the key': { body: JSON.stringify({ message: `${KEY}|`.repeat(500) }) },
    'in the address of a redirect': { body: '', status: 307, headers: { location: `/x?api_key=${KEY_IN_QUERY}` } },
    'in a 500': { body: `{"error": "boom ${KEY}"}`, status: 500 },
    'in a 200 that is not JSON': { body: `key=${KEY}`, status: 200 },
    'in a field name of a 200': { body: JSON.stringify({ success: KEY, [KEY]: 1 }), status: 200 },
  };
  for (const [name, { body, status = 404, headers = {} }] of Object.entries(bodies)) {
    describe(`echoed ${name}`, async () => {
      const { operator } = await setUp((_request, response) => void response.writeHead(status, headers).end(body));
      test('of an error', async () => {
        for (const flags of [['--verbose'], ['--json']]) {
          const { code, stdout, stderr } = await operator.run([...LOGS, ...flags]);
          expect(code).toBeGreaterThan(1);
          expectNoKey(stdout + stderr);
        }
      });
    });
  }

  describe('--dry-run', async () => {
    const { operator, server } = await setUp(please);
    test('prints the request as it would be sent, the key masked, and sends nothing', async () => {
      const { code, stdout, stderr } = await operator.run([...CALL, '--dry-run', '--verbose', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        method: 'POST',
        url: `${server.url}/trigger-call`,
        body: { organization_id: 7, api_key: '<API_KEY>', use_agent_id: 3, custom_identifiers: '' },
      });
      expectNoKey(stdout + stderr);
      expect(server.received).toEqual([]);
    });
    test('masks the key where it is pasted into a text, too', async () => {
      const args = [...CALL.slice(0, -1), `Hello, the key is ${KEY}.`, '--dry-run'];
      const { code, stdout, stderr } = await operator.run(args);
      expect(code).toBe(0);
      expectNoKey(stdout + stderr);
    });
  });

  describe('a key given as a flag', async () => {
    const { operator, server } = await setUp(please);
    const attempts = [['--api-key', KEY], [`--api-key=${KEY}`], [`--key=${KEY}`]];
    for (const attempt of attempts) {
      test(`${attempt[0]?.replace(KEY, '…')} is refused and not repeated: exit 2`, async () => {
        const { code, stdout, stderr } = await operator.run(['voice', 'list', ...attempt]);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expectNoKey(stderr);
        expect(server.received).toEqual([]);
      });
    }
  });

  /** Wherever the key comes from, it is sent to the service and shown to nobody. */
  describe('a key from', async () => {
    const sources: Record<string, { args: (file: string) => string[]; input?: string }> = {
      '--api-key-file': { args: (file) => ['--api-key-file', file] },
      '--api-key-file -': { args: () => ['--api-key-file', '-'], input: `${KEY}\n` },
    };
    for (const [name, { args, input = '' }] of Object.entries(sources)) {
      const { operator, server } = await setUp(echoes(KEY), { VAGENT_ORG_ID: '7' });
      test(name, async () => {
        const file = join(operator.home, 'key');
        writeFileSync(file, `${KEY}\n`);
        const { code, stdout, stderr } = await operator.run([...LOGS, '--json', '--verbose', ...args(file)], { input });
        expect(code).toBe(0);
        expect(server.received.map(({ query }) => query.get('api_key'))).toEqual([KEY]);
        expectNoKey(stdout + stderr);
      });
    }
    const { operator, server } = await setUp(echoes(KEY), { VAGENT_ORG_ID: '7' });
    test('a profile, and profile show', async () => {
      writeFileSync(join(operator.home, 'key'), KEY);
      const add = [
        'profile',
        'add',
        'work',
        '--base-url',
        server.url,
        '--org',
        '7',
        '--api-key-file',
        join(operator.home, 'key'),
      ];
      const commands = [
        [...add, '--verbose'],
        [...LOGS, '--json'],
        ['profile', 'show'],
        ['profile', 'show', '--json'],
      ];
      for (const args of [...commands, ['profile', 'list'], ['profile', 'list', '--json']]) {
        const { code, stdout, stderr } = await operator.run(args);
        expect(code, stderr).toBe(0);
        expectNoKey(stdout + stderr);
      }
      expect(server.received.map(({ query }) => query.get('api_key'))).toEqual([KEY, KEY]);
    });
  });

  /** CSV doubles the quotes inside a cell, which is one more spelling. */
  describe('a key with quotes in it', async () => {
    const quoted = 'sk-"PLANTED",9f';
    const { operator } = await setUp(
      (_request, response) =>
        sendJson(response, 200, { success: true, calls: [aCall({ transcript: `a ${quoted} b` })], total: 1 }),
      { ...CREDENTIALS, VAGENT_API_KEY: quoted },
    );
    test('in CSV', async () => {
      const { code, stdout } = await operator.run(['logs', 'export']);
      expect(code).toBe(0);
      expectNoKey(stdout);
    });
  });
});

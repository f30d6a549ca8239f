/** The remote backend, seen from both ends of the wire: what a command sends, byte for byte, and how a refusal is told. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { aCall } from '../support/hostile-log.ts';
import { type Answer, sendJson, startServer, type TestServer } from '../support/http.ts';
import { Operator, temporaryFolder } from '../support/program.ts';

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

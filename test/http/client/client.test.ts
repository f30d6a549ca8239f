/** The remote backend, seen from both ends of the wire: what a command sends, byte for byte, and how a refusal is told. */
import { describe, expect, test } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { aCall } from '../../support/hostile-log.ts';
import { type Answer, sendJson, startServer, type TestServer } from '../../support/http.ts';
import { Operator, temporaryFolder } from '../../support/program.ts';

const cases = casesBeside(import.meta.filename);

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

// What is sent --------------------------------------------------------------------------------------------------------

describe.concurrent('the exact request', () => {
  const head = { organization_id: 7, api_key: KEY };
  const query = `?organization_id=7&api_key=${KEY_IN_QUERY}`;
  type Sent = [name: string, args: string[], path: string, body?: object, input?: string];
  const many = Array.from({ length: 2500 }, (_none, at) => ({ phone_number: `+1415${5_560_000 + at}` }));
  const campaign = { campaign_name: 'Spring', agent_id: 3, call_from: '+14155550100', contacts: many };
  const requests: Sent[] = [
    ...cases<Sent>('the exact request'),
    [
      'create-campaign, more contacts than are encoded at a time',
      [...'campaign create --name Spring --agent 3 --from +14155550100 --yes --contacts -'.split(' ')],
      '/create-campaign',
      campaign,
      `phone_number\n${many.map(({ phone_number }) => phone_number).join('\n')}\n`,
    ],
  ];

  for (const [name, args, path, fields, input = ''] of requests) {
    const line = fields === undefined ? `GET ${path.replace('?', query)}` : `POST ${path}`;
    const body = fields === undefined ? '' : JSON.stringify({ ...head, ...fields });
    describe(name, async () => {
      const lines: string[] = [];
      const { operator, server } = await setUp((request, response) => {
        if (path === '/create-campaign' && request.path === '/get-agents') {
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

describe.concurrent('an error body of any shape is told in one sentence', () => {
  type Shape = [name: string, body: string | Buffer, says: string, type?: string];
  const shapes: Shape[] = [
    ...cases<Shape>('an error body'),
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x9f]), '404'],
    ['a megabyte of text', `Long words. ${'x'.repeat(1 << 20)}`, 'Long words.', 'text/plain'],
    ['a megabyte of message', JSON.stringify({ message: `Long words. ${'y'.repeat(1 << 20)}` }), 'Long words.'],
    ['arrays nested a hundred thousand deep', `${'['.repeat(1e5)}${']'.repeat(1e5)}`, '404'],
  ];
  for (const [name, body, says, type = 'application/json'] of shapes) {
    describe(name, async () => {
      const { operator } = await setUp((_request, response) => {
        response.writeHead(404, { 'content-type': type }).end(body);
      });
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

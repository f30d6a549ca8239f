/** What `vagent serve` says to requests that no client of ours would send: one shape of error, in the order of checks. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { operationNames, operations } from '../../../src/contract.ts';
import { BODY_LIMITS } from '../../../src/engine/policy.ts';
import { casesBeside } from '../../support/cases.ts';
import { serveEngine, testEngine } from '../../support/engine.ts';
import { errorIn, head, post, sendRaw } from './raw.ts';

const cases = casesBeside(import.meta.filename, { LONG: 'x'.repeat(20_000) });

const engine = testEngine();
const server = await serveEngine(engine, { timeouts: { head: 200, request: 400 } });
/** Bounds that are met without hundreds of megabytes. */
const LIMITS = { ...BODY_LIMITS, bytes: 2_000, bytesWithList: 100_000, containers: 100 };
const small = await serveEngine(engine, { limits: LIMITS });
afterAll(() => Promise.all([server.close(), small.close()]));

const KEY = { organization_id: 1, api_key: 'local-demo-key' };
const CALL = {
  ...{ ...KEY, use_agent_id: 1, called_to: '+14155550190', call_from: '+14155550100', custom_first_line: 'Hello.' },
  custom_identifiers: '',
};
const CAMPAIGN = {
  ...{ ...KEY, campaign_name: 'Spring', agent_id: 1, call_from: '+14155550100', start_time: '2099-01-01T00:00:00Z' },
  contacts: [{ phone_number: '+14155550190' }],
};

const send = (path: string, body: unknown, url = server.url) =>
  sendRaw(url, ...post(path, typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)));
const told = async (...sent: Parameters<typeof send>) => errorIn(await send(...sent));
const query = (text: string) => sendRaw(server.url, head(`GET /${text}`));

describe('the query', () => {
  const key = 'organization_id=1&api_key=local-demo-key';
  test.each(cases<[string, string[]]>('queries'))('%s is refused', async (asked, fields) => {
    expect(errorIn(await query(asked))).toMatchObject({ status: 400, fields });
  });

  test('get-call-logs?agent_id=0 is an empty list', async () => {
    const { status, body } = await query(`get-call-logs?${key}&agent_id=0`);
    expect({ status, body: JSON.parse(body) }).toMatchObject({ status: 200, body: { calls: [], total: 0 } });
  });

  test.each(['%F0%9F%98%80', '100%', '%EF%BF%BD', '%zz'])('the language %s is a text, of no voice', async (text) => {
    const { status, body } = await query(`get-voices?${key}&language=${text}`);
    expect({ status, body: JSON.parse(body) }).toMatchObject({ status: 200, body: { voices: [] } });
  });

  test('what nobody knows is ignored, also twice', async () => {
    expect(await query(`get-agents?${key}&colour=%E4`)).toMatchObject({ status: 200 });
    expect(await query(`get-agents?${key}&colour=blue&colour=red`)).toMatchObject({ status: 200 });
  });
});

describe('paths and methods', () => {
  test.each(operationNames)('%s: another method is 405 and says which one is taken', async (name) => {
    const { method, path } = operations[name];
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((other) => other !== method);
    for (const other of others) {
      const answer = await sendRaw(server.url, head(`${other} ${path}`, ['Content-Length: 0']));
      expect(errorIn(answer)).toMatchObject({ status: 405, error: 'method_not_allowed' });
      expect(answer.headers.allow).toBe(method);
    }
    const { status, headers, body } = await sendRaw(server.url, head(`HEAD ${path}`));
    expect({ status, allow: headers.allow, body }).toEqual({ status: 405, allow: method, body: '' });
  });

  test('a path that is not there is 404 whatever the method', async () => {
    for (const line of ['GET /', 'GET /get-agents/', 'POST /nothing', 'DELETE /Trigger-Call', 'OPTIONS /favicon.ico']) {
      expect(errorIn(await sendRaw(server.url, head(line)))).toMatchObject({ status: 404, error: 'not_found' });
    }
    expect(errorIn(await sendRaw(server.url, head('GET /a\\b')))).toMatchObject({ status: 400 });
  });
});

describe('bodies that are wrong', () => {
  const call = JSON.stringify(CALL);
  const long = (bytes: number) => JSON.stringify({ ...CALL, colour: 'x'.repeat(bytes - call.length - 12) });
  /** A body that is given as one, or made of a good one by a replacement. */
  type Wrong = [name: string, body: string | [from: string, to: string], status: number, error: string];
  const made: [string, string | Buffer, number, string][] = [
    ['invalid UTF-8', Buffer.from('{"a":"\xc3\x28"}', 'latin1'), 400, 'invalid_json'],
    ['UTF-16', Buffer.from(call, 'utf16le'), 400, 'invalid_json'],
    ['bytes over the bound', long(1024 * 1024 + 1), 413, 'payload_too_large'],
    ...cases<Wrong>('bodies that are wrong').map(([name, body, ...told]): [string, string, number, string] => [
      name,
      typeof body === 'string' ? body : call.replace(...body),
      ...told,
    ]),
  ];
  test.each(made)('%s', async (_name, body, status, error) => {
    expect(await told('/trigger-call', body)).toMatchObject({ status, error });
    expect((await engine.timeline.stored()).state.next_call_number).toBe(1);
  });

  test('none of it where all is right: unknown fields, 32 levels, a megabyte, spaces', async () => {
    const depth = call.replace('{', `{"colour":${'['.repeat(31)}${']'.repeat(31)},`);
    for (const body of [` ${call}\r\n`, depth, long(1024 * 1024)]) {
      // Each would ring; a wrong sender shows that it was read.
      const harmless = body.replace('+14155550100', '+14155550111');
      expect(await told('/trigger-call', harmless)).toMatchObject({ error: 'call_from_not_registered' });
    }
  });

  test('a body in an encoding is refused, and what announces none is read', async () => {
    const zipped = gzipSync(call.replace('+14155550100', '+14155550111'));
    for (const encoding of ['gzip', 'deflate, gzip', 'br', 'x']) {
      const answer = await sendRaw(server.url, ...post('/trigger-call', zipped, [`Content-Encoding: ${encoding}`]));
      expect(errorIn(answer)).toMatchObject({ status: 415, error: 'unsupported_media_type' });
    }
    const [start, bytes] = post('/trigger-call', call.replace('+14155550100', 'x'), ['Content-Encoding: identity']);
    expect(errorIn(await sendRaw(server.url, start, bytes))).toMatchObject({ status: 404 });
  });

  test('more than its bound is refused, whether the length is told or not, and heard out before', async () => {
    const path = 'POST /trigger-call';
    const type = 'Content-Type: application/json';
    const body = long(LIMITS.bytes + 1);
    const chunked = [head(path, [type, 'Transfer-Encoding: chunked'])];
    for (let at = 0; at < body.length; at += 100) {
      const part = body.slice(at, at + 100);
      chunked.push(`${part.length.toString(16)}\r\n${part}\r\n`);
    }
    expect(await told('/trigger-call', body, small.url)).toMatchObject({ status: 413 });
    expect(errorIn(await sendRaw(small.url, ...chunked, '0\r\n\r\n'))).toMatchObject({ status: 413 });
    // What is no JSON is refused for its size all the same: that is looked at first.
    const garbage = chunked.map((part, at) => (at === 1 ? part.replace('{"', '!!') : part));
    expect(errorIn(await sendRaw(small.url, ...garbage, '0\r\n\r\n'))).toMatchObject({ status: 413 });
    const coloured = { ...CAMPAIGN, colour: 'x'.repeat(100_000) };
    expect(await told('/create-campaign', coloured, small.url)).toMatchObject({ status: 413 });
  });
});

describe('the key is checked before each contact is', () => {
  const many = Array.from({ length: 90 }, () => ({ phone_number: '+14155550190' }));
  const faulty = [...many, { phone_number: 'nobody' }];
  const strangers = { ...CAMPAIGN, api_key: 'wrong' };

  test.each([
    ['a short list', 1, server.url],
    ['a list that is longer than what is parsed for a stranger', faulty.length, small.url],
  ])('%s', async (_name, count, url) => {
    const contacts = faulty.slice(-count);
    const field = `contacts.${count - 1}.phone_number`;
    const ask = (request: object) => send('/create-campaign', request, url).then(errorIn);
    expect(await ask({ ...strangers, contacts })).toMatchObject({ status: 401 });
    expect(await ask({ ...CAMPAIGN, organization_id: 7, contacts })).toMatchObject({ status: 404 });
    const named = { contacts, agent_id: 'x', call_from: '+14155550100', campaign_name: 'a' };
    // What is wrong beside the contacts is told before, as is a list that is none.
    const wrong: [request: object, fields: string[]][] = [
      [{ ...CAMPAIGN, contacts }, [field]],
      [{ ...strangers, contacts, agent_id: '1' }, ['agent_id']],
      [{ ...strangers, contacts, calls_per_hour: 3_600_001 }, ['calls_per_hour']],
      [{ ...strangers, contacts: [] }, ['contacts']],
      [{ ...strangers, contacts: {} }, ['contacts']],
      [named, ['organization_id', 'api_key', 'agent_id']],
    ];
    for (const [request, fields] of wrong) expect(await ask(request)).toMatchObject({ status: 400, fields });
  });

  test('a long list becomes the campaign that a short one would', async () => {
    const answer = await send('/create-campaign', { ...CAMPAIGN, contacts: many }, small.url);
    expect(JSON.parse(answer.body)).toMatchObject({ success: true, total_contacts: 90 });
    const { campaign_id } = JSON.parse(answer.body) as { campaign_id: number };
    expect([...(await (await engine.timeline.stored()).contactsOf(campaign_id))]).toEqual(many);
  });

  test('where nothing but a list may be long, a long text is refused unread', async () => {
    for (const [name, sender] of Object.entries({ campaign_name: strangers, contacts: CAMPAIGN })) {
      const request = { ...sender, [name]: 'x'.repeat(LIMITS.bytes) };
      expect(await told('/create-campaign', request, small.url)).toMatchObject({ status: 400, fields: [name] });
    }
  });

  test('more objects and arrays than the bound are counted, not parsed', async () => {
    const body = JSON.stringify({ ...strangers, contacts: Array.from({ length: 101 }, () => []) });
    expect(await told('/create-campaign', body, small.url)).toMatchObject({
      status: 400,
      error: 'invalid_json',
    });
  });
});

test('nothing falls due for a stranger who reads or sends contacts', async () => {
  const waiting = testEngine();
  const due = await serveEngine(waiting);
  const contacts = Array.from({ length: 9 }, (_none, at) => ({ phone_number: `+1415555019${at}` }));
  await send('/create-campaign', { ...CAMPAIGN, contacts, start_time: '2026-11-20T09:00:00Z' }, due.url);
  waiting.clock.now += 3_600_000;
  const root = () => readFileSync(join(waiting.folder, 'store.json'), 'utf8');
  const before = root();
  const ask = (line: string) => sendRaw(due.url, head(line)).then(errorIn);
  for (const path of ['get-agents', 'get-voices', 'get-call-logs']) {
    expect(await ask(`GET /${path}?organization_id=1&api_key=wrong`)).toMatchObject({ status: 401 });
    expect(await ask(`GET /${path}?organization_id=2&api_key=local-demo-key`)).toMatchObject({ status: 404 });
  }
  expect(await told('/create-campaign', { ...CAMPAIGN, api_key: 'wrong' }, due.url)).toMatchObject({
    status: 401,
  });
  expect(root()).toBe(before);
  const { body } = await sendRaw(due.url, head('GET /get-call-logs?organization_id=1&api_key=local-demo-key'));
  expect(JSON.parse(body)).toMatchObject({ total: expect.any(Number) });
  expect(root()).not.toBe(before);
  await due.close();
});

describe('what never becomes a request', () => {
  test.each(cases<[string, string[], number, string]>('no request'))('%s', async (_name, parts, status, error) => {
    const answer = await sendRaw(server.url, ...parts);
    expect(errorIn(answer)).toMatchObject({ status, error });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('a body that comes a byte at a time is cut off in the end, others being answered meanwhile', async () => {
    const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
    const closed = once(slow, 'close');
    slow.on('error', () => {}).resume();
    slow.write(head('POST /trigger-call', ['Content-Type: application/json', 'Content-Length: 100000']));
    const drip = setInterval(() => slow.write(' '), 20);
    expect(await query('get-voices?organization_id=1&api_key=local-demo-key')).toMatchObject({ status: 200 });
    await closed;
    clearInterval(drip);
  });
});

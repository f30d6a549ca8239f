/** What becomes of a profile when some of it changes: what is not given stays, and a key stays with its host. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer, type TestServer } from '../support/http.ts';
import { Operator } from '../support/program.ts';
import { CTRL_C, playHere } from '../support/terminal.ts';

const ENTER = '\r';
const KEY = 'a-key-of-one-host-8812';
const ROUND = { VAGENT_LOCAL: '' };

/** A service that knows the key; what it was asked is `received`. */
function serviceThatKnows(key = KEY): Promise<TestServer> {
  return startServer(({ query }, response) =>
    query.get('api_key') === key
      ? sendJson(response, 200, { success: true, agents: [], total: 0, calls: [] })
      : sendJson(response, 401, { message: 'This key is not known.' }),
  );
}

/** Somebody with a profile `work`, and how it is kept. */
async function setUp() {
  const service = await serviceThatKnows();
  const operator = new Operator();
  writeFileSync(join(operator.home, 'key'), KEY, { mode: 0o600 });
  const connection = ['--base-url', service.url, '--org', '7', '--api-key-file', 'key'];
  const defaults = ['--agent', '4', '--from', '+14155550100', '--country', 'DE'];
  const args = ['profile', 'add', 'work', ...connection, ...defaults];
  expect(await operator.run(args)).toMatchObject({ code: 0 });
  service.received.length = 0;
  const kept = () => JSON.parse(readFileSync(join(operator.home, '.config/vagent/config.json'), 'utf8')).profiles;
  const whole = {
    mode: 'remote',
    base_url: `${service.url}/`,
    organization_id: 7,
    api_key: KEY,
    agent_id: 4,
    from: '+14155550100',
    country: 'DE',
  };
  return { service, operator, kept, whole };
}

describe('profile add of one that exists, and profile edit', () => {
  test.each(['add', 'edit'])('%s changes what is given, keeps the rest, and says so', async (verb) => {
    const { service, operator, kept, whole } = await setUp();
    const { code, stdout, stderr } = await operator.run(['profile', verb, 'work', '--agent', '5']);
    expect(code).toBe(0);
    expect(kept()).toEqual({ work: { ...whole, agent_id: 5 } });
    expect(stderr).toMatch(/Profile work is changed/);
    expect(stderr).toMatch(/Kept as before: .*country/);
    expect(stdout + stderr).not.toContain(KEY);
    // Nothing of the connection changed.
    expect(service.received).toEqual([]);
  });

  test('another organization of the same host is tried with the kept key', async () => {
    const { service, operator, kept, whole } = await setUp();
    expect(await operator.run(['profile', 'edit', 'work', '--org', '8'])).toMatchObject({ code: 0 });
    expect(service.received.map(({ query }) => query.get('organization_id'))).toEqual(['8']);
    expect(kept()).toEqual({ work: { ...whole, organization_id: 8 } });
  });

  test.each(['add', 'edit'])('%s sends a kept key to no other host', async (verb) => {
    const { operator, kept, whole } = await setUp();
    const other = await serviceThatKnows();
    const { code, stderr } = await operator.run(['profile', verb, 'work', '--base-url', other.url]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Missing: --api-key-file or --api-key-command\./);
    expect(other.received).toEqual([]);
    expect(kept()).toEqual({ work: whole });
  });

  test('on a terminal the key is asked for again for another host', async () => {
    const { operator, kept, whole } = await setUp();
    const other = await serviceThatKnows('the-other-key-5520');
    const args = ['profile', 'edit', 'work', '--base-url', other.url];
    const { code, output } = await playHere(operator, args, [/API key/, `the-other-key-5520${ENTER}`], { env: ROUND });
    expect(code).toBe(0);
    expect(output).not.toMatch(/the-other-key|a-key-of/);
    expect(other.received.map(({ query }) => query.get('api_key'))).toEqual(['the-other-key-5520']);
    expect(kept()).toEqual({ work: { ...whole, base_url: `${other.url}/`, api_key: 'the-other-key-5520' } });
  });

  test('a key command takes the place of a key, and the other way round', async () => {
    const { operator, kept, whole } = await setUp();
    const { api_key, ...rest } = whole;
    await operator.run(['profile', 'edit', 'work', '--api-key-command', 'cat key']);
    expect(kept()).toEqual({ work: { ...rest, api_key_command: 'cat key' } });
    await operator.run(['profile', 'edit', 'work', '--api-key-file', 'key']);
    expect(kept()).toEqual({ work: { ...rest, api_key } });
  });

  test('--unset removes', async () => {
    const { operator, kept, whole } = await setUp();
    await operator.run(['profile', 'edit', 'work', '--unset', 'agent', '--unset', 'country']);
    const { agent_id: _agent, country: _country, ...rest } = whole;
    expect(kept()).toEqual({ work: rest });
  });

  test('the local engine drops what belongs to the service, and says so', async () => {
    const { operator, kept } = await setUp();
    const { stderr } = await operator.run(['profile', 'edit', 'work', '--local']);
    expect(kept()).toEqual({ work: { mode: 'local', country: 'DE' } });
    expect(stderr).toMatch(
      /Dropped, because it belongs to the real service: base URL, organization, key, agent, number\./,
    );
  });
});

describe('the guided edit', () => {
  test('Enter at every question changes nothing, and tries nothing', async () => {
    const { service, operator, kept, whole } = await setUp();
    const questions = [
      /Connect to/,
      /Base URL/,
      /Organization/,
      /API key/,
      /Default agent/,
      /Default number/,
      /Country/,
    ];
    const steps = [...questions.flatMap((question) => [question, ENTER]), /Save this profile/, ENTER];
    const { code, output } = await playHere(operator, ['profile', 'edit', 'work'], steps, { env: ROUND });
    expect(code).toBe(0);
    expect(output).not.toContain(KEY);
    expect(kept()).toEqual({ work: whole });
    expect(service.received.filter(({ query }) => query.get('limit') === '1')).toEqual([]);
  });

  test('a new host is not sent the kept key: it is asked for, and Enter is no answer', async () => {
    const { operator, kept, whole } = await setUp();
    const other = await serviceThatKnows();
    const steps = [
      ...[/Connect to/, ENTER, /Base URL/, `${other.url}${ENTER}`, /Organization/, ENTER],
      ...[/API key/, ENTER, /must not be empty/, CTRL_C],
    ];
    const { code } = await playHere(operator, ['profile', 'edit', 'work'], steps, { env: ROUND });
    expect(code).toBe(130);
    expect(other.received).toEqual([]);
    expect(kept()).toEqual({ work: whole });
  });
});

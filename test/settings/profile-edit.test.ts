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
  test('change what is given, keep the rest, and say so', async () => {
    const { service, operator, kept, whole } = await setUp();
    for (const [verb, agent_id] of [
      ['add', 5],
      ['edit', 6],
    ] as const) {
      const { code, stdout, stderr } = await operator.run(['profile', verb, 'work', '--agent', String(agent_id)]);
      expect({ code, kept: kept() }).toEqual({ code: 0, kept: { work: { ...whole, agent_id } } });
      expect(stderr).toMatch(/Profile work is changed.*Kept as before: .*country/s);
      expect(stdout + stderr).not.toContain(KEY);
    }
    // Nothing of the connection changed.
    expect(service.received).toEqual([]);
    expect(await operator.run(['profile', 'edit', 'work', '--org', '8'])).toMatchObject({ code: 0 });
    // Another organization of the same host is tried with the kept key.
    expect(service.received.map(({ query }) => query.get('organization_id'))).toEqual(['8']);
    expect(kept()).toEqual({ work: { ...whole, agent_id: 6, organization_id: 8 } });
    await operator.run(['profile', 'edit', 'work', '--unset', 'agent', '--unset', 'country']);
    const { agent_id: _agent, country: _country, ...rest } = whole;
    expect(kept()).toEqual({ work: { ...rest, organization_id: 8 } });
  });

  test('send a kept key to no other host: on a terminal it is asked for again', async () => {
    const { operator, kept, whole } = await setUp();
    const other = await serviceThatKnows('the-other-key-5520');
    for (const verb of ['add', 'edit']) {
      const { code, stderr } = await operator.run(['profile', verb, 'work', '--base-url', other.url]);
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/Missing: --api-key-file or --api-key-command\./),
      });
    }
    expect([other.received, kept()]).toEqual([[], { work: whole }]);
    const args = ['profile', 'edit', 'work', '--base-url', other.url];
    const { code, output } = await playHere(operator, args, [/API key/, `the-other-key-5520${ENTER}`], { env: ROUND });
    expect(code).toBe(0);
    expect(output).not.toMatch(/the-other-key|a-key-of/);
    expect(other.received.map(({ query }) => query.get('api_key'))).toEqual(['the-other-key-5520']);
    expect(kept()).toEqual({ work: { ...whole, base_url: `${other.url}/`, api_key: 'the-other-key-5520' } });
  });

  test('put a key command in the place of a key, the other way round, and drop both for the local engine', async () => {
    const { operator, kept, whole } = await setUp();
    const { api_key, ...rest } = whole;
    await operator.run(['profile', 'edit', 'work', '--api-key-command', 'cat key']);
    expect(kept()).toEqual({ work: { ...rest, api_key_command: 'cat key' } });
    await operator.run(['profile', 'edit', 'work', '--api-key-file', 'key']);
    expect(kept()).toEqual({ work: { ...rest, api_key } });
    const { stderr } = await operator.run(['profile', 'edit', 'work', '--local']);
    expect(kept()).toEqual({ work: { mode: 'local', country: 'DE' } });
    expect(stderr).toMatch(
      /Dropped, because it belongs to the real service: base URL, organization, key, agent, number\./,
    );
  });
});

describe('the guided edit', () => {
  test('changes and tries nothing by Enter at every question', async () => {
    const { service, operator, kept, whole } = await setUp();
    const asked = ['Connect to', 'Base URL', 'Organization', 'API key', 'Default agent', 'Default number', 'Country'];
    const steps = [...asked, 'Save this profile'].flatMap((question) => [new RegExp(question), ENTER]);
    const { code, output } = await playHere(operator, ['profile', 'edit', 'work'], steps, { env: ROUND });
    expect({ code, kept: kept() }).toEqual({ code: 0, kept: { work: whole } });
    expect(output).not.toContain(KEY);
    expect(service.received.filter(({ query }) => query.get('limit') === '1')).toEqual([]);
  });

  test('asks for the key of a new host, and Enter is no answer', async () => {
    const { operator, kept, whole } = await setUp();
    const other = await serviceThatKnows();
    const steps = [
      ...[/Connect to/, ENTER, /Base URL/, `${other.url}${ENTER}`, /Organization/, ENTER],
      ...[/API key/, ENTER, /must not be empty/, CTRL_C],
    ];
    const { code } = await playHere(operator, ['profile', 'edit', 'work'], steps, { env: ROUND });
    expect([code, other.received, kept()]).toEqual([130, [], { work: whole }]);
  });
});

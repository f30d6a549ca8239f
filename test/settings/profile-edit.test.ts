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

test('a kept key is sent to no other host: on a terminal it is asked for again', async () => {
  const { operator, kept, whole } = await setUp();
  const other = await serviceThatKnows('the-other-key-5520');
  const args = ['profile', 'edit', 'work', '--base-url', other.url];
  expect(await operator.run(args)).toMatchObject({ code: 2 });
  expect([other.received, kept()]).toEqual([[], { work: whole }]);
  const { code, output } = await playHere(operator, args, [/API key/, `the-other-key-5520${ENTER}`], { env: ROUND });
  expect(code).toBe(0);
  expect(output).not.toMatch(/the-other-key|a-key-of/);
  expect(other.received.map(({ query }) => query.get('api_key'))).toEqual(['the-other-key-5520']);
  expect(kept()).toEqual({ work: { ...whole, base_url: `${other.url}/`, api_key: 'the-other-key-5520' } });
});

describe('the guided edit', () => {
  test('changes and tries nothing by Enter at every question', async () => {
    const { service, operator, kept, whole } = await setUp();
    const asked = [
      'Connect to',
      'Base URL',
      'Organization',
      'API key',
      'Default agent',
      'Default number',
      'Country',
      'Time zone',
    ];
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

/** Over HTTP, which organization is meant: what is no integer is refused, then who is not there, then whoever has not its key. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { initialState } from '../../src/engine/state.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { EPOCH, serveEngine, testEngine } from '../support/engine.ts';
import { describePostgres } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';

const DONE = [200, undefined];
const MISSING = [400, 'missing_field'];
const INVALID = [400, 'invalid_parameter'];
const NOT_FOUND = [404, 'organization_not_found'];
const STRANGER = [401, 'invalid_api_key'];

type Answer = (number | string | undefined)[];

/** An id as it stands in a query and in a body, with the key of organization 2, and what is answered to either. */
const IDS: [string, Answer, Answer][] = [
  ['2', DONE, DONE],
  ['1', STRANGER, STRANGER],
  ['3', NOT_FOUND, NOT_FOUND],
  ['0', NOT_FOUND, NOT_FOUND],
  ['-1', INVALID, NOT_FOUND],
  ['1.5', INVALID, INVALID],
  ['9007199254740991', NOT_FOUND, NOT_FOUND],
  ['9007199254740992', INVALID, INVALID],
  ['9223372036854775808', INVALID, INVALID],
  ['1e400', INVALID, INVALID],
  ['"2"', INVALID, INVALID],
  ['null', INVALID, MISSING],
  ['true', INVALID, INVALID],
  ['[2]', INVALID, INVALID],
  ['{}', INVALID, INVALID],
];

/** What a service answers to a request that reads, and to one that writes. */
async function asked(url: string, id: string, key: string, isValid = true): Promise<Answer[]> {
  const answers: Answer[] = [];
  const query = new URLSearchParams({ organization_id: id, api_key: key, limit: isValid ? '1' : '0' });
  const fields = `"api_key":"${key}","agent_name":"Bo","base_prompt":${isValid ? '"Be brief."' : 7},"voice_id":2`;
  for (const response of [
    await fetch(`${url}/get-agents?${query}`),
    await fetch(`${url}/create-agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"organization_id":${id},${fields}}`,
    }),
  ]) {
    const { error } = (await response.json()) as { error?: string };
    answers.push([response.status, error]);
  }
  return answers;
}

function refuses(newEngine: () => LocalEngine): void {
  async function served(): Promise<string> {
    const engine = newEngine();
    await engine.store.add((organizationId, demoAgentId) =>
      initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
    );
    const { url, close } = await serveEngine(engine);
    onTestFinished(close);
    return url;
  }

  test('an organization_id that is none, one that is not there, and a stranger', async () => {
    const url = await served();
    const answers = [];
    for (const [id] of IDS) answers.push([id, ...(await asked(url, id, 'local-demo-key-2'))]);
    expect(answers).toEqual(IDS);
  });

  test('in the order of fields, organization and key', async () => {
    const url = await served();
    expect(await asked(url, '3', 'wrong', false)).toEqual([INVALID, INVALID]);
    expect(await asked(url, '3', 'wrong')).toEqual([NOT_FOUND, NOT_FOUND]);
    expect(await asked(url, '2', 'wrong')).toEqual([STRANGER, STRANGER]);
  });
}

describe('over a folder', () => refuses(testEngine));
describePostgres('over a database', () => refuses(postgresEngine));

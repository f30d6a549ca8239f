/** Over HTTP, which organization is meant: what is no integer is refused, then who is not there, then whoever has not its key. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { initialState } from '../../../src/engine/state.ts';
import type { LocalEngine } from '../../../src/local/open.ts';
import { casesBeside } from '../../support/cases.ts';
import { EPOCH, serveEngine, testEngine } from '../../support/engine.ts';
import { describePostgres } from '../../support/postgres.ts';
import { postgresEngine } from '../../support/postgres-engine.ts';

type Answer = (number | string | undefined)[];

/** An id as it stands in a query and in a body, with the key of organization 2, and what is answered to either. */
const IDS = casesBeside(import.meta.filename)<[string, Answer, Answer]>('an id');

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
    expect(await asked(url, '3', 'wrong', false)).toEqual(Array(2).fill([400, 'invalid_parameter']));
    expect(await asked(url, '3', 'wrong')).toEqual(Array(2).fill([404, 'organization_not_found']));
    expect(await asked(url, '2', 'wrong')).toEqual(Array(2).fill([401, 'invalid_api_key']));
  });
}

describe('over a folder', () => refuses(testEngine));
describePostgres('over a database', () => refuses(postgresEngine));

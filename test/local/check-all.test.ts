/** Several organizations checked as one, and with them the ids that count up over all. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localCredentials } from '../../src/contract.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { checkAll } from '../../src/local/organizations.ts';
import { AGENT, ANSWERS, addOrganization, campaign } from '../support/changes.ts';
import { testEngine } from '../support/engine.ts';
import { describePostgres } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';
import { sql } from '../support/sql.ts';

/** Three organizations with agents 1 to 5, of which the second has the last, and campaigns 1 and 2, of the third and the first. */
async function filled<E extends LocalEngine>(engine: E): Promise<E> {
  const service = (id: number) => engine.backend(localCredentials(id));
  expect([await addOrganization(engine), await addOrganization(engine)]).toEqual([2, 3]);
  for (const [id, agent_id] of [
    [1, 4],
    [2, 5],
  ] as const)
    expect(await service(id).createAgent(AGENT)).toMatchObject({ agent_id });
  for (const [id, campaign_id] of [
    [3, 1],
    [1, 2],
  ] as const)
    expect(await service(id).createCampaign(campaign([ANSWERS], { agent_id: id }))).toMatchObject({ campaign_id });
  expect(await problemsOf(engine)).toEqual([]);
  return engine;
}

async function problemsOf({ store }: LocalEngine): Promise<string[]> {
  const { problems } = await checkAll(store, { signal: new AbortController().signal, onCall: () => {} });
  return problems.map(({ file, message }) => `${file} ${message}`);
}

const given = (what: string, is: string) => `would give ${what} ids that were given already: ${is} or more`;
const TOO_LOW: [Record<string, number>, string[]][] = [
  [{ next_organization_id: 3 }, [given('organizations', 'next_organization_id is 3, and must be 4')]],
  [{ next_agent_id: 4 }, [given('agents', 'next_agent_id is 4, and must be 6')]],
  [
    { next_agent_id: 5, next_campaign_id: 1 },
    [given('agents', 'next_agent_id is 5, and must be 6'), given('campaigns', 'next_campaign_id is 1, and must be 3')],
  ],
];

describe('in a folder', () => {
  const FILE = 'organizations/ids.json';

  test.each(TOO_LOW)('counts as low as %j are told', async (fields, says) => {
    const engine = await filled(testEngine());
    const path = join(engine.folder, FILE);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields }));
    expect(await problemsOf(engine)).toEqual(says.map((message) => `${FILE} ${message}`));
  });

  test('an organization whose root is lost has its id all the same', async () => {
    const { folder, ...engine } = await filled(testEngine());
    writeFileSync(join(folder, 'organizations/3/store.json'), '{');
    writeFileSync(join(folder, FILE), '{"format":1,"next_organization_id":3,"next_agent_id":6,"next_campaign_id":3}');
    expect(await problemsOf(engine)).toEqual([
      'organizations/3/store.json is not JSON',
      `${FILE} ${TOO_LOW[0]?.[1][0]}`,
    ]);
  });

  test('a store with one organization counts no ids', async () => {
    const { folder, ...engine } = testEngine();
    await engine.backend(localCredentials(1)).createAgent(AGENT);
    expect(await problemsOf(engine)).toEqual([]);
    expect(readdirSync(folder)).not.toContain('organizations');
  });

  test('an interrupt ends a check between two organizations', async () => {
    const { store } = await filled(testEngine());
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(checkAll(store, { signal, onCall: () => {} })).rejects.toThrow('enough');
  });
});

describePostgres('in a database', () => {
  test.each(TOO_LOW)('counts as low as %j are told', async (fields, says) => {
    const engine = await filled(postgresEngine());
    await sql(engine.url, `update engine set ${Object.entries(fields).map(([name, value]) => `${name} = ${value}`)}`);
    expect(await problemsOf(engine)).toEqual(says.map((message) => `engine ${message}`));
  });

  test('of an engine without counts, the state of no organization is shown', async () => {
    const engine = await filled(postgresEngine());
    await sql(engine.url, 'delete from engine');
    expect(await problemsOf(engine)).toEqual(['engine is empty']);
    await expect(postgresEngine({ url: engine.url }).timeline.stored()).rejects.toMatchObject({
      code: 'store_damaged',
    });
  });

  test('damage of a further organization is named with it', async () => {
    const engine = await filled(postgresEngine());
    await sql(engine.url, 'update organizations set next_call_number = 7 where organization_id = 2');
    expect(await problemsOf(engine)).toEqual([
      'organizations of organization 2 counts another number of calls than there are',
    ]);
  });
});

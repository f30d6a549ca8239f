/** Several organizations checked as one, and with them the ids that count up over all. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localCredentials } from '../../src/contract.ts';
import { initialState } from '../../src/engine/state.ts';
import type { LocalEngine } from '../../src/local/open.ts';
import { EPOCH, testEngine } from '../support/engine.ts';
import { describePostgres } from '../support/postgres.ts';
import { postgresEngine } from '../support/postgres-engine.ts';
import { sql } from '../support/sql.ts';

const OPTIONS = { signal: new AbortController().signal, onCall: () => {} };

const add = ({ store }: LocalEngine) =>
  store.add((organizationId, demoAgentId) =>
    initialState({ seed: 1, now: EPOCH, empty: false, organizationId, demoAgentId }),
  );

const createAgent = async ({ backend }: LocalEngine, organizationId: number) =>
  (await backend(localCredentials(organizationId)).createAgent({ agent_name: 'Bo', base_prompt: 'Hm.', voice_id: 2 }))
    .agent_id;

const createCampaign = async ({ backend }: LocalEngine, organizationId: number, agentId: number) =>
  (
    await backend(localCredentials(organizationId)).createCampaign({
      ...{ campaign_name: 'Spring', agent_id: agentId, call_from: '+14155550100' },
      contacts: [{ phone_number: '+14155550190' }],
    })
  ).campaign_id;

/** Three organizations with agents 1 to 5, of which the second has the last, and campaigns 1 and 2, of the third and the first. */
async function filled<E extends LocalEngine>(engine: E): Promise<E> {
  expect([await add(engine), await add(engine)]).toEqual([2, 3]);
  expect([await createAgent(engine, 1), await createAgent(engine, 2)]).toEqual([4, 5]);
  expect([await createCampaign(engine, 3, 3), await createCampaign(engine, 1, 1)]).toEqual([1, 2]);
  return engine;
}

const problemsOf = async ({ store }: LocalEngine) => (await store.check(OPTIONS)).problems;

const TOO_LOW: [Record<string, number>, string[]][] = [
  [
    { next_organization_id: 3 },
    ['would give organizations ids that were given already: next_organization_id is 3, and must be 4 or more'],
  ],
  [{ next_agent_id: 4 }, ['would give agents ids that were given already: next_agent_id is 4, and must be 6 or more']],
  [
    { next_agent_id: 5, next_campaign_id: 1 },
    [
      'would give agents ids that were given already: next_agent_id is 5, and must be 6 or more',
      'would give campaigns ids that were given already: next_campaign_id is 1, and must be 3 or more',
    ],
  ],
];

describe('in a folder', () => {
  const idsOf = (folder: string) => join(folder, 'organizations/ids.json');
  const engine = () => filled(testEngine());

  test('sound ids', async () => {
    expect(await problemsOf(await engine())).toEqual([]);
  });

  test.each<[string, (path: string) => void, string[]]>([
    ['lost', (path) => rmSync(path), ['is missing']],
    ['no JSON', (path) => writeFileSync(path, '{'), ['is not JSON']],
    [
      'of another shape',
      (path) => writeFileSync(path, '{"format":1,"next_organization_id":4,"next_agent_id":"6"}'),
      ['does not count ids: next_agent_id: Invalid input'],
    ],
    ...TOO_LOW.map(([fields, problems]): [string, (path: string) => void, string[]] => [
      JSON.stringify(fields),
      (path) => writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields })),
      problems,
    ]),
  ])('ids.json that is %s is reported', async (_what, damage, says) => {
    const one = await engine();
    damage(idsOf(one.folder));
    const problems = says.map((message) => ({ file: 'organizations/ids.json', line: null, message }));
    expect(await problemsOf(one)).toEqual(problems);
  });

  test('an organization whose root is lost has its id all the same', async () => {
    const one = await engine();
    writeFileSync(join(one.folder, 'organizations/3/store.json'), '{');
    writeFileSync(idsOf(one.folder), '{"format":1,"next_organization_id":3,"next_agent_id":6,"next_campaign_id":3}');
    expect((await problemsOf(one)).map(({ message }) => message)).toEqual(['is not JSON', TOO_LOW[0]?.[1][0]]);
  });

  test('a store with one organization counts no ids', async () => {
    const one = testEngine();
    await createAgent(one, 1);
    expect(await problemsOf(one)).toEqual([]);
    expect(readdirSync(one.folder)).not.toContain('organizations');
  });
});

describePostgres('in a database', () => {
  const engine = () => filled(postgresEngine());

  test('sound ids', async () => {
    expect(await problemsOf(await engine())).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    ['empty', 'delete from engine', ['is empty']],
    ...TOO_LOW.map(([fields, problems]): [string, string, string[]] => [
      JSON.stringify(fields),
      `update engine set ${Object.entries(fields).map(([name, value]) => `${name} = ${value}`)}`,
      problems,
    ]),
  ])('the table engine that is %s is reported', async (_what, damage, says) => {
    const one = await engine();
    await sql(one.url, damage);
    const problems = says.map((message) => ({ file: 'engine', line: null, message }));
    expect(await problemsOf(one)).toEqual(problems);
  });

  test('of an engine without counts, the state of no organization is shown', async () => {
    const one = await engine();
    await sql(one.url, 'delete from engine');
    await expect(postgresEngine({ url: one.url }).timeline.stored()).rejects.toMatchObject({ code: 'store_damaged' });
  });

  test('damage of a further organization is named with it', async () => {
    const one = await engine();
    await sql(one.url, 'update organizations set next_call_number = 7 where organization_id = 2');
    const message = 'counts another number of calls than there are';
    expect(await problemsOf(one)).toEqual([{ file: 'organizations of organization 2', line: null, message }]);
  });
});

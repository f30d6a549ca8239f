/** Organizations at the command line: one is added, named by --org, checked with the others, and what is wrong is said. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator } from '../../support/program.ts';

const CALL = ['call', '+14155550190', '--from', '+14155550100', '--first-line', 'Hello.', '--yes'];
const STORE = '.local/state/vagent/store';

function operator(): Operator {
  return new Operator({ env: { VAGENT_LOCAL: '1' } });
}

async function withTwo(): Promise<Operator> {
  const person = operator();
  await person.json([...CALL, '--agent', '1']);
  expect(await person.json(['local', 'org', 'add'])).toEqual({ organization_id: 2, agents: [2] });
  await person.json([...CALL, '--agent', '2', '--org', '2']);
  return person;
}

describe('--org', () => {
  test('names an organization to every command', async () => {
    const person = await withTwo();
    const [log] = (await person.json<{ calls: { call_id: string }[] }>(['logs', 'list', '--org', '2'])).calls;
    expect(log?.call_id).toBe('call_2_0000000001');
    expect(await person.json(['local', 'status', '--org', '2'])).toMatchObject({ calls: 1, agents: 1 });
    await person.json(['local', 'topup', '5', '--org', '2']);
    await person.json(['local', 'advance', '1h', '--org', '2']);
    expect(await person.json(['local', 'org', 'list'])).toEqual({
      organizations: [
        { organization_id: 1, balance: expect.closeTo(99.9, 5), agents: 1, campaigns: 0, calls: 1 },
        { organization_id: 2, balance: expect.closeTo(104.9, 5), agents: 1, campaigns: 0, calls: 1 },
      ],
    });
  });

  test('of a profile counts where none is written, and that of a remote one does not', async () => {
    const person = await withTwo();
    expect((await person.run(['profile', 'add', 'tests', '--local', '--org', '2'])).code).toBe(0);
    expect((await person.json(['local', 'topup', '1', '--profile', 'tests'])).balance).toBeCloseTo(100.9, 5);
    const env = { VAGENT_LOCAL: '', VAGENT_BASE_URL: 'https://voice.example.com', VAGENT_ORG_ID: '9' };
    const balance = async (...flags: string[]) => (await person.json(['local', 'status', ...flags], { env })).balance;
    await person.run(['profile', 'remove', 'tests', '--yes']);
    expect(await balance()).toBeCloseTo(99.9, 5);
    expect(await balance('--org', '2')).toBeCloseTo(100.9, 5);
  });

  test('that there is not is named, and nothing is changed', async () => {
    const person = await withTwo();
    const before = await person.json(['local', 'org', 'list']);
    for (const command of [
      ['logs', 'list'],
      ['local', 'reset', '--yes'],
      [...CALL, '--agent', '1'],
    ]) {
      const { code, stderr } = await person.run([...command, '--org', '3']);
      expect([code, stderr]).toEqual([5, expect.stringContaining('There is no organization 3.')]);
    }
    expect(await person.json(['local', 'org', 'list'])).toEqual(before);
  });

  test('resets that one alone, which keeps its key and its demo agent, and says so', async () => {
    const person = await withTwo();
    const { code, stderr } = await person.run(['local', 'reset', '--org', '2']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A reset deletes every call and campaign of organization 2: it needs --yes.'),
    });
    expect(await person.json(['local', 'reset', '--yes', '--org', '2'])).toMatchObject({ organization_id: 2, seed: 1 });
    const { organizations } = await person.json<{ organizations: unknown[] }>(['local', 'org', 'list']);
    expect(organizations).toMatchObject([{ calls: 1 }, { calls: 0, agents: 1, balance: 100 }]);
    await person.json([...CALL, '--agent', '2', '--org', '2']);
  });
});

describe('local org', () => {
  test('adds one without anything, and with a seed', async () => {
    const person = operator();
    expect(await person.json(['local', 'org', 'add', '--empty', '--seed', '9'])).toEqual({
      organization_id: 2,
      agents: [],
    });
    expect(await person.json(['local', 'status', '--org', '2'])).toMatchObject({ seed: 9, balance: 0, numbers: [] });
  });

  test('and local migrate refuse --org, and take no notice of one that is not for them', async () => {
    const person = await withTwo();
    for (const [command, why] of [
      [['local', 'org', 'add'], 'the new organization gets the next id'],
      [['local', 'org', 'list'], 'it shows every organization'],
      [['local', 'migrate', '--to', 'copied'], 'it copies every organization'],
    ] as const) {
      const { code, stderr } = await person.run([...command, '--org', '2']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(` takes no --org: ${why}.`)]);
    }
    const env = { VAGENT_ORG_ID: '2' };
    expect(await person.json(['local', 'org', 'add'], { env })).toMatchObject({ organization_id: 3 });
    expect(await person.json(['local', 'org', 'list'], { env })).toMatchObject({ organizations: { length: 3 } });
    expect(await person.json(['local', 'migrate', '--to', 'copied'], { env })).toMatchObject({ organizations: 3 });
  });
});

describe('local check', () => {
  test('looks at every organization, and names the file of the one that is damaged', async () => {
    const person = await withTwo();
    expect(await person.json(['local', 'check'])).toMatchObject({
      ok: true,
      organizations: 2,
      calls: 2,
      leftovers: [],
    });
    const path = join(person.home, STORE, 'organizations/2/calls/000001.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('call_2_0000000001', 'call_3_0000000001'));
    const { code, stderr } = await person.run(['local', 'check']);
    expect(code).toBe(9);
    expect(stderr).toMatch(/organizations\/2\/calls\/000001\.jsonl line 1 has a call_id that was never given/);
    expect((await person.run(['local', 'check', '--org', '1'])).code).toBe(0);
    expect(stderr).toMatch(/start again with vagent local reset --org <id>;/);
    const ofOne = await person.run(['local', 'check', '--org', '2']);
    expect(ofOne.stderr).toMatch(/start again with vagent local reset --org 2;/);
    await person.json(['local', 'reset', '--org', '2', '--yes']);
    expect(await person.json(['local', 'check'])).toMatchObject({ ok: true, calls: 1 });
  });
});

describe('organizations/ids.json', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['lost', (path) => rmSync(path), /ids\.json is missing/],
    ['no JSON', (path) => writeFileSync(path, '{'), /ids\.json is not JSON/],
    ['of another shape', (path) => writeFileSync(path, '{"format":1,"next_agent_id":0}'), /next_organization_id/],
    [
      'of a later format',
      (path) => writeFileSync(path, '{"format":2}'),
      /format 2, newer than this vagent reads \(1\)/,
    ],
  ])('that is %s: nobody gets an id, everything else goes on', async (_what, damage, says) => {
    const person = await withTwo();
    damage(join(person.home, STORE, 'organizations/ids.json'));
    for (const command of [
      ['local', 'org', 'add'],
      ['agent', 'create', '--name', 'Bo', '--prompt', 'x', '--voice', '1'],
      ['agent', 'create', '--name', 'Bo', '--prompt', 'x', '--voice', '1', '--org', '2'],
    ]) {
      const { code, stderr } = await person.run(command);
      expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringMatching(says) });
    }
    await person.json([...CALL, '--agent', '2', '--org', '2']);
    expect(await person.json(['local', 'status'])).toMatchObject({ calls: 1 });
    const { code, stderr } = await person.run(['local', 'check']);
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringMatching(says) });
  });
});

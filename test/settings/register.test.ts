/** Where the register and the plans are: flag, then environment, then profile, then the state folder. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUp } from '../support/calling-service.ts';
import { casesBeside } from '../support/cases.ts';
import { Operator } from '../support/program.ts';

const cases = casesBeside(import.meta.filename);

const PLAN = 'plan create - --name Spring --agent 1 --from +14155550100 --window 00:00-24:00'.split(' ');

const places = cases<[name: string, flags: string, env: Record<string, string>, place: string]>('places');

test.each(places)('its place: %s', async (_name, flags, env, place) => {
  const operator = new Operator();
  await operator.run(['profile', 'add', 'team', '--local', '--register', 'of-team']);
  await operator.run(['profile', 'add', 'other', '--local']);
  await operator.run(['profile', 'use', 'other']);
  const atHome = Object.fromEntries(
    Object.entries(env).map(([name, path]) => [name, path.replace('$HOME', operator.home)]),
  );
  const given = flags.split(' ').filter(Boolean);
  for (const named of ['here', 'there', 'of-team']) mkdirSync(join(operator.home, named));
  const input = 'phone_number\n+14155550190\n';
  const { code, stderr } = await operator.run([...PLAN, ...given, '--zone', 'UTC', '--yes'], { env: atHome, input });
  expect(code, stderr).toBe(0);
  const all = readdirSync(operator.home, { recursive: true }).map(String);
  expect(all.filter((name) => name.endsWith('vagent.db'))).toEqual([join(place, 'vagent.db')]);
});

const CALL = ['call', '+14155550123', '--agent', '3', '--from', '+14155550100', '--first-line', 'Hello.'];

test.each([
  ['--register', ['--register', 'regster'], {}],
  ['VAGENT_REGISTER', [], { VAGENT_REGISTER: 'regster' }],
  ['a profile', ['--profile', 'team'], {}],
  ['a file', ['--register', 'file'], {}],
] as [string, string[], Record<string, string>][])(
  'a folder that is named and not there is refused, and not made: %s',
  async (_name, flags, env) => {
    const { operator, posts, server } = await setUp();
    const config = join(operator.home, '.config/vagent');
    const connection = { mode: 'remote', base_url: `${server.url}/api`, organization_id: 7, api_key: 'sk' };
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const profiles = { team: { ...connection, register: join(operator.home, 'regster') } };
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    writeFileSync(join(operator.home, 'file'), '');
    for (const command of [CALL, ['campaign', 'list'], ['plan', 'list']]) {
      const { code, stdout, stderr } = await operator.run([...command, ...flags], { env });
      expect([code, stdout, stderr]).toEqual([
        3,
        '',
        expect.stringMatching(/^vagent: There is no folder \S+, where the register should be\. Nothing was sent\.\n/),
      ]);
    }
    expect(posts()).toEqual([]);
    expect(readdirSync(operator.home)).not.toContain('regster');
  },
);

test("a profile's folder is the same from wherever it is used, and an address stays what it is", async () => {
  const operator = new Operator();
  const address = 'postgres://me@db.example.com/calls?schema=spring';
  await operator.run(['profile', 'add', 'team', '--local', '--register', 'of-team', '--store', address]);
  await operator.run(['profile', 'add', 'shared', '--local', '--register', address, '--store', 'here']);
  const { profiles } = JSON.parse(readFileSync(join(operator.home, '.config/vagent/config.json'), 'utf8'));
  expect(profiles).toMatchObject({
    team: { register: join(operator.home, 'of-team'), store: address },
    shared: { register: address, store: join(operator.home, 'here') },
  });
  mkdirSync(join(operator.home, 'elsewhere'));
  mkdirSync(join(operator.home, 'of-team'));
  const elsewhere = { cwd: join(operator.home, 'elsewhere') };
  expect(await operator.run(['plan', 'list', '--profile', 'team'], elsewhere)).toMatchObject({ code: 0 });
});

test.each(cases<string>('addresses'))(
  'an address that holds a password, or is misspelt, is refused wherever it is written, neither shown nor kept: %s',
  async (address) => {
    const operator = new Operator();
    const config = join(operator.home, '.config/vagent/config.json');
    mkdirSync(join(operator.home, '.config/vagent'), { recursive: true, mode: 0o700 });
    for (const what of ['register', 'store']) {
      const profiles = { team: { mode: 'local', [what]: address } };
      writeFileSync(config, JSON.stringify({ active: 'team', profiles }), { mode: 0o600 });
      const kept = readFileSync(config, 'utf8');
      const command = what === 'register' ? ['plan', 'list'] : ['local', 'status'];
      const refused = await Promise.all([
        operator.run([...command, `--${what}`, address]),
        operator.run([...command, '--json', `--${what}`, address]),
        operator.run(command, { env: { [`VAGENT_${what.toUpperCase()}`]: address } }),
        operator.run(command),
        operator.run(['profile', 'add', 'other', '--local', `--${what}`, address]),
      ]);
      expect(refused.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3]);
      const shown = [
        ...refused,
        await operator.run(['profile', 'show', 'team', '--json']),
        await operator.run(['doctor']),
      ];
      for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain('sesame');
      expect(readFileSync(config, 'utf8')).toBe(kept);
      expect(readdirSync(operator.home)).toEqual(['.config']);
    }
  },
);

test('quotes around a folder are no part of it', async () => {
  const operator = new Operator();
  mkdirSync(join(operator.home, 'here'));
  const env = { VAGENT_REGISTER: `"${join(operator.home, 'here')}"` };
  expect(await operator.run(['plan', 'list'], { env })).toMatchObject({ code: 0 });
});

/** Where the register and the plans are: flag, then environment, then profile, then the state folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Operator } from '../support/program.ts';

const PLAN = [
  'plan',
  'create',
  '-',
  '--name',
  'Spring',
  '--agent',
  '1',
  '--from',
  '+14155550100',
  '--window',
  '00:00-24:00',
];

const places: [name: string, flags: string, env: Record<string, string>, place: string][] = [
  ['the state folder', '', {}, '.local/state/vagent'],
  ['VAGENT_STATE_DIR', '', { VAGENT_STATE_DIR: '$HOME/state' }, 'state'],
  ['VAGENT_REGISTER', '', { VAGENT_REGISTER: '$HOME/here', VAGENT_STATE_DIR: '$HOME/state' }, 'here'],
  ['--register', '--register there', { VAGENT_REGISTER: '$HOME/here' }, 'there'],
  ["a profile's", '--profile team', {}, 'of-team'],
  ["a profile's, named over VAGENT_REGISTER", '--profile team', { VAGENT_REGISTER: '$HOME/here' }, 'of-team'],
  [
    'VAGENT_REGISTER over that of VAGENT_PROFILE',
    '',
    { VAGENT_PROFILE: 'team', VAGENT_REGISTER: '$HOME/here' },
    'here',
  ],
];

test.each(places)('its place: %s', async (_name, flags, env, place) => {
  const operator = new Operator();
  await operator.run(['profile', 'add', 'team', '--local', '--register', 'of-team']);
  await operator.run(['profile', 'add', 'other', '--local']);
  await operator.run(['profile', 'use', 'other']);
  const atHome = Object.fromEntries(
    Object.entries(env).map(([name, path]) => [name, path.replace('$HOME', operator.home)]),
  );
  const given = flags.split(' ').filter(Boolean);
  const input = 'phone_number\n+14155550190\n';
  const { code, stderr } = await operator.run([...PLAN, ...given, '--zone', 'UTC', '--yes'], { env: atHome, input });
  expect(code, stderr).toBe(0);
  expect(existsSync(join(operator.home, place, 'plans/1/plan.json'))).toBe(true);
});

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
  const elsewhere = { cwd: join(operator.home, 'elsewhere') };
  expect(await operator.run(['plan', 'list', '--profile', 'team'], elsewhere)).toMatchObject({ code: 0 });
});

test.each([
  'postgres://me:sesame@db/calls',
  '"postgres://me:sesame@db/calls"',
  'me:sesame@db:5432/calls',
  'host=sesame',
])(
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

test('blanks around an address are no part of it', async () => {
  const operator = new Operator();
  const address = 'postgres://me@db.example.com/calls';
  await operator.run(['profile', 'add', 'team', '--local', '--register', ` ${address}\n`]);
  const { profiles } = JSON.parse(readFileSync(join(operator.home, '.config/vagent/config.json'), 'utf8'));
  expect(profiles.team.register).toBe(address);
});

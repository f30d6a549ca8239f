/** Where the register and the plans are: flag, then environment, then profile, then the state folder. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
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

test.each(['postgres://me:sesame@db/calls', 'postgres://db/calls?password=sesame', 'postgres://[sesame'])(
  'an address that holds a password, or is none, is not kept in a profile: %s',
  async (address) => {
    const operator = new Operator();
    for (const flag of ['--register', '--store']) {
      const { code, stdout, stderr } = await operator.run(['profile', 'add', 'team', '--local', flag, address]);
      expect(code).toBe(3);
      expect(stdout + stderr).not.toContain('sesame');
    }
    expect(existsSync(join(operator.home, '.config/vagent/config.json'))).toBe(false);
  },
);

/** Where the register and the plans are: flag, then environment, then profile, then the state folder. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

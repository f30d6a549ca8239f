/** What a machine forgets of the people that were called: afterwards no file has it, and everything else goes on as before. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Register } from '../../../src/register/register.ts';
import { ownState } from '../../../src/state/state-folder.ts';
import { type CallingService, setUp } from '../../support/calling-service.ts';
import type { Operator } from '../../support/program.ts';

const TO = '+14155550123';
const CALL = [
  'call',
  TO,
  '--agent',
  '3',
  '--from',
  '+14155550100',
  '--first-line',
  'Hello Dora.',
  '--identifier',
  'crm-4',
];
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const ANA = 'phone_number,custom_first_line,custom_identifiers,note\n+14155550190,Hi Ana.,crm-1,blue\n';
const BOB = 'phone_number\n+14155550191\n';
/** Everything that says something of the people. */
const PERSONAL = /1?4155550190|4155550191|4155550123|Ana|Dora|crm-|blue/;

const create = (operator: Operator, input: string, ...flags: string[]) =>
  operator.run([...CREATE, ...flags, '--contacts', '-'], { input });
const forget = (operator: Operator, ...args: string[]) => operator.run(['campaign', 'forget', ...args]);

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');

/** The content of every file of the register. */
function everything(operator: Operator): string {
  const files = readdirSync(stateOf(operator), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  // The lock holds the command line of the last program.
  const kept = files.filter(({ name }) => name !== 'register.lock');
  return kept.map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name), 'latin1')}`).join('\n');
}

/** As if all of it had been sent so many days earlier. */
function age({ register }: CallingService, days: number): void {
  const text = readFileSync(register, 'utf8');
  const earlier = (at: string) => new Date(Date.parse(at) - days * 86_400_000).toISOString();
  writeFileSync(
    register,
    text.replace(/"at":"([^"]+)"/g, (_all, at) => `"at":"${earlier(at)}"`),
  );
}

describe.concurrent('a campaign', () => {
  describe('whose people were left by a run that was killed', async () => {
    const shop = await setUp();
    const { operator } = shop;
    test('is rid of them when it is forgotten again', async () => {
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      age(shop, 10);
      const folder = join(stateOf(operator), 'campaigns');
      const left = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name)) }));
      expect(left.length).toBeGreaterThan(1);
      expect(await forget(operator, 'Spring', '--yes')).toMatchObject({ code: 0 });
      for (const { name, text } of left) writeFileSync(join(folder, name), text);
      expect(everything(operator)).toMatch(PERSONAL);
      expect(await forget(operator, 'Spring', '--yes')).toMatchObject({ code: 5 });
      expect(everything(operator)).not.toMatch(PERSONAL);
    });
  });

  describe('that has ended', async () => {
    const shop = await setUp();
    const { operator, posts } = shop;
    test('is forgotten: in no file, still listed, and its numbers can be called again', async () => {
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      age(shop, 10);
      expect(everything(operator)).toMatch(PERSONAL);
      const outcome = await forget(operator, 'Spring', '--yes', '--json');
      expect(outcome).toMatchObject({ code: 0 });
      expect(JSON.parse(outcome.stdout)).toMatchObject({ campaign_id: 9, campaign_name: 'Spring', contacts: 1 });
      expect(everything(operator)).not.toMatch(PERSONAL);
      expect(statSync(shop.register).mode & 0o777).toBe(0o600);

      const { campaigns } = await operator.json<{ campaigns: unknown[] }>(['campaign', 'list']);
      expect(campaigns).toMatchObject([
        { campaign_id: 9, campaign_name: 'Spring', outcome: 'forgotten', total_contacts: 1, file: '-', entry: 1 },
      ]);
      for (const command of ['status', 'results', 'forget']) {
        expect(await operator.run(['campaign', command, '9', '--yes']), command).toMatchObject({
          code: 5,
          stderr: expect.stringContaining('Campaign 9 "Spring" was forgotten ('),
        });
      }
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      expect(posts()).toHaveLength(2);
      expect(await create(operator, ANA)).toMatchObject({ code: 2 });
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    });
  });

  describe('that may still be calling', async () => {
    const { operator } = await setUp();
    test('is kept without --force', async () => {
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      const before = everything(operator);
      expect(await forget(operator, '9', '--yes')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/"Spring" may still be calling.*\n.*repeat with --force/),
      });
      expect(everything(operator)).toBe(before);
      expect(await forget(operator, '9', '--yes', '--force')).toMatchObject({ code: 0 });
      expect(everything(operator)).not.toMatch(PERSONAL);
    });
  });

  describe('of unknown outcome', async () => {
    const shop = await setUp();
    test('is kept without --force, and then named by its name', async () => {
      const { operator, next } = shop;
      next.behaviour = 'fails';
      expect(await create(operator, ANA)).toMatchObject({ code: 8 });
      age(shop, 10);
      expect(await forget(operator, 'Spring', '--yes')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('"Spring" is of unknown outcome'),
      });
      expect(await forget(operator, 'Spring', '--yes', '--force')).toMatchObject({ code: 0 });
      expect(everything(operator)).not.toMatch(PERSONAL);
      next.behaviour = 'accepts';
      expect(await operator.run(['call', '+14155550190', ...CALL.slice(2)])).toMatchObject({ code: 0 });
    });
  });

  describe('among others', async () => {
    const shop = await setUp();
    test('is the only one that is forgotten', async () => {
      const { operator } = shop;
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      expect(await create(operator, BOB)).toMatchObject({ code: 0 });
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      age(shop, 10);
      expect(await forget(operator, 'Spring', '--yes')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('2 campaigns are called Spring: 10 ('),
      });
      expect(await forget(operator, '9', '--yes')).toMatchObject({ code: 0 });
      const left = everything(operator);
      expect(left).not.toMatch(/4155550190|Ana|crm-1/);
      expect(left).toMatch(/4155550191/);
      expect(left).toMatch(/4155550123/);
      expect(await create(operator, BOB)).toMatchObject({ code: 2 });
    });
  });

  describe('that was created in two parts', async () => {
    const shop = await setUp();
    test('is forgotten as a whole', async () => {
      const { operator, register } = shop;
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      expect(await create(operator, BOB)).toMatchObject({ code: 0 });
      age(shop, 10);
      const text = readFileSync(register, 'utf8');
      writeFileSync(register, text.replace('{"entry":2,"event":"sent",', '{"entry":2,"event":"sent","part_of":1,'));
      expect(await forget(operator, 'Spring', '--yes', '--json')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"contacts": 2'),
      });
      expect(everything(operator)).not.toMatch(PERSONAL);
    });
  });

  describe('on a register that is damaged', async () => {
    const shop = await setUp();
    test('is not forgotten: exit 9, and nothing changes', async () => {
      const { operator, register } = shop;
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      age(shop, 10);
      writeFileSync(register, `${readFileSync(register, 'utf8')}nonsense\n`);
      const before = everything(operator);
      for (const args of [['9'], ['--keep-days', '3']]) {
        expect(await forget(operator, ...args, '--yes', '--force')).toMatchObject({ code: 9 });
      }
      expect(everything(operator)).toBe(before);
    });
  });
});

describe.concurrent('--keep-days', () => {
  describe('with old and young requests', async () => {
    const shop = await setUp();
    const elsewhere = await setUp();
    test('forgets the old ones, to all services, and says how many', async () => {
      const { operator, next } = shop;
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      next.behaviour = 'refuses';
      expect(await operator.run(CALL)).toMatchObject({ code: 6 });
      next.behaviour = 'accepts';
      const there = ['--base-url', elsewhere.server.url];
      expect(await create(operator, ANA, ...there)).toMatchObject({ code: 0 });
      age(shop, 10);
      expect(await create(operator, BOB)).toMatchObject({ code: 0 });
      expect(await forget(operator, '--keep-days', '11', '--yes', '--json')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"campaigns": 0'),
      });
      const outcome = await forget(operator, '--keep-days', '9', '--yes', '--json');
      expect(JSON.parse(outcome.stdout)).toEqual({ campaigns: 2, calls: 2, contacts: 2, kept: 0 });
      const left = everything(operator);
      expect(left).not.toMatch(/4155550190|4155550123|Ana|Dora|crm-|blue/);
      expect(left).toMatch(/4155550191/);
      expect(await create(operator, BOB)).toMatchObject({ code: 2 });
      expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    });
  });

  describe('with what is unknown or may still be calling', async () => {
    const shop = await setUp();
    test('keeps it, says so, and forgets it with --force', async () => {
      const { operator, next } = shop;
      next.behaviour = 'fails';
      expect(await operator.run(CALL)).toMatchObject({ code: 8 });
      next.behaviour = 'accepts';
      // At one call an hour it goes on for weeks.
      const input = `phone_number\n${Array.from({ length: 500 }, (_none, at) => `+1415555${1000 + at}\n`).join('')}`;
      expect(await create(operator, input, '--calls-per-hour', '1')).toMatchObject({ code: 0 });
      age(shop, 10);
      const kept = await forget(operator, '--keep-days', '0', '--yes', '--json');
      expect(JSON.parse(kept.stdout)).toEqual({ campaigns: 0, calls: 0, contacts: 0, kept: 2 });
      expect(kept.stderr).toContain(
        '2 kept: of unknown outcome, of a plan that is not over, or calls may still be made.',
      );
      expect(await operator.run(CALL)).toMatchObject({ code: 2 });
      expect(await forget(operator, '--keep-days', '0', '--yes', '--force')).toMatchObject({ code: 0 });
      expect(everything(operator)).not.toMatch(/4155550123|4155551000/);
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    });
  });

  describe('on a long register', async () => {
    const shop = await setUp();
    test('leaves no number in its index', async () => {
      const { operator, next, register } = shop;
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      const [sent = '', ended = ''] = readFileSync(register, 'utf8').split('\n');
      const calls = Array.from({ length: 400 }, (_none, at) => {
        const entry = `{"entry":${at + 1},`;
        const number = `+1415555${2000 + at}`;
        return `${sent.replace('{"entry":1,', entry).replace(TO, number)}\n${ended.replace('{"entry":1,', entry).replace('accepted', 'unknown')}\n`;
      });
      writeFileSync(register, calls.join(''));
      expect(await operator.run(CALL)).toMatchObject({ code: 0 });
      const index = join(stateOf(operator), 'register.index');
      expect(readFileSync(index, 'utf8')).toContain('+14155552000');
      age(shop, 10);
      next.behaviour = 'accepts';
      expect(await forget(operator, '--keep-days', '1', '--yes', '--force')).toMatchObject({ code: 0 });
      expect(everything(operator)).not.toMatch(/14155552|4155550123/);
      expect(existsSync(index)).toBe(false);
      expect(await operator.run(['call', '+14155552000', ...CALL.slice(2)])).toMatchObject({ code: 0 });
    });
  });
});

describe.concurrent('what was killed while it forgot', async () => {
  const shop = await setUp();
  test('is finished by whoever sends next, or forgets', async () => {
    const { operator } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    const campaigns = join(stateOf(operator), 'campaigns');
    const kept = readdirSync(campaigns).map((name) => [name, readFileSync(join(campaigns, name))] as const);
    age(shop, 10);
    const again = () => {
      for (const [name, bytes] of kept) writeFileSync(join(campaigns, name), bytes);
      expect(everything(operator)).toMatch(PERSONAL);
    };
    expect(await forget(operator, '9', '--yes')).toMatchObject({ code: 0 });
    again();
    expect(await forget(operator, '--keep-days', '0', '--yes')).toMatchObject({ code: 0 });
    expect(everything(operator)).not.toMatch(PERSONAL);
    again();
    expect(await create(operator, 'phone_number\n+14155550199\n')).toMatchObject({ code: 0 });
    expect(everything(operator)).not.toMatch(PERSONAL);
  });
});

describe.concurrent('lists of people to call again', async () => {
  const shop = await setUp();
  test('go with the campaign that they are from', async () => {
    const { operator, server } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    const folder = stateOf(operator);
    const register = new Register({ state: ownState(folder), systemNow: Date.now, command: 'test', warn: () => {} });
    await register.keepRedial({
      service: `${server.url}/api`,
      organizationId: 7,
      at: Date.now(),
      lastEntry: 1,
      campaigns: [{ entry: 1, campaign_id: 9, campaign_name: 'Spring' }],
      numbers: Float64Array.of(14155550190),
    });
    expect([...register.redials()]).toHaveLength(1);
    expect(await forget(operator, '9', '--yes', '--force')).toMatchObject({ code: 0 });
    expect([...register.redials()]).toEqual([]);
  });
});

describe.concurrent('before anything is forgotten', async () => {
  const shop = await setUp();
  const { operator } = shop;
  test('it is said what is lost, and a yes is needed', async () => {
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    age(shop, 10);
    expect(await forget(operator, '9')).toMatchObject({ code: 2, stderr: expect.stringContaining('it needs --yes') });
    expect(await forget(operator, '--keep-days', '3')).toMatchObject({ code: 2 });
    expect(everything(operator)).toMatch(PERSONAL);
  });

  const wrong: Record<string, [args: string[], code: number, told: RegExp]> = {
    'the local engine': [['9', '--local', '--yes'], 2, /has no register.*\n.*vagent local reset/],
    'a campaign and days': [['9', '--keep-days', '3', '--yes'], 2, /not both/],
    'neither, and nobody to ask': [['--yes'], 2, /Missing: <campaign>/],
    'days that are none': [['--keep-days', '-1'], 2, /--keep-days/],
    'a campaign that is none': [['77', '--yes'], 5, /no campaign 77 that was created from here/],
    'a name that is none': [['Autumn', '--yes'], 5, /no campaign called Autumn/],
  };
  test.each(Object.entries(wrong))('%s', async (_name, [args, code, told]) => {
    const outcome = await forget(operator, ...args);
    expect(outcome.stderr).toMatch(told);
    expect(outcome).toMatchObject({ code, stdout: '' });
  });
});

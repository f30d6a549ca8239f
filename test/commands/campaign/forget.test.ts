/** What a machine forgets of the people that were called: afterwards no file has it, and everything else goes on as before. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CallingService, setUp } from '../../support/calling-service.ts';
import { HOUR, numbers, plannedService } from '../../support/planned-service.ts';
import type { Operator } from '../../support/program.ts';
import { registerAt, rowsAt } from '../../support/rows.ts';
import { rowsOf } from '../../support/stored-plans.ts';

const TO = '+14155550123';
const CALL = ['call', TO, ...'--agent 3 --from +14155550100 --identifier crm-4 --first-line Hello_Dora.'.split(' ')];
const CREATE = ['campaign', 'create', '--name', 'Spring', '--agent', '3', '--from', '+14155550100', '--yes'];
const ANA = 'phone_number,custom_first_line,custom_identifiers,note\n+14155550190,Hi Ana.,crm-1,blue\n';
const BOB = 'phone_number\n+14155550191\n';
const PHONES = [14155550190, 14155550191, 14155550123, 14155551000];
/** Everything that says something of the people. */
const PERSONAL = /1?4155550190|4155550191|4155550123|Ana|Dora|crm-|blue/;

const create = (operator: Operator, input: string, ...flags: string[]) =>
  operator.run([...CREATE, ...flags, '--contacts', '-'], { input });
const forget = (operator: Operator, ...args: string[]) => operator.run(['campaign', 'forget', ...args]);

const stateOf = ({ home }: Operator) => join(home, '.local/state/vagent');

/** The content of every file of the register; numbers of phones, which are kept as numbers, as text. */
function everything(operator: Operator): string {
  const files = readdirSync(stateOf(operator), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const kept = files.map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
  const phones = PHONES.filter((phone) => kept.some(({ bytes }) => bytes.includes(stored(phone))));
  return [...phones, ...kept.map(({ name, bytes }) => `${name}: ${bytes.toString('latin1')}`)].join('\n');
}

/** As SQLite stores a number of this size. */
function stored(phone: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeIntBE(phone, 0, 6);
  return bytes;
}

const registerOf = (operator: Operator) => rowsAt(stateOf(operator));

async function contentOf(operator: Operator): Promise<unknown[]> {
  const register = await registerOf(operator);
  const tables = ['requests', 'request_contacts'];
  return await register.read((sql) => Promise.all(tables.map((table) => sql.all(`select * from ${table}`))));
}

/** As if all of it had been sent so many days earlier. */
async function age({ operator }: CallingService, days: number): Promise<void> {
  const past = days * 86_400_000;
  const register = await registerOf(operator);
  await register.put('update requests set sent_at = sent_at - $1, ended_at = ended_at - $1', [past]);
}

describe('a campaign', () => {
  test('that has ended is forgotten: in no file, still listed, and its numbers can be called again', async () => {
    const shop = await setUp();
    const { operator, posts } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    await age(shop, 10);
    expect(everything(operator)).toMatch(PERSONAL);
    const outcome = await forget(operator, 'Spring', '--yes', '--json');
    expect(outcome).toMatchObject({ code: 0 });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ campaign_id: 9, campaign_name: 'Spring', contacts: 1 });
    expect(everything(operator)).not.toMatch(PERSONAL);

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

  test('that may still be calling is kept without --force', async () => {
    const { operator } = await setUp();
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    const before = await contentOf(operator);
    expect(await forget(operator, '9', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"Spring" may still be calling.*\n.*repeat with --force/),
    });
    expect(await contentOf(operator)).toEqual(before);
    expect(await forget(operator, '9', '--yes', '--force')).toMatchObject({ code: 0 });
    expect(everything(operator)).not.toMatch(PERSONAL);
  });

  test('of unknown outcome is kept without --force, and then named by its name', async () => {
    const shop = await setUp();
    const { operator, next } = shop;
    next.behaviour = 'fails';
    expect(await create(operator, ANA)).toMatchObject({ code: 8 });
    await age(shop, 10);
    expect(await forget(operator, 'Spring', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"Spring" is of unknown outcome'),
    });
    expect(await forget(operator, 'Spring', '--yes', '--force')).toMatchObject({ code: 0 });
    expect(everything(operator)).not.toMatch(PERSONAL);
    next.behaviour = 'accepts';
    expect(await operator.run(['call', '+14155550190', ...CALL.slice(2)])).toMatchObject({ code: 0 });
  });

  test('among others is the only one that is forgotten', async () => {
    const shop = await setUp();
    const { operator } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    expect(await create(operator, BOB)).toMatchObject({ code: 0 });
    expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    await age(shop, 10);
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

  test('on a register that is damaged is not forgotten: exit 9, and nothing changes', async () => {
    const shop = await setUp();
    const { operator } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    await age(shop, 10);
    expect(await create(operator, BOB)).toMatchObject({ code: 0 });
    const register = await registerOf(operator);
    await register.put("update requests set request = 'nonsense' where entry = 2");
    const before = await contentOf(operator);
    for (const args of [['9'], ['--keep-days', '3']]) {
      expect(await forget(operator, ...args, '--yes', '--force')).toMatchObject({ code: 9 });
    }
    expect(await contentOf(operator)).toEqual(before);
  });
});

describe('--keep-days', () => {
  test('with old and young requests forgets the old ones, to all services, and says how many', async () => {
    const shop = await setUp();
    const elsewhere = await setUp();
    const { operator, next } = shop;
    expect(await create(operator, ANA)).toMatchObject({ code: 0 });
    expect(await operator.run(CALL)).toMatchObject({ code: 0 });
    next.behaviour = 'refuses';
    expect(await operator.run(CALL)).toMatchObject({ code: 6 });
    next.behaviour = 'accepts';
    const there = ['--base-url', elsewhere.server.url];
    expect(await create(operator, ANA, ...there)).toMatchObject({ code: 0 });
    await age(shop, 10);
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

  test('with what is unknown or may still be calling keeps it, says so, and forgets it with --force', async () => {
    const shop = await setUp();
    const { operator, next } = shop;
    next.behaviour = 'fails';
    expect(await operator.run(CALL)).toMatchObject({ code: 8 });
    next.behaviour = 'accepts';
    // At one call an hour it goes on for weeks.
    const input = `phone_number\n${Array.from({ length: 500 }, (_none, at) => `+1415555${1000 + at}\n`).join('')}`;
    expect(await create(operator, input, '--calls-per-hour', '1')).toMatchObject({ code: 0 });
    await age(shop, 10);
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

test('lists of people to call again go with the campaign that they are from', async () => {
  const { operator, server } = await setUp();
  expect(await create(operator, ANA)).toMatchObject({ code: 0 });
  const register = await registerAt(stateOf(operator));
  await register.keepRedial({
    service: `${server.url}/api`,
    organizationId: 7,
    at: Date.now(),
    lastEntry: 1,
    campaigns: [{ entry: 1, campaign_id: 9, campaign_name: 'Spring' }],
    numbers: Float64Array.of(14155550190),
  });
  expect(await forget(operator, '9', '--yes', '--force')).toMatchObject({ code: 0 });
  expect(everything(operator)).not.toMatch(PERSONAL);
  const left = await register.read((sql) =>
    sql.all('select redial from redials union all select redial from redial_phones'),
  );
  expect(left).toEqual([]);
});

test('before anything is forgotten it is said what is lost, and a yes is needed', async () => {
  const shop = await setUp();
  const { operator } = shop;
  expect(await create(operator, ANA)).toMatchObject({ code: 0 });
  await age(shop, 10);
  expect(await forget(operator, '9')).toMatchObject({ code: 2, stderr: expect.stringContaining('it needs --yes') });
  expect(await forget(operator, '--keep-days', '3')).toMatchObject({ code: 2 });
  expect(everything(operator)).toMatch(PERSONAL);
});

/** A wave of a plan that is not over is not forgotten by mistake. */
test.each(['open', 'stopped', 'damaged'])(
  'a wave of a plan that is %s is kept, one of a plan that is over is not',
  async (state) => {
    const service = await plannedService();
    await service.plan(numbers(3));
    await service.step();
    if (state === 'stopped') await service.run(['plan', 'stop', '1']);
    service.engine.clock.now += 100 * HOUR;
    if (state === 'damaged') await rowsOf(service.state).put(`update plans set position = 'x'`);
    const one = await service.run(['campaign', 'forget', '1', '--yes']);
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining(`is a wave of plan 1, which is ${state}`) });
    const old = await service.run(['campaign', 'forget', '--keep-days', '0', '--yes', '--json']);
    expect(JSON.parse(old.stdout)).toMatchObject({ campaigns: 0, kept: 1 });
    if (state === 'damaged') return;
    await service.run(['plan', 'cancel', '1', '--yes']);
    expect((await service.run(['campaign', 'forget', '1', '--yes'])).code).toBe(0);
  },
);

/** A register that several machines share: one truth on who was called, asked and written directly. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Between } from '../support/between.ts';
import { EPOCH } from '../support/engine.ts';
import { failsAfterwards } from '../support/planned-service.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { sql } from '../support/sql.ts';
import { callTo, campaignOf, team } from '../support/team.ts';

const LIST = 'phone_number,name\n+14155550190,Ana\n+14155550192,Bob\n';
/** What a call says to the database and waits for, from the beginning of its connection. */
const MOST_ROUND_TRIPS = 8;

async function machines(count: number) {
  const register = ownSchema();
  const { service, machine } = await team(register);
  const all = Array.from({ length: count }, () => machine());
  for (const { operator } of all) writeFileSync(join(operator.home, 'c.csv'), LIST);
  return { register, service, machine, machines: all };
}

async function twoMachines() {
  const { machines: all, ...others } = await machines(2);
  const [one, other] = all;
  if (one === undefined || other === undefined) throw new Error('There are two.');
  return { ...others, one, other };
}

describePostgres('a register that machines share', () => {
  test('refuses at one what another has sent, and shows it there with what came of it', async () => {
    const { service, one, other } = await twoMachines();
    await one.does(...campaignOf('c.csv'));
    const { code, stderr } = await other.run(campaignOf('c.csv'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('were sent before') });
    expect(service.sent).toHaveLength(1);
    expect(await other.does(...campaignOf('c.csv', '--again'))).toContain('campaign_id');
    for (const args of [
      ['campaign', 'list', '--json'],
      ['campaign', 'status', '1', '--json'],
      ['campaign', 'results', '1', '--json'],
    ]) {
      expect(await one.does(...args)).toBe(await other.does(...args));
    }
    expect(await other.does('campaign', 'results', '1', '-o', 'csv')).toContain('Ana');
    await one.does('campaign', 'forget', '1', '--force', '--yes');
    expect((await other.run(['campaign', 'results', '1'])).stderr).toContain('was forgotten');
  });

  test('knows at one what was left unknown at another', async () => {
    const { service, one, other } = await twoMachines();
    service.faults.triggerCall = failsAfterwards;
    expect((await one.run(callTo('+14155550190'))).code).toBe(8);
    delete service.faults.triggerCall;
    const { code, stderr } = await other.run(callTo('+14155550190'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('+14155550190') });
    expect(await service.calls()).toHaveLength(1);
  });

  test('lets one of many through who send the same at the same moment', async () => {
    const { service, machines: all } = await machines(4);
    const at = { frozenAt: new Date(EPOCH).toISOString() };
    const outcomes = await Promise.all(all.map(({ operator }) => operator.runProgram(campaignOf('c.csv'), at)));
    expect(outcomes.map(({ code }) => code).toSorted()).toEqual([0, 2, 2, 2]);
    expect(service.sent).toHaveLength(1);
  });

  test('costs a call few round trips', async () => {
    const { register, machine } = await twoMachines();
    await machine().does(...callTo('+14155550190'));
    const { between, url } = await Between.before(register);
    onTestFinished(() => between.close());
    await machine(url).does(...callTo('+14155550191'));
    expect(between.pieces).toBeLessThanOrEqual(MOST_ROUND_TRIPS);
  });
});

describePostgres('a register that cannot be used', () => {
  test.each([
    ['where nothing listens', 'postgres://me@127.0.0.1:1/x', 'nothing listens there'],
    ['whose database does not exist', '/missing_database', 'it has no such database'],
  ])('%s: exit 9, and nothing is sent', async (_what, address, why) => {
    const { register, service, machine } = await twoMachines();
    const place = address.startsWith('/') ? Object.assign(new URL(register), { pathname: address }).href : address;
    for (const args of [callTo('+14155550190'), callTo('+14155550190', '--force'), ['campaign', 'list']]) {
      const { code, stderr } = await machine(place).run(args);
      expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining(why) });
    }
    expect(await service.calls()).toEqual([]);
  });

  test('because this user has no right to its schema is not taken for one in which nobody stands', async () => {
    const { register, service, one, machine } = await twoMachines();
    await one.does(...campaignOf('c.csv'));
    const user = `user_${new URL(register).searchParams.get('schema')}`;
    await sql(register, `create role ${user} login`);
    onTestFinished(() => sql(register, `drop role ${user}`).then(() => {}));
    const address = Object.assign(new URL(register), { username: user }).href;
    for (const args of [['campaign', 'list'], callTo('+14155550194')]) {
      const { code, stderr } = await machine(address).run(args);
      expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining('has no right') });
    }
    expect(await service.calls()).toEqual([]);
  });

  test('because a newer vagent made its tables says so to readers too', async () => {
    const { register, one } = await twoMachines();
    await one.does(...campaignOf('c.csv'));
    await sql(register, 'insert into register_migrations values (99)');
    for (const args of [['campaign', 'list'], callTo('+14155550194')]) {
      const { code, stderr } = await one.run(args);
      expect({ code, stderr }).toMatchObject({
        code: 9,
        stderr: expect.stringMatching(/newer than this vagent.*another register with --register/s),
      });
    }
  });

  test.each([
    ['with a password', 'postgres://me:sesame@127.0.0.1/x'],
    ['with a schema that is no name', 'postgres://127.0.0.1/x?schema=a;sesame'],
    ['that is no address', 'postgres://[sesame'],
    ['of another kind of database', 'mysql://me:sesame@127.0.0.1/x'],
    ['with settings of the connection', 'postgres://127.0.0.1/x?options=-c%20search_path=sesame'],
    ['with two schemas', 'postgres://127.0.0.1/x?schema=a&schema=sesame'],
    ['with two hosts', 'postgres://127.0.0.1/x?host=sesame'],
  ])('because its address is one %s: exit 3, and no word of it', async (_what, address) => {
    const { service, machine } = await twoMachines();
    const { code, stderr } = await machine(address).run(callTo('+14155550190'));
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('register') });
    expect(stderr).not.toContain('sesame');
    expect(await service.calls()).toEqual([]);
  });
});

describePostgres('a register of a server with settings of its own', () => {
  test('keeps its commits in a crash, also where the server need not', async () => {
    const { register, machine } = await twoMachines();
    const user = `user_${new URL(register).searchParams.get('schema')}`;
    await machine().does(...callTo('+14155550191'));
    await sql(register, `create role ${user} superuser login`);
    onTestFinished(() => sql(register, `drop role ${user}`).then(() => {}));
    await sql(register, `alter role ${user} set synchronous_commit = off`);
    await sql(register, 'create table seen (setting text)');
    await sql(
      register,
      `create function see() returns trigger language plpgsql as
         $$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$`,
    );
    await sql(register, 'create trigger see after insert or update on requests for each row execute function see()');
    await machine(Object.assign(new URL(register), { username: user }).href).does(...callTo('+14155550192'));
    expect(await sql(register, 'select setting from seen')).toEqual([{ setting: 'on' }, { setting: 'on' }]);
  });

  test('is the same for everybody, whatever the environment says of databases', async () => {
    const { register, service, machine } = await twoMachines();
    const at = (path: string) => Object.assign(new URL(register), { pathname: path }).href;
    const [one, other] = [machine(at('/postgres')), machine(at(''))];
    service.faults.triggerCall = failsAfterwards;
    expect((await one.run(callTo('+14155550190'))).code).toBe(8);
    const env = { PGDATABASE: 'test', PGPORT: '1', PGHOST: '127.0.0.2', PGOPTIONS: '-c search_path=public' };
    expect((await other.operator.runProgram(callTo('+14155550190'), { env })).code).toBe(2);
    await sql(at('/postgres'), `drop schema ${new URL(register).searchParams.get('schema')} cascade`);
  });
});

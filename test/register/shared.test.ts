/** A register that several machines share: one truth on who was called, asked and written directly. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Between } from '../support/between.ts';
import { failsAfterwards } from '../support/planned-service.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import { sql } from '../support/sql.ts';
import { callTo, campaignOf, type Machine, team } from '../support/team.ts';

const FROM = ['--from', '+14155550100'];
const LIST = 'phone_number,name\n+14155550190,Ana\n+14155550192,Bob\n';
/** What a call says to the database and waits for, from the beginning of its connection. */
const MOST_ROUND_TRIPS = 8;

async function machines(count = 2) {
  const register = ownSchema();
  const { service, machine } = await team(register);
  const all = Array.from({ length: count }, () => machine());
  for (const { operator } of all) writeFileSync(join(operator.home, 'c.csv'), LIST);
  const [one, other] = all as [Machine, Machine];
  return { register, service, machine, machines: all, one, other };
}

describePostgres('a register that machines share', () => {
  test('refuses at one what another has sent, and shows it there with what came of it', async () => {
    const { service, one, other } = await machines();
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

  test('costs a call few round trips', async () => {
    const { register, machine } = await machines();
    await machine().does(...callTo('+14155550190'));
    const { between, url } = await Between.before(register);
    onTestFinished(() => between.close());
    await machine(url).does(...callTo('+14155550191'));
    expect(between.pieces).toBeLessThanOrEqual(MOST_ROUND_TRIPS);
  });
});

describePostgres('a register that cannot be used: exit 9, and nothing is sent', () => {
  /** A machine that shares what was sent before, and another user's address of it. */
  async function used() {
    const world = await machines();
    const { one, register } = world;
    await one.does(...campaignOf('c.csv'));
    const user = `user_${new URL(register).searchParams.get('schema')}`;
    return { ...world, user, ofUser: Object.assign(new URL(register), { username: user }).href };
  }
  async function refuses({ service, machine }: Awaited<ReturnType<typeof used>>, place: string, why: RegExp) {
    for (const args of [callTo('+14155550194'), callTo('+14155550194', '--force'), ['campaign', 'list']]) {
      const { code, stderr } = await machine(place).run(args);
      expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringMatching(why) });
    }
    expect(await service.calls()).toEqual([]);
  }

  test('because it is not there', async () => {
    const world = await used();
    await refuses(world, 'postgres://me@127.0.0.1:1/x', /nothing listens there/);
    const missing = Object.assign(new URL(world.register), { pathname: '/missing_database' }).href;
    await refuses(world, missing, /it has no such database/);
  });

  test('because this user has no right to its schema, or a newer vagent made its tables', async () => {
    const world = await used();
    const { register, user, ofUser } = world;
    await sql(register, `create role ${user} login`);
    onTestFinished(() => sql(register, `drop role ${user}`).then(() => {}));
    await refuses(world, ofUser, /has no right/);
    await sql(register, 'insert into register_migrations values (99)');
    await refuses(world, register, /newer than this vagent.*another register with --register/s);
  });
});

describePostgres('a register that an earlier vagent made has no keys of calls', () => {
  const ONCE = callTo('+14155550192', '--once', 'order-7');
  const partsOf = (register: string) => {
    const { pathname, searchParams } = new URL(register);
    return { database: pathname.slice(1), schema: searchParams.get('schema') as string };
  };

  /** A user of the database, and the machine of that user; dropped before the schema and its roles. */
  async function userOf({ register, machine }: Awaited<ReturnType<typeof machines>>, name: string, grants: string) {
    const { database, schema } = partsOf(register);
    const user = `${name}_${schema}`;
    await sql(register, `create role ${user} login createrole`);
    onTestFinished(async () => {
      await sql(register, `drop owned by ${user} cascade`);
      await sql(register, `drop role ${user}`);
    });
    const own = { USER: user, SCHEMA: schema, DATABASE: database };
    await sql(
      register,
      grants.replaceAll(/USER|SCHEMA|DATABASE/g, (word) => own[word as keyof typeof own]),
    );
    return { user, ...machine(Object.assign(new URL(register), { username: user }).href) };
  }
  const withoutKeys = (register: string) =>
    sql(register, 'drop table once_keys; delete from register_migrations where version > 3');
  const AS_WRITER = 'grant "DATABASE.SCHEMA_writer" to USER';
  const BY_HAND = `grant usage on schema SCHEMA to USER;
    grant select, insert, update, delete on all tables in schema SCHEMA to USER`;

  test.each([
    ['by the role that was made', AS_WRITER, true],
    ['by hand, for the tables of then alone', BY_HAND, false],
  ])('who may write rows %s calls as before, without keys until there are some', async (_how, grants, hasLater) => {
    const world = await machines();
    const { register, service, one } = world;
    await one.does(...campaignOf('c.csv'));
    await withoutKeys(register);
    const writer = await userOf(world, 'ann', grants);
    await writer.does(...callTo('+14155550191'));
    await writer.does('campaign', 'list', '--json');
    const before = await service.calls();
    expect(await writer.run(ONCE)).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(
        /has no keys of calls yet.* Nothing was sent\..*grant select, insert, update, delete/s,
      ),
    });
    expect(await service.calls()).toEqual(before);
    const own = join(one.operator.home, 'own');
    mkdirSync(own);
    await one.does(...callTo('+14155550195', '--once', 'own', '--register', own));
    const there = Object.assign(new URL(register), { username: writer.user }).href;
    expect(await one.run(['register', 'copy', '--register', own, '--to', there])).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/has no keys of calls yet.* Nothing was copied\./s),
    });
    await writer.does('campaign', 'forget', '1', '--force', '--yes');

    await one.does(...callTo('+14155550193'));
    await writer.does(...callTo('+14155550194'));
    if (!hasLater) {
      expect(await writer.run(ONCE)).toMatchObject({
        code: 9,
        stderr: expect.stringMatching(
          /once_keys.* Nothing was sent\..*grant select, insert, update, delete on once_keys/s,
        ),
      });
      await sql(register, `grant select, insert, update, delete on once_keys to ${writer.user}`);
    }
    await writer.does(...ONCE);
    expect(await one.run(ONCE)).toMatchObject({ code: 0, stderr: expect.stringContaining('was placed before') });
  });

  test('into which keys cannot be copied: nothing is copied, and it is said why and what helps', async () => {
    const world = await machines();
    const { register, one } = world;
    await one.does(...callTo('+14155550190'));
    await withoutKeys(register);
    const writer = await userOf(world, 'ann', AS_WRITER);
    const own = await world.machine(join(writer.operator.home, 'own'));
    mkdirSync(join(writer.operator.home, 'own'));
    await own.does(...ONCE);
    const { user } = writer;
    const address = Object.assign(new URL(register), { username: user }).href;
    const copy = ['register', 'copy', '--to', address];
    const before = await sql(register, 'select count(*) from requests');
    expect(await own.run(copy)).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/has no keys of calls yet.* Nothing was copied\..*grant select, insert/s),
    });
    expect(await sql(register, 'select count(*) from requests')).toEqual(before);
    await one.does(...callTo('+14155550191'));
    expect(await own.run(copy)).toMatchObject({ code: 0 });
    expect(await writer.run(ONCE)).toMatchObject({ code: 0, stderr: expect.stringContaining('was placed before') });
  });

  test.each([
    ['', /lets this user not read or write once_keys/],
    ['select', /lets this user not read or write once_keys/],
  ])('or has them, but this user may only: "%s"', async (right, says) => {
    const world = await machines();
    const { register, one, service } = world;
    await one.does(...callTo('+14155550190'));
    await one.does(...callTo('+14155550191', '--once', 'order-6'));
    const writer = await userOf(world, 'ann', BY_HAND);
    await sql(register, `revoke all on once_keys from ${writer.user}`);
    if (right !== '') await sql(register, `grant ${right} on once_keys to ${writer.user}`);
    const before = await service.calls();
    expect(await writer.run(ONCE)).toMatchObject({ code: 9, stderr: expect.stringMatching(says) });
    expect(await service.calls()).toEqual(before);
    if (right !== '') return;
    // Keys that nobody may read are not left behind in silence.
    const to = join(writer.operator.home, 'other');
    mkdirSync(to);
    const { code, stderr } = await writer.run(['register', 'copy', '--to', to]);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringMatching(/once_keys.* Nothing was copied\./s) });
  });

  test('until another user makes their table: it belongs to the owner, and writers may use it', async () => {
    const world = await machines();
    const { register, one } = world;
    const owner = await userOf(world, 'owner', 'grant create on database DATABASE to USER');
    await owner.does(...callTo('+14155550190'));
    await withoutKeys(register);
    const writer = await userOf(world, 'ann', AS_WRITER);
    await one.does(...callTo('+14155550191'));
    await writer.does(...ONCE);
    expect(await owner.run(ONCE)).toMatchObject({ code: 0, stderr: expect.stringContaining('was placed before') });
    const tables = `select distinct tableowner from pg_tables where schemaname = current_schema()`;
    expect(await sql(register, tables)).toEqual([{ tableowner: owner.user }]);
  });
});

describePostgres('a register of a server with settings of its own', () => {
  test('keeps its commits in a crash, also where the server need not', async () => {
    const { register, machine } = await machines();
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
    const { register, service, machine } = await machines();
    const at = (path: string) => Object.assign(new URL(register), { pathname: path }).href;
    const [one, other] = [machine(at('/postgres')), machine(at(''))];
    service.faults.triggerCall = failsAfterwards;
    expect((await one.run(callTo('+14155550190'))).code).toBe(8);
    const env = { PGDATABASE: 'test', PGPORT: '1', PGHOST: '127.0.0.2', PGOPTIONS: '-c search_path=public' };
    expect((await other.operator.runProgram(callTo('+14155550190'), { env })).code).toBe(2);
    await sql(at('/postgres'), `drop schema ${new URL(register).searchParams.get('schema')} cascade`);
  });
});

describePostgres('a path in a row that others may write', () => {
  const PLANNED = ['--window', '00:00-24:00', '--zone', 'UTC', '--exclude', 'never.txt', '--yes'];

  async function planned() {
    const world = await machines();
    const { one, other } = world;
    for (const { operator } of [one, other]) writeFileSync(join(operator.home, 'never.txt'), '+14155550177\n');
    await one.does('plan', 'create', '--name', 'Waves', '--contacts', 'c.csv', '--agent', '1', ...FROM, ...PLANNED);
    /** As a colleague who may write rows does. */
    const rewrite = (from: string, to: string) =>
      sql(world.register, `update plans set plan = replace(plan, '${from}', '${to}')`);
    return { ...world, list: join(one.operator.home, 'never.txt'), rewrite };
  }

  test('is opened as a list only where somebody has named it', async () => {
    const { service, one, other, list, rewrite } = await planned();
    const refused = await other.run(['plan', 'run', '1']);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`--may-read ${list}`) });
    expect((await other.run(['plan', 'rehearse', '1', '--may-read', 'never.txt'])).code).toBe(2);
    // A pipe that nobody writes to: whoever opens it waits for ever.
    const trap = join(one.operator.home, 'a trap');
    execFileSync('mkfifo', [trap]);
    await rewrite(list, trap);
    for (const args of [['run'], ['rehearse']]) {
      const { code, stderr } = await one.run(['plan', ...args, '1']);
      expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(`--may-read '${trap}'`) });
    }
    expect(service.sent).toEqual([]);
    await rewrite(trap, list);
    await other.does('plan', 'rehearse', '1', '--may-read', list);
    expect(JSON.parse(await other.does('plan', 'run', '1', '--json'))).toMatchObject({ wave: { contacts: 2 } });
  });

  test('is not looked for where results are written', async () => {
    const { one, list, rewrite } = await planned();
    const out = join(one.operator.home, 'results.csv');
    expect((await one.run(['plan', 'results', '1', '--out', list])).code).toBe(2);
    linkSync(list, out);
    await one.does('plan', 'results', '1', '--out', out);
    await rewrite(list, out);
    expect((await one.run(['plan', 'results', '1', '--out', out])).code).toBe(2);
  });
});

/** A register that several machines share: one truth on who was called. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EPOCH } from '../support/engine.ts';
import { failsAfterwards } from '../support/planned-service.ts';
import { describePostgres, ownSchema } from '../support/postgres.ts';
import type { Outcome } from '../support/program.ts';
import { sql } from '../support/sql.ts';
import { callTo, campaignOf, type Machine, team } from '../support/team.ts';

const LIST = 'phone_number,name\n+14155550190,Ana\n+14155550192,Bob\n';

async function twoMachines() {
  const register = ownSchema();
  const { service, machine } = await team(register);
  const machines = [machine(), machine()] as const;
  for (const { operator } of machines) writeFileSync(join(operator.home, 'c.csv'), LIST);
  return { register, service, machine, machines };
}

function copyOf({ state }: Machine): string {
  const [name = ''] = readdirSync(join(state, 'registers'));
  return join(state, 'registers', name);
}

function linesOf(machine: Machine): string {
  return readFileSync(join(copyOf(machine), 'register.jsonl'), 'utf8');
}

describePostgres('a register that machines share', () => {
  test('refuses at one what another has sent', async () => {
    const { service, machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    const { code, stderr } = await other.run(campaignOf('c.csv'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('were sent before') });
    expect(service.sent).toHaveLength(1);
    expect(await other.does(...campaignOf('c.csv', '--again'))).toContain('campaign_id');
    expect(await one.does('campaign', 'list', '--json')).toBe(await other.does('campaign', 'list', '--json'));
    expect(linesOf(one)).toBe(linesOf(other));
  });

  test('knows at one what was left unknown at another', async () => {
    const { service, machines } = await twoMachines();
    const [one, other] = machines;
    service.faults.triggerCall = failsAfterwards;
    expect((await one.run(callTo('+14155550190'))).code).toBe(8);
    delete service.faults.triggerCall;
    const { code, stderr } = await other.run(callTo('+14155550190'));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('+14155550190') });
    expect(await service.calls()).toHaveLength(1);
  });

  test('lets one of many through who send the same at the same moment', async () => {
    const { service, machine } = await twoMachines();
    const machines = Array.from({ length: 4 }, () => machine());
    for (const { operator } of machines) writeFileSync(join(operator.home, 'c.csv'), LIST);
    const at = { frozenAt: new Date(EPOCH).toISOString() };
    const outcomes = await Promise.all(machines.map(({ operator }) => operator.runProgram(campaignOf('c.csv'), at)));
    expect(outcomes.map(({ code }) => code).toSorted()).toEqual([0, 2, 2, 2]);
    expect(service.sent).toHaveLength(1);
    const lists = await Promise.all(machines.map((one) => one.does('campaign', 'list', '--json')));
    expect(new Set(lists).size).toBe(1);
  });

  test('loses nothing of what many record at the same moment', async () => {
    const { service, machine } = await twoMachines();
    const machines = Array.from({ length: 4 }, () => machine());
    const numbers = machines.map((_one, at) =>
      [0, 1, 2].map((next) => `+141555503${String(at * 3 + next).padStart(2, '0')}`),
    );
    const outcomes: Outcome[] = [];
    await Promise.all(
      machines.map(async ({ operator }, at) => {
        for (const number of numbers[at] ?? []) outcomes.push(await operator.runProgram(callTo(number)));
      }),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0));
    expect(await service.calls()).toHaveLength(12);
    const exported = await Promise.all(machines.map((one) => one.does('register', 'export')));
    expect(new Set(exported).size).toBe(1);
    const entries = [...linesOf(machines[0] as Machine).matchAll(/^\{"entry":(\d+),"event":"sent"/gm)].map(
      ([, entry]) => entry,
    );
    expect(entries).toEqual(Array.from({ length: 12 }, (_none, at) => String(at + 1)));
  });

  test('forgets at every machine, and in the database, whom one machine forgets', async () => {
    const { register, machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    await one.does(...callTo('+14155550191'));
    // The guards of both have made summaries of it.
    expect((await other.run(campaignOf('c.csv'))).code).toBe(2);
    await other.run(['campaign', 'forget', '--keep-days', '1', '--force', '--yes'], {
      frozenAt: '2031-01-01T00:00:00Z',
    });
    await one.does('campaign', 'list');
    const rows = await sql<{ line: string }>(register, 'select line from register_lines');
    const pieces = await sql<{ bytes: Buffer }>(register, 'select bytes from register_pieces');
    const everywhere = [...rows.map(({ line }) => line), ...pieces.map(({ bytes }) => bytes.toString())];
    for (const machine of machines) everywhere.push(...textsIn(copyOf(machine)));
    expect(rows.length).toBeGreaterThan(3);
    expect(everywhere.filter((text) => /4155550(190|191|192)/.test(text))).toEqual([]);
    for (const machine of machines) expect(existsSync(join(copyOf(machine), 'campaigns/1.phones'))).toBe(false);
  });

  test('leaves nobody in a copy that was half brought when somebody is forgotten', async () => {
    const { machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    await other.does('campaign', 'list');
    // As a process leaves it that is killed while it brings it here.
    writeFileSync(join(copyOf(other), 'campaigns/1.jsonl.new'), '{"phone_number":"+14155550190"}\n');
    await one.does('campaign', 'forget', '1', '--force', '--yes');
    await other.does('campaign', 'list');
    expect(textsIn(other.state).filter((text) => /4155550(190|192)/.test(text))).toEqual([]);
  });

  test('takes over the register of a machine, and shows it at every machine', async () => {
    const { machines, service } = await twoMachines();
    const [one, other] = machines;
    const alone = service.operator;
    writeFileSync(join(alone.home, 'c.csv'), LIST);
    await alone.run(campaignOf('c.csv'));
    const { stdout } = await alone.run(['register', 'export']);
    writeFileSync(join(one.operator.home, 'alone.jsonl'), stdout);
    await one.does('register', 'import', 'alone.jsonl', '--yes');
    expect((await other.run(campaignOf('c.csv'))).code).toBe(2);
    expect(await other.does('register', 'export')).toBe(await one.does('register', 'export'));
  });
});

function textsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

describePostgres("a machine's copy", () => {
  const damages: Record<string, (copy: string) => void> = {
    'that is gone': (copy) => rmSync(copy, { recursive: true }),
    'whose register was cut off': (copy) => truncateSync(join(copy, 'register.jsonl'), 10),
    'whose register has more lines': (copy) => writeFileSync(join(copy, 'register.jsonl'), 'more\n', { flag: 'a' }),
    'whose register is gone': (copy) => rmSync(join(copy, 'register.jsonl')),
    'that somebody was changing': (copy) => {
      writeFileSync(join(copy, 'copied/register.begun'), '');
      rmSync(join(copy, 'campaigns/1.jsonl'));
      writeFileSync(join(copy, 'campaigns/2.jsonl'), '{"phone_number":"+14155550190"}\n');
      writeFileSync(join(copy, 'campaigns/2.phones'), '');
    },
    'of which it is not known what it is': (copy) => writeFileSync(join(copy, 'copied/register.json'), '{'),
  };

  test.each(Object.entries(damages))('%s is made anew', async (_what, damage) => {
    const { service, machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    const list = await other.does('campaign', 'list', '--json');
    damage(copyOf(other));
    expect(await other.does('campaign', 'list', '--json')).toBe(list);
    expect((await other.run(campaignOf('c.csv'))).code).toBe(2);
    await other.does(...callTo('+14155550191'));
    expect(linesOf(one)).not.toBe(linesOf(other));
    await one.does('campaign', 'list');
    expect(linesOf(one)).toBe(linesOf(other));
    expect(service.sent).toHaveLength(1);
  });

  test('whose contacts of a campaign are damaged is refused, and is right again when it was moved away', async () => {
    const { service, machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    await other.does('campaign', 'list');
    const copy = copyOf(other);
    writeFileSync(join(copy, 'campaigns/1.jsonl'), '{"phone_number":"+14155550999"}\n');
    writeFileSync(join(other.operator.home, 'c.csv'), 'phone_number\n+14155550190\n');
    const { code, stderr } = await other.run(campaignOf('c.csv'));
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining(`Move ${copy} away`) });
    rmSync(copy, { recursive: true });
    expect((await other.run(campaignOf('c.csv'))).code).toBe(2);
    expect(service.sent).toHaveLength(1);
  });

  test('brings what it knows to a database that was put back from a backup, as its error says', async () => {
    const { register, service, machines } = await twoMachines();
    const [one, other] = machines;
    await one.does(...campaignOf('c.csv'));
    await sql(register, 'truncate register_scopes, register_commits, register_files, register_lines, register_pieces');
    const { stderr } = await one.run(['campaign', 'list']);
    const [, steps = ''] = /what is known here: (.*)$/m.exec(stderr) ?? [];
    const [move = '', ...commands] = steps.split('; ');
    const [, from = '', to = ''] = move.split(' ');
    renameSync(from, to);
    for (const command of commands) await one.does(...command.split(' ').slice(1));
    for (const machine of [one, other]) {
      expect((await machine.run(campaignOf('c.csv'))).code).toBe(2);
    }
    expect(service.sent).toHaveLength(1);
  });

  const losses: Record<string, (register: string) => Promise<unknown>> = {
    'was emptied': (register) => sql(register, 'truncate register_scopes, register_commits, register_lines'),
    'is not there': (register) => sql(register, 'drop table register_scopes, register_commits'),
    'was put back from a backup, and went on': async (register) => {
      await sql(register, `delete from register_commits where version > 2`);
      await sql(register, `insert into register_commits values ('register', 3, gen_random_uuid(), now(), 'me@here')`);
      await sql(
        register,
        `update register_scopes set (version, mark) =
        (select version, mark from register_commits where version = 3)`,
      );
    },
  };

  test.each(Object.entries(losses))(
    'is believed where the database %s: exit 9, and nothing is sent',
    async (_what, lose) => {
      const { register, service, machines } = await twoMachines();
      const [one, other] = machines;
      await one.does(...campaignOf('c.csv'));
      await other.does(...callTo('+14155550191'));
      await lose(register);
      const { code, stderr } = await other.run(callTo('+14155550194'));
      expect({ code, stderr }).toMatchObject({
        code: 9,
        stderr: expect.stringContaining('does not hold what this machine'),
      });
      expect(await service.calls()).toHaveLength(1);
      expect(linesOf(other)).toContain('+14155550191');
    },
  );
});

describePostgres('a register that cannot be reached', () => {
  test.each([
    ['where nothing listens', 'postgres://me@127.0.0.1:1/x', 'nothing listens there'],
    ['whose database does not exist', '/missing_database', 'it has no such database'],
  ])('%s: exit 9, and nothing is sent', async (_what, address, why) => {
    const { register, service, machine } = await twoMachines();
    const place = address.startsWith('/') ? Object.assign(new URL(register), { pathname: address }).href : address;
    const { code, stderr } = await machine(place).run(callTo('+14155550190'));
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining(why) });
    expect(await service.calls()).toEqual([]);
  });

  test('because this user has no right to its schema is not taken for one in which nobody stands', async () => {
    const { register, service, machines, machine } = await twoMachines();
    await machines[0].does(...campaignOf('c.csv'));
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
    await sql(register, 'create trigger see after insert on register_lines for each row execute function see()');
    await machine(Object.assign(new URL(register), { username: user }).href).does(...callTo('+14155550192'));
    expect(await sql(register, 'select distinct setting from seen')).toEqual([{ setting: 'on' }]);
  });

  test('because a newer vagent made its tables says so to readers too', async () => {
    const { register, machines } = await twoMachines();
    const [one] = machines;
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

  test('is the same for everybody, whatever the environment says of databases', async () => {
    const { register, service, machine } = await twoMachines();
    const at = (path: string) => {
      const address = new URL(register);
      address.pathname = path;
      return address.href;
    };
    const [one, other] = [machine(at('/postgres')), machine(at(''))];
    service.faults.triggerCall = failsAfterwards;
    expect((await one.run(callTo('+14155550190'))).code).toBe(8);
    const env = { PGDATABASE: 'test', PGPORT: '1', PGHOST: '127.0.0.2', PGOPTIONS: '-c search_path=public' };
    expect((await other.operator.runProgram(callTo('+14155550190'), { env })).code).toBe(2);
    await sql(at('/postgres'), `drop schema ${new URL(register).searchParams.get('schema')} cascade`);
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

/** `--store postgres://…`: the commands of the local engine over a database, as an operator types them. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EPOCH } from '../../support/engine.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { Operator, type Outcome } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

const FROM = ['--agent', '1', '--from', '+14155550100'];
const CALL = ['call', '+14155550190', ...FROM, '--first-line', 'Hello.', '--yes'];

function operatorOf(store: string | undefined): Operator {
  const env: Record<string, string> = { VAGENT_LOCAL: '1', ...(store && { VAGENT_STORE: store }) };
  const operator = new Operator({ env, frozenAt: new Date(EPOCH).toISOString() });
  const rows = Array.from({ length: 40 }, (_none, row) => `+1415555${String(1000 + row)},row ${row}`);
  writeFileSync(join(operator.home, 'contacts.csv'), `phone_number,note\n${rows.join('\n')}\n`);
  return operator;
}

const COMMANDS = [
  [...CALL, '--json'],
  ...`agent create --name Bo --prompt Brief --voice 2 --json
campaign create --name Spring ${FROM.join(' ')} --contacts contacts.csv --calls-per-hour 600 --yes --json
local advance 2h --json
local topup 5 --json
local status --json
campaign status 1 --json
campaign results 1 --format csv
campaign redial 1 --state no_answer,failed
logs list --limit 5 --json
logs export --format ndjson
logs stats --json
logs stats --json --agent 2
logs stats --json --start-date 2026-11-21
logs stats --json --end-date 2026-11-20 --agent 1
logs stats --json --start-date 2027-01-01
logs stats --json --status busy
plan create --name Week ${FROM.join(' ')} --contacts contacts.csv --window 00:00-24:00 --again --json
plan rehearse 1 --json
plan run 1 --until-done --advance --json
plan results 1 --format csv
logs export --format csv
local check --json`
    .split('\n')
    .map((line) => line.split(' ')),
];

/** Without what may differ: where the store is, and how it is checked. */
function comparable({ code, stdout, stderr }: Outcome): Omit<Outcome, 'signal'> {
  const clean = (text: string) => text.replace(/^ *"(store|segments|lock|missing)": .*\n/gm, '');
  return { code, stdout: clean(stdout), stderr: clean(stderr) };
}

describePostgres('the commands over a database', () => {
  test('say what they say over a folder', async () => {
    const url = ownSchema();
    const [folder, database] = [operatorOf(undefined), operatorOf(url)];
    for (const command of COMMANDS) {
      const [one, other] = [await folder.run(command), await database.run(command)];
      expect({ command, ...comparable(other) }).toEqual({ command, ...comparable(one) });
      expect({ command, ...one }).toMatchObject({ code: 0 });
    }
    expect(await sql(url, 'select count(*)::int as n from calls where campaign_id is not null')).not.toEqual([
      { n: 0 },
    ]);
  });

  test('name host, database and schema, and nothing else of the address', async () => {
    const url = ownSchema();
    const { host, pathname, searchParams } = new URL(url);
    const operator = operatorOf(url);
    const { store } = await operator.json<{ store: string }>(['local', 'status']);
    expect(store).toBe(`${host}${pathname}, schema ${searchParams.get('schema')}`);
  });

  test('that find damage tell what to do', async () => {
    const url = ownSchema();
    const operator = operatorOf(url);
    await operator.json(['call', '+14155550190', ...FROM, '--first-line', 'Hello.', '--yes']);
    await sql(url, 'delete from calls');
    const { code, stderr } = await operator.run(['local', 'check']);
    expect([code, stderr]).toEqual([9, expect.stringMatching(/→ Put back a copy, or .*, name another schema\.$/m)]);
    const refused = await operator.run(['local', 'status']);
    expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining('restore the store from a copy')]);
  });

  test.each([
    ['a password in the address', 'postgres://me:sesame@127.0.0.1/test', 3, /holds a password/],
    ['a database that is not there', 'postgres://postgres@127.0.0.1/no_such_sesame', 9, /it has no such database\.$/m],
    ['a user that is not there', 'postgres://sesame@127.0.0.1/test', 9, /does not let this user in|no such|error/],
  ])('refuse %s', async (_what, store, code, sentence) => {
    const operator = operatorOf(store);
    for (const command of [['local', 'status'], CALL]) {
      const outcome = await operator.run(command);
      expect(outcome).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(sentence) });
      expect(outcome.stderr).not.toMatch(/me:sesame|sesame@|postgres:\/\/me/);
    }
  });

  test('say that nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await operatorOf(`postgres://me@127.0.0.1:${port}/test`).run(CALL);
    expect({ code, stderr }).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(
        `Cannot connect to the database at 127.0.0.1:${port}/test, schema vagent: nothing listens there.`,
      ),
    });
  });
});

describePostgres('local migrate', () => {
  test('copies a folder to a database that holds no store yet', async () => {
    const operator = operatorOf(undefined);
    await operator.json(['campaign', 'create', '--name', 'Spring', ...FROM, '--contacts', 'contacts.csv', '--yes']);
    await operator.json(['local', 'advance', '25m']);
    await operator.json(['local', 'org', 'add', '--seed', '7']);
    const place = ownSchema();
    const copied = await operator.json(['local', 'migrate', '--to', place]);
    expect(copied).toMatchObject({ organizations: 2, calls: expect.any(Number), campaigns: 1 });
    const again = await operator.run(['local', 'migrate', '--to', place]);
    expect(again).toMatchObject({ code: 9, stderr: expect.stringContaining('already. Nothing was changed.') });
    for (const command of [
      ['logs', 'export', '--format', 'ndjson'],
      ['local', 'org', 'list'],
    ])
      expect(await operator.run([...command, '--store', place])).toEqual(await operator.run(command));
    expect(await operator.json(['local', 'check', '--store', place])).toMatchObject({ ok: true, problem_count: 0 });
  });

  test('of what is not there says so', async () => {
    const { code, stderr } = await operatorOf(undefined).run(['local', 'migrate', '--to', 'copied']);
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining('There is no store at') });
  });
});

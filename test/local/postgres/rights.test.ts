/** Users of the database with fewer rights: who may write rows needs no more, and who may only read is told what they cannot do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { Operator, ROOT } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

const TOPIC = join(ROOT, 'src/commands/shared/topics/serve.md');
const CALL = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--yes'];
const CAMPAIGN = ['campaign', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--yes'];

function operatorOf(url: string, user?: string): Operator {
  const address = new URL(url);
  if (user !== undefined) address.username = user;
  const operator = new Operator({ env: { VAGENT_LOCAL: '1', VAGENT_STORE: address.href } });
  writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
  return operator;
}

/** The statements of the help for users who share a store: those with the roles that were made, and those without. */
const [WITH_ROLES, BY_HAND] = [...readFileSync(TOPIC, 'utf8').matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text);

/** Two users of the database, one for each kind of rights, which the statements give them. */
async function usersWith(url: string, statements = ''): Promise<{ ann: string; bob: string }> {
  const schema = new URL(url).searchParams.get('schema') as string;
  const database = new URL(url).pathname.slice(1);
  const [ann, bob] = [`ann_${schema}`, `bob_${schema}`];
  for (const user of [ann, bob]) {
    await sql(url, `create role ${user} login`);
    onTestFinished(async () => {
      await sql(url, `drop owned by ${user}`);
      await sql(url, `drop role ${user}`);
    });
  }
  const own = statements
    .replaceAll('vagent.vagent_', `${database}.${schema}_`)
    .replaceAll('schema vagent', `schema ${schema}`)
    .replaceAll(/\bann\b/g, ann)
    .replaceAll(/\bbob\b/g, bob);
  await sql(url, own);
  return { ann, bob };
}

async function rolesOf(url: string): Promise<string[]> {
  const schema = new URL(url).searchParams.get('schema') as string;
  const rows = await sql<{ name: string }>(
    url,
    `select rolname as name from pg_roles where rolname ~ '[.]${schema}_(writer|reader)$' order by 1`,
  );
  return rows.map(({ name }) => name);
}

describePostgres('a user of the database', () => {
  test.each([
    ['by the role that was made', WITH_ROLES],
    ['by hand', BY_HAND],
  ])('who may write rows %s can do everything', async (_how, statements) => {
    const url = ownSchema();
    await operatorOf(url).json(CALL);
    const writer = operatorOf(url, (await usersWith(url, statements)).ann);
    await writer.json(CALL);
    await writer.json(['local', 'org', 'add']);
    await writer.json(['agent', 'create', '--name', 'Bo', '--prompt', 'x', '--voice', '1']);
    await writer.json(['local', 'reset', '--yes']);
    await writer.json(CALL);
    expect(await writer.json(['logs', 'list'])).toMatchObject({ total: 1 });
    const { checks } = await writer.json<{ checks: { name: string; status: string; message: string }[] }>(['doctor']);
    expect(checks.filter(({ name }) => name.startsWith('database')).map(({ status }) => status)).toEqual([
      ...['ok', 'ok', 'ok', 'ok'],
    ]);
  });

  test.each([
    ['by the role that was made', WITH_ROLES],
    ['by hand', BY_HAND],
  ])(
    'who may only read %s sees the log as it was last written, is told so, and changes nothing',
    async (_how, statements) => {
      const url = ownSchema();
      const owner = operatorOf(url);
      await owner.json(CALL);
      await owner.json([...CAMPAIGN, '--contacts', 'contacts.csv', '--start', '+1s', '--calls-per-hour', '3600']);
      const reader = operatorOf(url, (await usersWith(url, statements)).bob);
      const late = { frozenAt: '2027-01-01T00:00:00Z' };
      const { code, stdout, stderr } = await reader.run(['logs', 'list', '--json'], late);
      expect({ code, total: JSON.parse(stdout).total }).toEqual({ code: 0, total: 1 });
      expect(stderr).toMatch(/what fell due since the store was last written has not happened/);
      for (const command of [CALL, ['local', 'advance', '1h'], ['local', 'org', 'add'], ['local', 'reset', '--yes']]) {
        const refused = await reader.run(command, late);
        expect(refused).toMatchObject({
          code: 9,
          stderr: expect.stringContaining('this user has no right to do that'),
        });
      }
      const doctor = await reader.run(['doctor'], late);
      expect(doctor.stdout).toMatch(/This user may not write agents, calls/);
    },
  );

  test('who may make no roles makes the store without', async () => {
    const url = ownSchema();
    const { ann } = await usersWith(url);
    await sql(url, `grant create on database ${new URL(url).pathname.slice(1)} to ${ann}`);
    await operatorOf(url, ann).json(CALL);
    expect(await rolesOf(url)).toEqual([]);
    const other = ownSchema();
    await operatorOf(other).json(CALL);
    expect(await rolesOf(other)).toHaveLength(2);
  });
});

/** Users of the database with fewer rights: who may write rows needs no more, and who may only read is told what they cannot do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { Operator } from '../../support/program.ts';
import { sql } from '../../support/sql.ts';

const CALL = ['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.', '--yes'];
const CAMPAIGN = ['campaign', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100', '--yes'];

function operatorOf(url: string, user?: string): Operator {
  const address = new URL(url);
  if (user !== undefined) address.username = user;
  const operator = new Operator({ env: { VAGENT_LOCAL: '1', VAGENT_STORE: address.href } });
  writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
  return operator;
}

/** A user of the database, with the rights that the help names for a kind of user. */
async function userWith(url: string, grants: (user: string, schema: string) => string[]): Promise<string> {
  const schema = new URL(url).searchParams.get('schema') as string;
  const user = `user_${schema}`;
  await sql(url, `create role ${user} login`);
  onTestFinished(async () => {
    await sql(url, `drop owned by ${user}`);
    await sql(url, `drop role ${user}`);
  });
  for (const grant of grants(user, schema)) await sql(url, grant);
  return user;
}

const reading = (user: string, schema: string) => [
  `grant usage on schema ${schema} to ${user}`,
  `grant select on all tables in schema ${schema} to ${user}`,
];
const writing = (user: string, schema: string) => [
  `grant usage on schema ${schema} to ${user}`,
  `grant select, insert, update, delete on all tables in schema ${schema} to ${user}`,
];

describePostgres('a user of the database', () => {
  test('who may write rows can do everything', async () => {
    const url = ownSchema();
    await operatorOf(url).json(CALL);
    const writer = operatorOf(url, await userWith(url, writing));
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

  test('who may only read sees the log as it was last written, is told so, and changes nothing', async () => {
    const url = ownSchema();
    const owner = operatorOf(url);
    await owner.json(CALL);
    await owner.json([...CAMPAIGN, '--contacts', 'contacts.csv', '--start', '+1s', '--calls-per-hour', '3600']);
    const reader = operatorOf(url, await userWith(url, reading));
    const late = { frozenAt: '2027-01-01T00:00:00Z' };
    const { code, stdout, stderr } = await reader.run(['logs', 'list', '--json'], late);
    expect({ code, total: JSON.parse(stdout).total }).toEqual({ code: 0, total: 1 });
    expect(stderr).toMatch(/what fell due since the store was last written has not happened/);
    for (const command of [CALL, ['local', 'advance', '1h'], ['local', 'org', 'add'], ['local', 'reset', '--yes']]) {
      const refused = await reader.run(command, late);
      expect(refused).toMatchObject({ code: 9, stderr: expect.stringContaining('this user has no right to do that') });
    }
    const doctor = await reader.run(['doctor'], late);
    expect(doctor.stdout).toMatch(/This user may not write agents, calls/);
  });
});

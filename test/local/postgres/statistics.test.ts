/** What the database counts is what is counted when every call is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EPOCH } from '../../support/engine.ts';
import { describePostgres, ownSchema } from '../../support/postgres.ts';
import { Operator } from '../../support/program.ts';

const FROM = ['--from', '+14155550100'];

async function lived(store: string | undefined): Promise<Operator> {
  const env: Record<string, string> = { VAGENT_LOCAL: '1', ...(store && { VAGENT_STORE: store }) };
  const operator = new Operator({ env, frozenAt: new Date(EPOCH).toISOString() });
  const rows = Array.from({ length: 90 }, (_none, row) => `+1415555${String(1000 + row)}`);
  writeFileSync(join(operator.home, 'contacts.csv'), `phone_number\n${rows.join('\n')}\n`);
  await operator.json(['agent', 'create', '--name', 'Bo', '--prompt', 'x', '--voice', '2', '--goal', 'survey']);
  const campaign = ['campaign', 'create', '--contacts', 'contacts.csv', ...FROM, '--retry-attempts', '2', '--yes'];
  await operator.json([...campaign, '--name', 'One', '--agent', '1', '--calls-per-hour', '7']);
  await operator.json([...campaign, '--name', 'Two', '--agent', '2', '--calls-per-hour', '60', '--again']);
  await operator.json(['local', 'advance', '2d']);
  await operator.json(['local', 'org', 'add']);
  return operator;
}

describePostgres('logs stats', () => {
  test('says the same of a database as of a folder, whatever is asked', async () => {
    const [database, folder] = await Promise.all([lived(ownSchema()), lived(undefined)]);
    for (const filter of [
      [],
      ['--agent', '2'],
      ['--agent', '9'],
      ['--start-date', '2026-11-21'],
      ['--end-date', '2026-11-20', '--agent', '1'],
      ['--start-date', '2027-01-01'],
      ['--status', 'busy'],
      ['--org', '2'],
    ]) {
      const [one, other] = await Promise.all(
        [database, folder].map((operator) => operator.run(['logs', 'stats', '--json', ...filter])),
      );
      expect({ filter, ...one }).toEqual({ filter, ...other });
      expect(one?.code).toBe(0);
    }
    const { calls } = await database.json<{ calls: number }>(['logs', 'stats']);
    expect(calls).toBeGreaterThan(150);
    const wrong = await database.run(['logs', 'stats', '--start-date', '2026-02-30']);
    expect(wrong.code).toBe(3);
  });
});

/** What people type at the first try: it works, or what would is said. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Operator, ROOT } from '../support/program.ts';

const CONTACTS = join(ROOT, 'samples/contacts.csv');
const env = { VAGENT_LOCAL: '1' };
const FROM = ['--agent', '1', '--from', '+14155550100'];

describe('contacts as an argument', () => {
  test.each(['create', 'rehearse'])('campaign %s takes the file as --contacts does', async (command) => {
    const frozenAt = '2026-11-20T09:00:00Z';
    const flags = ['--name', 'Spring', ...FROM, '--json'];
    const [argument, flag] = await Promise.all(
      [[CONTACTS], ['--contacts', CONTACTS]].map((contacts) =>
        new Operator({ env, frozenAt }).run(['campaign', command, ...contacts, ...flags]),
      ),
    );
    expect(argument).toMatchObject({ code: 0, stdout: flag?.stdout });
  });
});

describe('a file after -o', () => {
  test('is written by logs export', async () => {
    const operator = new Operator({ env });
    await operator.run(['call', '+14155550190', ...FROM, '--first-line', 'Hello.']);
    const path = join(operator.home, 'calls.ndjson');
    const { code, stdout, stderr } = await operator.run(['logs', 'export', '-o', path]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`1 call written to ${path}.`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ called_to: '+14155550190' });
  });

  test('is still a format without a dot', async () => {
    const { code, stdout } = await new Operator({ env }).run(['logs', 'export', '-o', 'csv']);
    expect({ code, head: stdout.split(',')[0] }).toEqual({ code: 0, head: 'call_id' });
  });
});

test.each<[filter: string, shows: string]>([
  ['--since today', 'Since 2026-11-20 00:00:00 +00:00.'],
  ['--since monday', 'Since 2026-11-16 00:00:00 +00:00.'],
  ['--since 08:30', 'Since 2026-11-20 08:30:00 +00:00.'],
  ['--start-date yesterday', '--start-date yesterday is 2026-11-19.'],
  ['--start-date -7d --end-date today', '--start-date -7d is 2026-11-13.\n--end-date today is 2026-11-20.'],
])('logs list %s says what it is taken as', async (filter, shows) => {
  const operator = new Operator({ env, frozenAt: '2026-11-20T09:00:00Z' });
  const { code, stderr } = await operator.run(['logs', 'list', ...filter.split(' ')]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`${shows}\n`) });
});

test('what --start-date today means is settled for the export that is continued', async () => {
  const operator = new Operator({ env, frozenAt: '2026-11-20T09:00:00Z' });
  const path = join(operator.home, 'calls.csv');
  const { stderr } = await operator.run(['logs', 'export', '--start-date', 'today', '--out', path]);
  expect(stderr).toContain('--start-date today is 2026-11-20.\n');
  expect(existsSync(path)).toBe(true);
});

test('a start in words is said as it is sent', async () => {
  const operator = new Operator({ env, frozenAt: '2026-11-20T09:00:00Z' });
  const words = ['--start', 'tomorrow 09:00', '--timezone', 'Europe/Berlin', '--dry-run'];
  const { stdout, stderr } = await operator.run(['campaign', 'create', CONTACTS, '--name', 'A', ...FROM, ...words]);
  expect(stderr).toContain('--start tomorrow 09:00 is 2026-11-21T09:00:00.000+01:00.\n');
  expect(JSON.parse(stdout).body.start_time).toBe('2026-11-21T08:00:00.000Z');
});

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

  test('two files are refused', async () => {
    const { code, stderr } = await new Operator({ env }).run(['campaign', 'create', 'a.csv', '--contacts', 'b.csv']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The contacts are given twice: a.csv, and --contacts b.csv.'),
    });
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
    const both = await operator.run(['logs', 'export', '-o', path, '--out', 'other.csv']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('Two files are named') });
  });

  test('is still a format without a dot', async () => {
    const { code, stdout } = await new Operator({ env }).run(['logs', 'export', '-o', 'csv']);
    expect({ code, head: stdout.split(',')[0] }).toEqual({ code: 0, head: 'call_id' });
  });
});

test.each<[typed: string, says: RegExp]>([
  [
    'logs list -o calls.csv',
    /--output takes a format, not a file: -o csv > calls\.csv .*vagent logs export --out calls\.csv\./,
  ],
  ['agent list -o agents.json', /-o json > agents\.json/],
  ['logs list -o cvs', /--output must be one of table, json, ndjson, csv, tsv, ids, not 'cvs'\. Did you mean csv\?/],
  [
    'agent list --out agents.csv',
    /Unknown flag '--out'\.\n {2}→ Standard output can go to a file: -o csv > file\.csv\./,
  ],
  ['call --to +14155550123', /It is no flag, but an argument: vagent call <to>\./],
  ['logs show --call-id call_0000000001', /It is no flag, but an argument: vagent logs show <call_id>\./],
  ['campaign status --id 3', /It is no flag, but an argument: vagent campaign status <campaign>\./],
  ['contacts check --contacts contacts.csv', /It is no flag, but an argument: vagent contacts check <file>\./],
  ['logs list --status no-answer', /--status cannot be 'no-answer'\. Did you mean no_answer\?/],
  ['logs stats --status COMPLETED', /Did you mean completed\?/],
  ['agent list --status Active', /Did you mean active\?/],
  ['voice list --gender femal', /--gender must be one of male, female, not 'femal'\. Did you mean female\?/],
  ['campaign create c.csv --duplicates skipp', /Did you mean skip\?/],
])('%s is refused, and what works is said', async (typed, says) => {
  const { code, stdout, stderr } = await new Operator({ env }).run(typed.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(says);
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

test.each<[filter: string, code: number, says: string]>([
  ['--since friday', 3, '--since friday could be 2026-11-20 or 2026-11-13: today is Friday.'],
  ['--since 10:00', 3, '--since 10:00 has not come today: it is 09:00 in UTC.'],
  ['--since tomorrow', 3, '--since tomorrow has not come: it is 2026-11-20 09:00:00 +00:00.'],
  ['--since lately', 2, '--since must be a duration, 90, 90s, 15m, 2h, 3d or 1w, or a time: yesterday'],
  ['--start-date tomorrow --end-date today', 3, '--start-date 2026-11-21 is after --end-date 2026-11-20.'],
])('logs list %s is refused', async (filter, code, says) => {
  const operator = new Operator({ env, frozenAt: '2026-11-20T09:00:00Z' });
  const told = await operator.run(['logs', 'list', ...filter.split(' ')]);
  expect(told).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
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

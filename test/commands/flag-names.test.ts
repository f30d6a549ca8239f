/** The names of flags: one for a file, one for a format, one for columns; earlier names work, and are shown nowhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandSummaries } from '../../src/program.ts';
import { Operator } from '../support/program.ts';

const operator = new Operator({ env: { VAGENT_LOCAL: '1' }, frozenAt: '2026-11-23T09:00:00Z' });

const PLAN =
  'plan create samples.csv --name A --agent 1 --from +14155550100 --window 09:00-20:00 --budget 9 --price-per-minute 1 --dry-run';

test.each([
  ['logs export --format ndjson', 'logs export -o ndjson'],
  ['logs export --columns known', 'logs export'],
  ['logs export --columns all --format json', 'logs export --fields all -o json'],
  ['campaign results 1 --format csv', 'campaign results 1 -o csv'],
  [`${PLAN} --longest 4m`, `${PLAN} --expected-longest 4m`],
])('%s does what %s does', async (old, now) => {
  const [before, after] = await Promise.all([operator.run(old.split(' ')), operator.run(now.split(' '))]);
  expect(before).toEqual(after);
  expect(before.code).toBe(/samples|results/.test(old) ? before.code : 0);
});

test('-o decides the format of a file of whatever name, and --json only that errors are JSON', async () => {
  const begins = async (...flags: string[]) => {
    await operator.run(['call', '+14155550190', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.']);
    const { code, stderr } = await operator.run(['logs', 'export', '--out', ...flags]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return readFileSync(join(operator.home, flags[0] ?? ''), 'utf8').slice(0, 7);
  };
  expect(await begins('calls.csv', '-o', 'json')).toMatch(/^\[\n\{/);
  expect(await begins('calls.txt', '-o', 'csv')).toBe('call_id');
  expect(await begins('calls.csv', '--json')).toBe('call_id');
});

test('no help shows an earlier name, and no flag but --out is a file to write where -o is a format', async () => {
  for (const path of commandSummaries().keys()) {
    const { stdout } = await operator.run([...path.split(' '), '--help']);
    expect(stdout).not.toMatch(/--(format|columns|longest)\b/);
  }
});

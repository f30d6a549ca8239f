/** `--campaign`: the calls of one campaign, among those of others with the same agent and number. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EPOCH, serveEngine, testEngine } from '../../support/engine.ts';
import { Operator } from '../../support/program.ts';
import { UnderWay } from '../../support/under-way.ts';

const engine = testEngine();
const server = await serveEngine(engine);
afterAll(() => server.close());

const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'local-demo-key' };
const operator = new Operator({ env, frozenAt: new Date(EPOCH).toISOString() });
const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `+1415200${1000 + from + at}`);
const FROM = ['--agent', '1', '--from', '+14155550100'];

beforeAll(async () => {
  const create = async (name: string, contacts: string[], ...flags: string[]) => {
    writeFileSync(join(operator.home, `${name}.csv`), `Mobile\n${contacts.join('\n')}\n`);
    const file = ['--name', name, '--contacts', `${name}.csv`];
    const run = await operator.run(['campaign', 'create', ...file, ...FROM, ...flags, '--yes', '--again']);
    expect(run).toMatchObject({ code: 0 });
  };
  await create('Spring', numbers(0, 12), '--retry-attempts', '0');
  engine.clock.now += 20 * 60_000;
  await create('Autumn', numbers(6, 12), '--retry-attempts', '0');
  const call = ['call', numbers(30, 1)[0] as string, ...FROM, '--first-line', 'Hello.', '--yes'];
  expect(await operator.run(call)).toMatchObject({ code: 0 });
  engine.clock.now += 3 * 3_600_000;
});

const rows = (text: string) => text.split('\n').filter(Boolean);
const listed = async (...flags: string[]) =>
  rows((await operator.run(['logs', 'list', '--all', '--fields', 'call_id,called_to', ...flags])).stdout);

test('every call is of one campaign, or of none', async () => {
  const [all, spring, autumn] = [await listed(), await listed('--campaign', '1'), await listed('--campaign', 'autumn')];
  expect(spring.map((row) => row.split('\t')[1]).sort()).toEqual(numbers(0, 12));
  expect(autumn.map((row) => row.split('\t')[1]).sort()).toEqual(numbers(6, 12));
  expect(new Set([...spring, ...autumn]).size).toBe(24);
  expect(all).toHaveLength(25);
});

test('an export is the same calls, also with other filters', async () => {
  const flags = ['logs', 'export', '--campaign', 'Spring', '--fields', 'call_id,called_to', '--no-header'];
  const exported = rows((await operator.run([...flags, '-o', 'csv'])).stdout.replaceAll('\r', ''));
  const spring = await listed('--campaign', '1');
  expect(exported.map((row) => row.replace(',', '\t')).sort()).toEqual(spring.sort());
  const busy = rows((await operator.run([...flags, '--status', 'busy'])).stdout);
  expect(busy.length).toBeLessThan(12);
});

test('an export that is continued is of the same campaign', async () => {
  const flags = ['logs', 'export', '--campaign', '1', '--out', 'spring.ndjson', '--resume'];
  expect(await operator.run(flags)).toMatchObject({ code: 0 });
  expect(rows(readFileSync(join(operator.home, 'spring.ndjson'), 'utf8'))).toHaveLength(12);
});

test('statistics count them, and the report says so', async () => {
  const flags = ['logs', 'stats', '--campaign', 'Autumn', '--json', '--html', 'autumn.html'];
  expect(await operator.json(flags)).toMatchObject({ calls: 12 });
  expect(readFileSync(join(operator.home, 'autumn.html'), 'utf8')).toContain('--campaign Autumn');
});

const REFUSED: [flags: string[], code: number, said: RegExp][] = [
  [['--campaign', '9'], 5, /There is no campaign 9 that was created from here\./],
  [['--campaign', 'Winter'], 5, /There is no campaign called Winter/],
  [['--campaign', ''], 2, /--campaign/],
  [['--campaign', '1', '--agent', '2'], 2, /Campaign 1 is of agent 1, not 2: no call can match\./],
];

test.each(REFUSED)('%j: exit %i', async (flags, code, said) => {
  for (const command of ['list', 'export', 'stats', 'follow']) {
    const { code: left, stdout, stderr } = await operator.run(['logs', command, ...flags]);
    expect({ code: left, stdout }).toEqual({ code, stdout: '' });
    expect(stderr).toMatch(said);
  }
});

test('following shows the calls of the campaign as they come, and none of another', async () => {
  const contacts = [...numbers(40, 2), ...numbers(0, 2)];
  writeFileSync(join(operator.home, 'late.csv'), `Mobile\n${contacts.join('\n')}\n`);
  const late = ['campaign', 'create', '--name', 'Late', '--contacts', 'late.csv', ...FROM, '--again', '--yes'];
  expect(await operator.run(late)).toMatchObject({ code: 0 });
  const following = UnderWay.program(operator, ['logs', 'follow', '--since', '1d', '--campaign', 'Late', '-o', 'tsv']);
  await following.lines(1);
  engine.clock.now += 90_000;
  const lines = await following.lines(2);
  expect(await following.interrupt()).toMatchObject({ code: 0 });
  expect(lines.map((line) => line.split('\t')[3])).toEqual(numbers(40, 2));
});

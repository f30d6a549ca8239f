/** What commands say of logs that grow, of entries that nothing names, and of services that count more calls than they show. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  aCall,
  ENDLESS,
  hostileLog,
  type LogBehaviour,
  type LogCall,
  linesOf,
  someCalls,
} from '../../support/hostile-log.ts';
import { startServer } from '../../support/http.ts';
import { shopOf } from '../../support/shop.ts';

const setUp = (behaviour: LogBehaviour) => shopOf(hostileLog(behaviour));
test('a log that grows by a page with every request: ends with what was owed, and says that more came', async () => {
  const before: LogBehaviour['before'] = ({ number }, log) => log.unshift(...someCalls(20, `late_${number}`));
  const { operator, server } = await setUp({ calls: someCalls(400), cap: 20, before });
  const { code, stdout, stderr } = await operator.run(['logs', 'export', '--format', 'ndjson']);
  expect(stderr).toMatch(/^\d+ calls came in while the log was read and may not be among these\.\n/);
  expect(code).toBe(0);
  const owed = someCalls(400).map(({ call_id }) => call_id);
  expect(linesOf(stdout).map(({ call_id }) => call_id)).toEqual(expect.arrayContaining(owed));
  expect(server.received.length).toBeLessThan(ENDLESS);
});

describe('entries without a call_id that can be relied on', () => {
  const { call_id: _none, ...unnamed } = aCall({ called_to: '+14155550199' });
  const odd = [unnamed, { ...unnamed, call_id: null }, { ...unnamed, call_id: '' }] as unknown as LogCall[];
  const log = [...someCalls(12), ...odd, ...someCalls(12, 'more'), ...odd];

  test.each([
    [['export', '--format', 'ndjson'], (text: string) => linesOf(text)],
    [['export', '--format', 'json'], (text: string) => JSON.parse(text)],
    [['list', '--all', '--json'], (text: string) => JSON.parse(text).calls],
  ])('logs %s: all of them, and how many', async (args, read) => {
    const { operator } = await setUp({ calls: log });
    const { code, stdout, stderr } = await operator.run(['logs', ...args]);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('6 entries have no call_id') });
    expect(read(stdout)).toEqual(JSON.parse(JSON.stringify(log)));
  });

  test('as CSV an empty cell', async () => {
    const { operator } = await setUp({ calls: log });
    const { stdout } = await operator.run(['logs', 'export', '--format', 'csv', '--fields', 'call_id,called_to']);
    expect(stdout.split('\r\n').filter((line) => line === ',+14155550199')).toHaveLength(6);
  });

  test('logs stats counts them, logs show finds the others', async () => {
    const { operator } = await setUp({ calls: log });
    expect(JSON.parse((await operator.run(['logs', 'stats', '--json'])).stdout)).toMatchObject({ calls: 30 });
    expect(await operator.run(['logs', 'show', 'more_12', '-o', 'ids'])).toMatchObject({ stdout: 'more_12\n' });
  });

  test.each(['csv', 'ndjson'])('logs sync goes without, says so, and the next run takes its %s', async (format) => {
    const { operator } = await setUp({ calls: log });
    const out = join(operator.home, `calls.${format}`);
    const first = await operator.run(['logs', 'sync', '--out', out]);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('6 entries have no call_id') });
    expect(first.stderr).toContain(`24 new calls added to ${out} (24 in all).`);
    const text = readFileSync(out, 'utf8');
    expect(await operator.run(['logs', 'sync', '--out', out])).toMatchObject({ code: 0 });
    expect(readFileSync(out, 'utf8')).toBe(text);
  });
});

describe('a service that counts 30 calls and shows 25', () => {
  const short: LogBehaviour = { calls: someCalls(25), page: () => ({ total: 30 }) };
  const counted = 'The service counts 30 calls but showed 25.';

  test('no file, exit 7, and the flag that keeps one', async () => {
    const { operator } = await setUp(short);
    const out = join(operator.home, 'calls.csv');
    const { code, stderr } = await operator.run(['logs', 'export', '--out', out]);
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining(counted) });
    expect(stderr).toContain('--allow-incomplete keeps what it showed.');
    expect(existsSync(out)).toBe(false);

    const resumed = await operator.run(['logs', 'export', '--out', out, '--resume', '--allow-incomplete']);
    expect(resumed).toMatchObject({ code: 7, stderr: expect.stringContaining(counted) });
    expect(readFileSync(out, 'utf8').split('\r\n')).toHaveLength(27);
  });

  const formats: Record<string, (text: string) => LogCall[]> = { ndjson: linesOf, json: (text) => JSON.parse(text) };
  for (const [format, read] of Object.entries(formats)) {
    test(`--allow-incomplete: a whole document of ${format}, in a file or on standard output, and exit 7`, async () => {
      const { operator } = await setUp(short);
      const out = join(operator.home, `calls.${format}`);
      const args = ['logs', 'export', '--allow-incomplete'];
      const filed = await operator.run([...args, '--out', out]);
      expect(filed).toMatchObject({ code: 7, stdout: '' });
      expect(filed.stderr).toContain(`25 calls written to ${out}.`);
      expect(filed.stderr).toContain(`${counted} What it showed is in ${out} anyway.`);
      expect(read(readFileSync(out, 'utf8'))).toEqual(someCalls(25));
      const piped = await operator.run([...args, '--format', format]);
      expect(piped).toMatchObject({ code: 7 });
      expect(read(piped.stdout)).toEqual(someCalls(25));
    });
  }

  test('--allow-incomplete changes nothing where all are shown, or where the service fails', async () => {
    const whole = await setUp({ calls: someCalls(25) });
    expect(await whole.operator.run(['logs', 'export', '--allow-incomplete'])).toMatchObject({ code: 0 });
    const server = await startServer((_request, response) => void response.writeHead(404).end());
    const out = join(whole.operator.home, 'failed.csv');
    const failed = await whole.operator.run(['logs', 'export', '--allow-incomplete', '--out', out], {
      env: { VAGENT_BASE_URL: server.url },
    });
    expect(failed.code).toBe(5);
    expect(existsSync(out)).toBe(false);
  });
});

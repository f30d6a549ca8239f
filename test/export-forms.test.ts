/** What an export may be besides everything as it came: for a spreadsheet, with every column, of some of the calls. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { aCall, hostileLog, type LogCall } from './support/hostile-log.ts';
import { startServer } from './support/http.ts';
import { Operator } from './support/program.ts';

vi.setConfig({ testTimeout: 20_000 });

const KNOWN =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';

async function setUp(calls: readonly LogCall[]): Promise<Operator> {
  const { url } = await startServer(hostileLog({ calls, cap: 3 }));
  return new Operator({
    env: { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' },
    frozenAt: '2026-11-20T12:00:00Z',
  });
}

const read = ({ home }: Operator, name: string) => readFileSync(join(home, name), 'utf8');
const rows = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[];

describe.concurrent('--excel', async () => {
  /** A cell as the service sends it, and as it stands in the file. */
  const cells: [sent: string, written: string][] = [
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://evil.test","x")', '\'=HYPERLINK("http://evil.test","x")'],
    ['+1+1', "'+1+1"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1+1', "'\t=1+1"],
    ['\rcmd', "'\rcmd"],
    ['  =1+1', "'  =1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\n=1+1', "'\n=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM', "'＠SUM"],
    ['+14155550123', '+14155550123'],
    ['-12.5', '-12.5'],
    ['Agent: 1+1=2', 'Agent: 1+1=2'],
    ['a-b@c', 'a-b@c'],
    ["'quoted", "'quoted"],
    ['', ''],
  ];
  const calls = cells.map(([transcript], at) => aCall({ call_id: `call_${at}`, transcript, call_outcome: transcript }));
  const operator = await setUp(calls);

  test('makes text of what a spreadsheet would run, and leaves phone numbers and all else alone', async () => {
    const flags = ['logs', 'export', '--excel', '--out', 'calls.csv'];
    expect(await operator.run(flags)).toMatchObject({ code: 0 });
    const text = read(operator, 'calls.csv');
    expect(text.startsWith(`\ufeff${KNOWN}\r\n`)).toBe(true);
    expect(text.indexOf('\ufeff', 1)).toBe(-1);
    const written = rows(text);
    expect(written.map(({ transcript }) => transcript)).toEqual(cells.map(([, cell]) => cell));
    expect(written.map(({ call_outcome }) => call_outcome)).toEqual(cells.map(([, cell]) => cell));
    for (const row of written) expect(row).toMatchObject({ called_to: '+14155550123', call_from: '+14155550100' });
  });

  const plain = await setUp(calls);
  test('and without it every cell is as the service sent it', async () => {
    expect(await plain.run(['logs', 'export', '--out', 'calls.csv'])).toMatchObject({ code: 0 });
    expect(rows(read(plain, 'calls.csv')).map(({ transcript }) => transcript)).toEqual(cells.map(([sent]) => sent));
  });

  const empty = await setUp([]);
  test('of no calls is the mark and the header', async () => {
    expect(await empty.run(['logs', 'export', '--excel'])).toMatchObject({ code: 0, stdout: `\ufeff${KNOWN}\r\n` });
  });
});

describe.concurrent('--columns all', async () => {
  const calls = [
    aCall({ call_id: 'call_1' }),
    aCall({ call_id: 'call_2', cost: 1.5, tags: ['vip', 'late'] }),
    aCall({ call_id: 'call_3' }),
    aCall({ call_id: 'call_4', region: 'eu, west', cost: 0 }),
    { call_id: 'call_5' },
  ];
  const operator = await setUp(calls);
  test('has the documented columns, then every other in the order in which it came', async () => {
    const outcome = await operator.run(['logs', 'export', '--columns', 'all', '--out', 'calls.csv']);
    expect(outcome).toMatchObject({ code: 0, stderr: '5 calls written to calls.csv.\n' });
    const text = read(operator, 'calls.csv');
    expect(text.split('\r\n')[0]).toBe(`${KNOWN},cost,tags,region`);
    expect(rows(text).map(({ call_id, cost, tags, region }) => [call_id, cost, tags, region])).toEqual([
      ['call_1', '', '', ''],
      ['call_2', '1.5', '["vip","late"]', ''],
      ['call_3', '', '', ''],
      ['call_4', '0', '', 'eu, west'],
      ['call_5', '', '', ''],
    ]);
    for (const rest of ['calls.csv.part', 'calls.csv.rows.part', 'calls.csv.checkpoint']) {
      expect(existsSync(join(operator.home, rest))).toBe(false);
    }
  });

  const none = await setUp([]);
  test('of no calls has the documented ones', async () => {
    expect(await none.run(['logs', 'export', '--columns', 'all', '--out', 'calls.csv'])).toMatchObject({ code: 0 });
    expect(read(none, 'calls.csv')).toBe(`${KNOWN}\r\n`);
  });

  const known = await setUp(calls);
  test('--columns known is what is written anyway', async () => {
    expect(await known.run(['logs', 'export', '--columns', 'known'])).toEqual(await known.run(['logs', 'export']));
  });

  const refused: [flags: string[], says: RegExp][] = [
    [['--columns', 'all'], /needs --out/],
    [['--columns', 'all', '--format', 'ndjson', '--out', 'x'], /ndjson has every field anyway/],
    [['--columns', 'all', '--fields', 'call_id', '--out', 'x'], /exclude each other/],
    [['--columns', 'some', '--out', 'x'], /known, all/],
    [['--excel', '--format', 'json'], /--excel is for CSV/],
    [['--excel', '-o', 'ndjson'], /--excel is for CSV/],
    [['--concurrency', '0'], /1 to 16/],
  ];
  test.each(refused)('%j: exit 2', async (flags, says) => {
    const { code, stdout, stderr } = await known.run(['logs', 'export', ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

describe.concurrent('filters that the service lacks', async () => {
  const calls = [
    aCall({ call_id: 'call_1', call_status: 'busy', timestamp: '2026-11-20T11:00:00Z' }),
    aCall({ call_id: 'call_2', timestamp: '2026-11-20T10:30:00Z', transcript: 'Agent: The Check-Up is free.' }),
    aCall({ call_id: 'call_3', timestamp: '2026-11-20T10:00:00+02:00', called_to: '+14155550199' }),
    aCall({ call_id: 'call_4', timestamp: 'soon', call_outcome: 'callback_requested' }),
    aCall({ call_id: 'call_5', timestamp: '2026-11-01T10:00:00Z', call_from: '+14155550142' }),
  ];
  const filters: Record<string, string[]> = {
    '--status busy': ['call_1'],
    '--outcome callback_requested': ['call_4'],
    '--to +14155550199': ['call_3'],
    '--from +14155550142': ['call_5'],
    '--search check-up': ['call_2'],
    // One whose time cannot be read may be of that time: it is not left out.
    '--since 2h': ['call_1', 'call_2', 'call_4'],
    '--since 5h --status completed': ['call_2', 'call_3', 'call_4'],
    '--status ringing': [],
  };
  for (const [flags, ids] of Object.entries(filters)) {
    const operator = await setUp(calls);
    test(flags, async () => {
      const args = ['logs', 'export', '--format', 'ndjson', '--fields', 'call_id', ...flags.split(' ')];
      const { code, stdout, stderr } = await operator.run(args);
      expect({ code, ids: [...stdout.matchAll(/call_\d(?=")/g)].map(([id]) => id) }).toEqual({ code: 0, ids });
      expect(stderr).toContain('Applied here, for the service has no such filter: --');
      expect(stderr).toContain(ids.length === 1 ? '1 call written.' : `${ids.length} calls written.`);
    });
  }
});

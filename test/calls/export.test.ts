/** What an export may be besides everything as it came: for a spreadsheet, with every column, of some of the calls. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { aCall, hostileLog, type LogCall } from '../support/hostile-log.ts';
import { startServer } from '../support/http.ts';
import { Operator, temporaryFolder } from '../support/program.ts';

const KNOWN =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';

async function setUp(calls: readonly LogCall[]): Promise<Operator> {
  const { url } = await startServer(hostileLog({ calls, cap: 3 }));
  return new Operator({
    env: { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' },
    frozenAt: '2026-11-20T12:00:00Z',
  });
}

/** The texts of the cells of a flat OpenDocument spreadsheet, its paragraphs as lines. */
function cellsShown(fods: string): string[] {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return [...fods.matchAll(/<table:table-cell[^>]*>(.*?)<\/table:table-cell>/gs)].map(([, cell = '']) =>
    [...cell.matchAll(/<text:p>(.*?)<\/text:p>/gs)]
      .map(([, text = '']) => text.replace(/<text:(tab|s)\/>/g, (_tag, name) => (name === 'tab' ? '\t' : ' ')))
      .map((text) => text.replace(/&(\w+);/g, (_entity, name) => entities[name] ?? ''))
      .join('\n'),
  );
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
    // What would become a number, a date or a truth is kept by the one spelling that shows the text alone.
    ['+442079460104', '="+442079460104"'],
    ['+44 20 7946 0104', '="+44 20 7946 0104"'],
    ['+1-415-555-0123', '="+1-415-555-0123"'],
    ['(415) 555-0123', '="(415) 555-0123"'],
    ['0012345', '="0012345"'],
    ['\u00a0007', '="\u00a0007"'],
    ['12345678901234567890', '="12345678901234567890"'],
    ['442079460104', '="442079460104"'],
    ['1E5', '="1E5"'],
    ['12e45', '="12e45"'],
    ['1.10', '="1.10"'],
    ['1,234', '="1,234"'],
    ['12%', '="12%"'],
    ['€5', '="€5"'],
    ['１２３', '="１２３"'],
    ['2026-11-20', '="2026-11-20"'],
    ['20.11.26 11:30', '="20.11.26 11:30"'],
    ['1/2', '="1/2"'],
    ['11:30 pm', '="11:30 pm"'],
    ['1-Mar', '="1-Mar"'],
    ['20 novembre 2026', '="20 novembre 2026"'],
    ['SEPT2', '="SEPT2"'],
    ['TRUE', '="TRUE"'],
    ['-007', "'-007"],
    ['-1e5', "'-1e5"],
    // Nothing happens to these.
    ['2026-11-20T11:00:00.000Z', '2026-11-20T11:00:00.000Z'],
    ['call_0000000001', 'call_0000000001'],
    ['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['42', '42'],
    ['-12.5', '-12.5'],
    ['Two\nlines, "and" a comma\r\n=1+1', 'Two\nlines, "and" a comma\r\n=1+1'],
    ['a;=1+1;b\t=1+1\tc', 'a;=1+1;b\t=1+1\tc'],
    ['Agent: 1+1=2', 'Agent: 1+1=2'],
    ['a-b@c', 'a-b@c'],
    ["'quoted", "'quoted"],
    ['', ''],
  ];
  const calls = cells.map(([transcript], at) => aCall({ call_id: `call_${at}`, transcript, call_outcome: transcript }));
  const operator = await setUp(calls);

  test('makes text of what a spreadsheet would run or take for something else, and leaves all else alone', async () => {
    const flags = ['logs', 'export', '--excel', '--out', 'calls.csv'];
    expect(await operator.run(flags)).toMatchObject({ code: 0 });
    const text = read(operator, 'calls.csv');
    expect(text.startsWith(`\ufeff${KNOWN}\r\n`)).toBe(true);
    expect(text.indexOf('\ufeff', 1)).toBe(-1);
    const written = rows(text);
    expect(written.map(({ transcript }) => transcript)).toEqual(cells.map(([, cell]) => cell));
    expect(written.map(({ call_outcome }) => call_outcome)).toEqual(cells.map(([, cell]) => cell));
    for (const row of written) {
      expect(row).toMatchObject({ called_to: '="+14155550123"', call_from: '="+14155550100"', agent_id: '3' });
    }
    // Programs that look for several delimiters at once do not take a text apart.
    expect(text).toContain(',"a;=1+1;b\t=1+1\tc",');
  });

  const odd = await setUp([aCall({ call_id: '007', '=1+1': '=2+2', '+442079460104': 'x' })]);
  test('also of ids, of fields that nobody documents, and of their names', async () => {
    const flags = ['logs', 'export', '--excel', '--columns', 'all', '--out', 'calls.csv'];
    expect(await odd.run(flags)).toMatchObject({ code: 0 });
    const [row = {}] = rows(read(odd, 'calls.csv'));
    expect(row).toMatchObject({ call_id: '="007"', "'=1+1": "'=2+2", '="+442079460104"': 'x' });
  });

  const long = await setUp([aCall({ transcript: 'x'.repeat(32_768) }), aCall({ call_id: '2', transcript: '' })]);
  test('says what is too long to be shown whole', async () => {
    const { code, stdout, stderr } = await long.run(['logs', 'export', '--excel']);
    expect(code).toBe(0);
    expect(stderr).toContain("1 text is longer than a spreadsheet's cell; the CSV has all of it.");
    expect(rows(stdout)[0]?.transcript).toHaveLength(32_768);
  });

  const called = await setUp([
    aCall({ called_to: '+442079460104' }),
    aCall({ call_id: '2', called_to: '+4915112345678' }),
  ]);
  test('contacts check reads the numbers back, from the file and as a spreadsheet saves it', async () => {
    const out = join(called.home, 'calls.csv');
    await called.run(['logs', 'export', '--excel', '--out', out]);
    const text = readFileSync(out, 'utf8');
    const shown = text.replace(/"=""([^"]*)"""/g, '$1');
    expect(text).toContain(',"=""+442079460104""",');
    expect(shown).toContain(',+442079460104,');
    for (const saved of [text, shown, shown.replaceAll(',', ';'), text.replace(/"=""([^"]*)"""/g, '="$1"')]) {
      writeFileSync(out, saved);
      const { columns, preview } = await called.json(['contacts', 'check', out]);
      expect(columns).toEqual({ phone_number: 'called_to' });
      expect(preview).toEqual([{ phone_number: '+442079460104' }, { phone_number: '+4915112345678' }]);
    }
  });

  test('logs sync adds to such a file in its form, and knows the calls that are in it', async () => {
    const before = (_request: unknown, log: LogCall[]) => {
      if (isLater && log.length === 2) log.unshift(later);
    };
    let isLater = false;
    const later = aCall({ call_id: '008', transcript: '=1+1', timestamp: '2026-11-20T11:00:01Z' });
    const { url } = await startServer(
      hostileLog({ calls: [aCall({ call_id: '007' }), aCall({ call_id: '@1' })], before }),
    );
    const env = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
    const syncing = new Operator({ env });
    const out = join(syncing.home, 'calls.csv');
    expect(await syncing.run(['logs', 'export', '--excel', '--out', out])).toMatchObject({ code: 0 });
    isLater = true;
    const synced = await syncing.run(['logs', 'sync', '--out', out]);
    expect(synced).toMatchObject({ code: 0, stderr: expect.stringContaining('1 new call added') });
    const text = read(syncing, 'calls.csv');
    expect(rows(text).map(({ call_id, transcript }) => [call_id, transcript])).toEqual([
      ['="007"', expect.anything()],
      ["'@1", expect.anything()],
      ['="008"', "'=1+1"],
    ]);
    expect(text.lastIndexOf('\ufeff')).toBe(0);
  });

  const spreadsheet = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0);
  test.skipIf(spreadsheet === undefined)(
    `a spreadsheet shows every cell as it was sent${spreadsheet === undefined ? ' (LibreOffice is not here)' : ''}`,
    async () => {
      const folder = temporaryFolder();
      const kept = cells.filter(([, cell]) => cell !== '' && !cell.startsWith("'"));
      const texts = kept.map(([sent]) => sent.replace(/\r\n/g, '\n'));
      writeFileSync(join(folder, 'calls.csv'), (await operator.run(['logs', 'export', '--excel'])).stdout);
      // As a double click opens it, and as one that takes commas, semicolons and tabs for delimiters.
      for (const filter of ['CSV:44,34,76,1', 'CSV:44/59/9,34,76,1']) {
        const flags = [`-env:UserInstallation=file://${folder}/home`, '--headless', `--infilter=${filter}`];
        const convert = [...flags, '--convert-to', 'fods', '--outdir', folder, join(folder, 'calls.csv')];
        await promisify(execFile)(spreadsheet as string, convert);
        const shown = cellsShown(readFileSync(join(folder, 'calls.fods'), 'utf8'));
        expect(shown).toEqual(expect.arrayContaining(texts));
        expect(shown.filter((text) => text === '2')).toEqual([]);
      }
    },
  );

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

describe('the name of the file decides the format where --format does not', async () => {
  const calls = [aCall({ call_id: 'call_1' }), aCall({ call_id: 'call_2' })];
  const forms = {
    csv: (text: string) => rows(text),
    json: (text: string) => JSON.parse(text),
    ndjson: (text: string) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
  type Form = keyof typeof forms;
  const operator = await setUp(calls);
  const none = await setUp([]);

  const written: [name: string, flags: string[], form: Form][] = [
    ['calls.csv', [], 'csv'],
    ['calls.ndjson', [], 'ndjson'],
    ['calls.jsonl', [], 'ndjson'],
    ['calls.json', [], 'json'],
    ['CALLS.JSON', [], 'json'],
    ['calls.csv.NdJson', [], 'ndjson'],
    ['../calls.d/calls.json', [], 'json'],
    // What has no ending says nothing.
    ['calls', [], 'csv'],
    ['calls.d/calls', [], 'csv'],
    ['calls', ['--json'], 'json'],
    ['calls', ['-o', 'ndjson'], 'ndjson'],
    ['calls.xlsx', ['--format', 'csv'], 'csv'],
    ['calls.csv', ['--format', 'ndjson'], 'ndjson'],
    ['calls.json', ['--format', 'csv', '--excel'], 'csv'],
    ['calls.ndjson', ['-o', 'ndjson'], 'ndjson'],
    // --json is also the form of errors.
    ['calls.csv', ['--json'], 'csv'],
    ['calls.ndjson', ['--json'], 'ndjson'],
  ];
  test.each(written)('%s %j is %s', async (name, flags, form) => {
    const folder = join(temporaryFolder(), 'in');
    mkdirSync(join(folder, 'calls.d'), { recursive: true });
    mkdirSync(join(folder, '../calls.d'));
    const out = join(folder, name);
    const outcome = await operator.run(['logs', 'export', '--out', out, ...flags]);
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(forms[form](readFileSync(out, 'utf8'))).toMatchObject([{ call_id: 'call_1' }, { call_id: 'call_2' }]);
  });

  test('also of no calls, and of a run that is gone on with', async () => {
    for (const form of Object.keys(forms) as Form[]) {
      const out = join(temporaryFolder(), `calls.${form}`);
      expect(await none.run(['logs', 'export', '--out', out, '--resume'])).toMatchObject({ code: 0 });
      expect(forms[form](readFileSync(out, 'utf8'))).toEqual([]);
    }
  });

  const refused: [args: string[], says: RegExp][] = [
    [
      ['logs', 'export', '--out', 'calls.xlsx'],
      /calls\.xlsx: an export is CSV, NDJSON or JSON, not \.xlsx\.\n.*\.csv, \.ndjson or \.json/,
    ],
    [['logs', 'export', '--out', 'calls.txt'], /not \.txt/],
    [['logs', 'export', '--out', 'calls.2026-11-20'], /not \.2026-11-20/],
    [['logs', 'export', '--out', 'calls.csv.gz'], /not \.gz/],
    [['logs', 'export', '--out', 'calls.constructor'], /not \.constructor/],
    [['logs', 'export', '--out', 'calls.xlsx', '--json'], /not \.xlsx/],
    [['logs', 'export', '--out', 'calls.xlsx', '--excel'], /not \.xlsx/],
    [['logs', 'export', '--out', 'calls.xlsx', '--resume'], /not \.xlsx/],
    [['logs', 'export', '--out', 'calls.csv', '-o', 'ndjson'], /cannot be ndjson and csv/],
    [['logs', 'export', '--out', 'calls.json', '-o', 'csv'], /cannot be csv and json/],
    [['logs', 'export', '--out', 'calls.json', '--excel'], /--excel is for CSV, not json/],
    [['logs', 'export', '--out', 'calls.ndjson', '--columns', 'known'], /--columns is for CSV/],
    [['logs', 'sync', '--out', 'calls.json'], /must end in \.ndjson, \.jsonl or \.csv/],
    [['logs', 'sync', '--out', 'calls.constructor'], /must end in/],
    [
      ['logs', 'stats', '--html', 'report.pdf'],
      /--html report\.pdf: the output is an HTML page, not \.pdf\.\n.*report\.html/,
    ],
    [['contacts', 'check', 'a.csv', '--rejects', 'to-fix.xlsx'], /the output is a CSV, not \.xlsx\.\n.*to-fix\.csv/],
    [['contacts', 'check', 'a.csv', '--rejects', 'to-fix.JSON'], /a CSV, not \.json/],
    [['logs', 'export', '--columns', 'all'], /needs --out/],
    [['logs', 'export', '--columns', 'all', '--format', 'ndjson', '--out', 'x'], /ndjson has every field anyway/],
    [['logs', 'export', '--columns', 'all', '--fields', 'call_id', '--out', 'x'], /cannot be used together/],
    [['logs', 'export', '--columns', 'some', '--out', 'x'], /known, all/],
    [['logs', 'export', '--excel', '--format', 'json'], /--excel is for CSV/],
    [['logs', 'export', '--excel', '-o', 'ndjson'], /--excel is for CSV/],
    [['logs', 'export', '--concurrency', '0'], /1 to 16/],
  ];
  test.each(refused)('%j: exit 2, and nothing is written', async (args, says) => {
    const { code, stdout, stderr } = await operator.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
    expect(readdirSync(operator.home)).toEqual([]);
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
    expect(readdirSync(operator.home).filter((name) => name.includes('.csv'))).toEqual(['calls.csv']);
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
      expect(stderr).toContain('Filtering on this computer: --');
      expect(stderr).toContain(ids.length === 1 ? '1 call written.' : `${ids.length} calls written.`);
    });
  }
});

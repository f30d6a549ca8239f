/**
 * Every matching call exactly once, in a file that is whole or not there: for programs as it came, for a spreadsheet, with every
 * column, of some of the calls. What services do with their pages is in `test/paging`.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { casesBeside } from '../../support/cases.ts';
import { namesIn } from '../../support/files.ts';
import {
  aCall,
  ENDLESS,
  hostileLog,
  type LogBehaviour,
  type LogCall,
  linesOf,
  someCalls,
  TRICKY,
} from '../../support/hostile-log.ts';
import { type Answer, sendJson } from '../../support/http.ts';
import { type Operator, temporaryFolder } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';
import { UnderWay } from '../../support/under-way.ts';

const COLUMNS =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';
const EXPORT = ['logs', 'export'];

const cases = casesBeside(import.meta.filename);
const ofCalls = (calls: readonly LogCall[], rest: Partial<LogBehaviour> = { cap: 3 }) =>
  shopOf(hostileLog({ calls, ...rest }), { frozenAt: '2026-11-20T12:00:00Z' });
const read = ({ home }: Operator, name: string) => readFileSync(join(home, name), 'utf8');
/** As any reader does that takes every kind of line break for one, unless it is quoted. */
const rows = (text: string) =>
  parse(text, { columns: true, bom: true, record_delimiter: ['\r\n', '\n', '\r'] }) as Record<string, string>[];
const asSent = (calls: readonly LogCall[]) => JSON.parse(JSON.stringify(calls)) as LogCall[];

describe.concurrent('the three ways to have every call of a log that grows', async () => {
  const ways: [args: string[], read: (stdout: string, operator: Operator) => LogCall[]][] = [
    [[...EXPORT, '--out', 'calls.ndjson'], (_stdout, operator) => linesOf(read(operator, 'calls.ndjson'))],
    [[...EXPORT, '--format', 'ndjson'], linesOf],
    [['logs', 'list', '--all', '--json'], (stdout) => JSON.parse(stdout).calls],
  ];
  for (const [args, given] of ways) {
    const before: LogBehaviour['before'] = ({ number }, log) =>
      number > 1 && number < 6 && log.unshift(...someCalls(2, `late_${number}`));
    const { operator, server } = await ofCalls(someCalls(25), { cap: 7, before });
    test(args.join(' '), async () => {
      const { code, stdout } = await operator.run(args);
      const ids = given(stdout, operator).map(({ call_id }) => call_id);
      expect(code).toBe(0);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(someCalls(25).map(({ call_id }) => call_id)));
      expect(server.received.length).toBeLessThan(ENDLESS);
    });
  }
});

/** From that page on every request fails, in the same way. */
function failingFrom(page: number, failure: (response: Parameters<Answer>[1]) => void): Answer {
  const answer = hostileLog({ calls: someCalls(45) });
  return (request, response) =>
    Number(request.query.get('offset')) >= (page - 1) * 10 ? failure(response) : answer(request, response);
}

describe.concurrent('less than was counted is a failure, and nothing half-written stands under the name', async () => {
  const failures: [name: string, answer: () => Answer, says: RegExp][] = [
    ['fewer calls than total', () => hostileLog({ calls: someCalls(25), page: () => ({ total: 30 }) }), /counts 30/],
    ['a 500', () => failingFrom(3, (response) => sendJson(response, 500, { message: 'Ill.' })), /\(500\).*Ill/],
    ['a 429', () => failingFrom(3, (response) => sendJson(response, 429, { message: 'Slow.' })), /\(429\).*Slow/],
    [
      'a page that breaks off',
      () =>
        failingFrom(3, (response) => {
          response.writeHead(200, { 'content-length': 5000 }).write('{"success": true, "calls": [{"call_id": "ca');
          setTimeout(() => response.destroy(), 20);
        }),
      /did not answer/,
    ],
    ['no JSON', () => failingFrom(3, (response) => response.end('{"success": true, "calls": [')), /as the interface/],
    ['a redirect', () => failingFrom(3, (response) => response.writeHead(302, { location: '/x' }).end()), /redirect/],
  ];
  const soon = ['--timeout', '3s'];
  for (const [name, answer, says] of failures) {
    const shop = await shopOf(answer());
    test(`${name}: an old file stays as it was`, async () => {
      writeFileSync(join(shop.operator.home, 'calls.csv'), 'old\n');
      const { code, stderr } = await shop.operator.run([...EXPORT, '--out', 'calls.csv', ...soon]);
      expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(says) });
      expect(stderr.split('\n').filter((line) => line.startsWith('vagent: '))).toHaveLength(1);
      expect(read(shop.operator, 'calls.csv')).toBe('old\n');
      const left = ['.calls.csv.vagent/checkpoint', '.calls.csv.vagent/rows'];
      expect(namesIn(shop.operator.home).filter((file) => !left.includes(file))).toEqual(['calls.csv']);
      expect(shop.server.received.length).toBeLessThan(ENDLESS);
    });
  }

  const { operator } = await shopOf(failingFrom(3, (response) => sendJson(response, 500, {})));
  test('on standard output the exit code tells; a list is no document at all, and no file comes', async () => {
    expect(await operator.run([...EXPORT, ...soon])).toMatchObject({ code: 7 });
    const listed = await operator.run(['logs', 'list', '--all', '--json', ...soon]);
    expect(listed).toMatchObject({ code: 7, stdout: '' });
    expect(JSON.parse(listed.stderr)).toMatchObject({ error: { exit_code: 7, status: 500 } });
    expect(await operator.run([...EXPORT, '--out', 'new.csv', ...soon])).toMatchObject({ code: 7 });
    expect(existsSync(join(operator.home, 'new.csv'))).toBe(false);
  });
});

describe.concurrent('the formats', async () => {
  const tricky = TRICKY.map((transcript, at) => aCall({ call_id: `call_${at}`, transcript, call_outcome: transcript }));
  const { operator } = await ofCalls(tricky);
  test('CSV reads back equal, from a file and from standard output: the bytes of RFC 4180', async () => {
    expect(await operator.run([...EXPORT, '--out', 'calls.csv'])).toMatchObject({ code: 0, stdout: '' });
    const { code, stdout } = await operator.run([...EXPORT, '--format', 'csv']);
    expect(code).toBe(0);
    expect(stdout).toBe(read(operator, 'calls.csv'));
    const texts = tricky.map((call) => Object.entries(call).map(([name, value]) => [name, String(value)]));
    expect(rows(stdout)).toEqual(texts.map((entries) => Object.fromEntries(entries)));
    // Outside of quotes every line ends with CR LF, and every line has the same number of cells.
    const bare = stdout
      .replace(/"(?:[^"]|"")*"/g, 'Q')
      .split('\r\n')
      .slice(0, -1);
    expect(bare.join('')).not.toMatch(/[\r\n"]/);
    expect(new Set(bare.map((line) => line.split(',').length))).toEqual(new Set([10]));
  });

  const odd = [
    aCall({ transcript: null, recording_url: undefined, call_duration: null, cost: 1.5, 'odd name': '', ünï: '👋' }),
    { call_id: 'bare' },
    aCall({ call_id: 'nested', call_outcome: 'a,b', timestamp: '', tags: ['vip'], meta: { attempt: 2, by: null } }),
  ];
  const sparse = await ofCalls(odd, { page: () => ({ region: 'eu', next: null }) });
  test('in CSV what is null or missing is an empty cell; NDJSON and JSON keep what the service sends', async () => {
    const { stdout } = await sparse.operator.run(EXPORT);
    expect(stdout.split('\r\n')).toEqual([
      COLUMNS,
      'call_1,3,+14155550123,+14155550100,,completed,lead_qualified,2026-11-20T09:00:00Z,,',
      'bare,,,,,,,,,',
      'nested,3,+14155550123,+14155550100,42,completed,"a,b",,Agent: Hello.,https://recordings.test/1.mp3',
      '',
    ]);
    expect(linesOf((await sparse.operator.run([...EXPORT, '--format', 'ndjson'])).stdout)).toEqual(asSent(odd));
    expect(JSON.parse((await sparse.operator.run([...EXPORT, '--format', 'json'])).stdout)).toEqual(asSent(odd));
    const answer = await sparse.operator.json(['logs', 'list', '--all']);
    expect(answer).toMatchObject({ success: true, total: 3, calls: asSent(odd), region: 'eu', next: null });
  });

  const none = await ofCalls([]);
  test.each([
    ['--format csv', `${COLUMNS}\r\n`],
    ['--format ndjson', ''],
    ['--format json', '[]\n'],
    ['--excel', `\ufeff${COLUMNS}\r\n`],
  ])('no calls, %s', async (flags, text) => {
    expect(await none.operator.run([...EXPORT, ...flags.split(' ')])).toMatchObject({ code: 0, stdout: text });
    const filed = [...EXPORT, ...flags.split(' '), '--out', 'none', '--resume'];
    expect(await none.operator.run(filed)).toMatchObject({ code: 0, stdout: '' });
    expect(read(none.operator, 'none')).toBe(text);
  });

  const two = await ofCalls([aCall(), aCall({ call_id: 'call_2', call_status: 'busy' })], { cap: 1 });
  test.each([
    ['--fields call_status,call_id', 'call_status,call_id\r\ncompleted,call_1\r\nbusy,call_2\r\n'],
    ['--fields call_id --no-header', 'call_1\r\ncall_2\r\n'],
    [
      '--fields call_status,call_id --format ndjson',
      '{"call_status":"completed","call_id":"call_1"}\n{"call_status":"busy","call_id":"call_2"}\n',
    ],
    ['--fields call_id --format json', '[\n{"call_id":"call_1"},\n{"call_id":"call_2"}\n]\n'],
  ])('%s', async (flags, stdout) => {
    expect(await two.operator.run([...EXPORT, ...flags.split(' ')])).toMatchObject({ code: 0, stdout });
  });
});

describe('the name of the file decides the format where -o does not', async () => {
  const { operator } = await ofCalls([aCall(), aCall({ call_id: 'call_2' })]);
  const forms = { csv: rows, json: (text: string) => JSON.parse(text), ndjson: linesOf };
  type Row = [name: string, flags: string[], form: keyof typeof forms];
  test.each(cases<Row>('the format of a file by its name and the flags'))('%s %j is %s', async (name, flags, form) => {
    const folder = join(temporaryFolder(), 'in');
    for (const other of ['calls.d', '../calls.d']) mkdirSync(join(folder, other), { recursive: true });
    const out = join(folder, name);
    expect(await operator.run([...EXPORT, '--out', out, ...flags])).toMatchObject({ code: 0, stdout: '' });
    expect(forms[form](readFileSync(out, 'utf8'))).toMatchObject([{ call_id: 'call_1' }, { call_id: 'call_2' }]);
  });
});

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

describe.concurrent('--excel', async () => {
  const cells = cases<[sent: string, written: string]>(
    'a cell as the service sends it, and as it stands in a file for spreadsheets',
  );
  const calls = cells.map(([transcript], at) => aCall({ call_id: `call_${at}`, transcript, call_outcome: transcript }));
  const { operator } = await ofCalls(calls);
  test('makes text of what a spreadsheet would run or take for something else, and leaves all else alone', async () => {
    expect(await operator.run([...EXPORT, '--excel', '--out', 'calls.csv'])).toMatchObject({ code: 0 });
    const text = read(operator, 'calls.csv');
    expect(text.startsWith(`\ufeff${COLUMNS}\r\n`)).toBe(true);
    expect(text.lastIndexOf('\ufeff')).toBe(0);
    for (const name of ['transcript', 'call_outcome']) {
      expect(rows(text).map((row) => row[name])).toEqual(cells.map(([, cell]) => cell));
    }
    for (const row of rows(text)) expect(row).toMatchObject({ called_to: "'+14155550123", agent_id: '3' });
    // Programs that look for several delimiters at once do not take a text apart.
    expect(text).toContain(',"a;=1+1;b\t=1+1\tc",');
    const plain = await operator.run(EXPORT);
    expect(rows(plain.stdout).map(({ transcript }) => transcript)).toEqual(cells.map(([sent]) => sent));
  });

  const odd = await ofCalls([aCall({ call_id: '007', '=1+1': '=2+2', '+442079460104': 'x' })]);
  test('also of ids, of fields that nobody documents, and of their names', async () => {
    const flags = ['--excel', '--columns', 'all', '--out', 'calls.csv'];
    expect(await odd.operator.run([...EXPORT, ...flags])).toMatchObject({ code: 0 });
    const [row] = rows(read(odd.operator, 'calls.csv'));
    expect(row).toMatchObject({ call_id: "'007", "'=1+1": "'=2+2", "'+442079460104": 'x' });
  });

  const long = await ofCalls([aCall({ transcript: 'x'.repeat(32_768) }), aCall({ call_id: '2', transcript: '' })]);
  test('says what is too long to be shown whole', async () => {
    const { code, stdout, stderr } = await long.operator.run([...EXPORT, '--excel']);
    expect(code).toBe(0);
    expect(stderr).toContain("1 text is longer than a spreadsheet's cell; the CSV has all of it.");
    expect(rows(stdout)[0]?.transcript).toHaveLength(32_768);
  });

  const numbers = ['+442079460104', '+4915112345678'];
  const called = await ofCalls(numbers.map((called_to) => aCall({ call_id: called_to, called_to })));
  test('contacts check reads the numbers back, from the file and as a spreadsheet saves it', async () => {
    const out = join(called.operator.home, 'calls.csv');
    await called.operator.run([...EXPORT, '--excel', '--out', out]);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain(",'+442079460104,");
    const before = text.replace(/'(\+\d+)/g, '="$1"');
    for (const saved of [text, text.replaceAll(',', ';'), text.replaceAll("'", ''), before]) {
      writeFileSync(out, saved);
      const { columns, preview } = await called.operator.json(['contacts', 'check', out]);
      expect(columns).toEqual({ phone_number: 'called_to' });
      expect(preview).toEqual(numbers.map((phone_number) => ({ phone_number })));
    }
  });

  const later = aCall({ call_id: '008', transcript: '=1+1', timestamp: '2026-11-20T11:00:01Z' });
  let isLater = false;
  const syncing = await ofCalls([aCall({ call_id: '007' }), aCall({ call_id: '@1' })], {
    before: (_request, log) => isLater && log.length === 2 && log.unshift(later),
  });
  test('logs sync adds to such a file in its form, and knows the calls that are in it', async () => {
    const { operator } = syncing;
    expect(await operator.run([...EXPORT, '--excel', '--out', 'calls.csv'])).toMatchObject({ code: 0 });
    isLater = true;
    const synced = await operator.run(['logs', 'sync', '--out', 'calls.csv']);
    expect(synced).toMatchObject({ code: 0, stderr: expect.stringContaining('1 new call added') });
    const text = read(operator, 'calls.csv');
    expect(rows(text).map(({ call_id }) => call_id)).toEqual(["'007", "'@1", "'008"]);
    expect(rows(text).at(-1)?.transcript).toBe("'=1+1");
    expect(text.lastIndexOf('\ufeff')).toBe(0);
  });

  const spreadsheet = ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0);
  test.skipIf(spreadsheet === undefined)(
    `a spreadsheet shows every cell as it was sent${spreadsheet === undefined ? ' (LibreOffice is not here)' : ''}`,
    async () => {
      const folder = temporaryFolder();
      const kept = cells.filter(([, cell]) => cell !== '' && !cell.startsWith("'"));
      const texts = kept.map(([sent]) => sent.replace(/\r\n/g, '\n'));
      writeFileSync(join(folder, 'calls.csv'), (await operator.run([...EXPORT, '--excel'])).stdout);
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
});

describe.concurrent('--columns all', async () => {
  const calls = [
    aCall({ call_id: 'call_1' }),
    aCall({ call_id: 'call_2', cost: 1.5, tags: ['vip', 'late'] }),
    aCall({ call_id: 'call_4', region: 'eu, west', cost: 0 }),
    { call_id: 'call_5' },
  ];
  const { operator } = await ofCalls(calls);
  test('has the documented columns, then every other in the order in which it came', async () => {
    const outcome = await operator.run([...EXPORT, '--columns', 'all', '--out', 'calls.csv']);
    expect(outcome).toMatchObject({ code: 0, stderr: '4 calls written to calls.csv.\n' });
    const text = read(operator, 'calls.csv');
    expect(text.split('\r\n')[0]).toBe(`${COLUMNS},cost,tags,region`);
    expect(rows(text).map(({ call_id, cost, tags, region }) => [call_id, cost, tags, region])).toEqual([
      ['call_1', '', '', ''],
      ['call_2', '1.5', '["vip","late"]', ''],
      ['call_4', '0', '', 'eu, west'],
      ['call_5', '', '', ''],
    ]);
    expect(readdirSync(operator.home).filter((name) => name.includes('.csv'))).toEqual(['calls.csv']);
    expect(await operator.run([...EXPORT, '--columns', 'known'])).toEqual(await operator.run(EXPORT));
  });

  const none = await ofCalls([]);
  test('of no calls has the documented ones', async () => {
    await none.operator.run([...EXPORT, '--columns', 'all', '--out', 'calls.csv']);
    expect(read(none.operator, 'calls.csv')).toBe(`${COLUMNS}\r\n`);
  });
});

describe.concurrent('what is asked of the service', async () => {
  const credentials = 'organization_id=7&api_key=key-of-tests';
  const filters = 'start_date=2026-11-01&end_date=2026-11-30&agent_id=3';
  const flags = '--agent 3 --end-date 2026-11-30 --start-date 2026-11-01';
  const pages = [0, 10, 20].map((offset) => `${credentials}&${filters}&limit=1000&offset=${offset}`);
  const asked: [args: string, queries: string[]][] = [
    [`logs export ${flags}`, pages],
    [`logs list --all ${flags}`, pages],
    [`logs list ${flags}`, [`${credentials}&${filters}`]],
    ['logs list', [credentials]],
    ['logs list --start-date 2028-02-29', [`${credentials}&start_date=2028-02-29`]],
    ['logs list --limit 5 --offset 20', [`${credentials}&limit=5&offset=20`]],
  ];
  for (const [args, queries] of asked) {
    const { operator, server } = await ofCalls(someCalls(25), {});
    test(args, async () => {
      expect(await operator.run(args.split(' '))).toMatchObject({ code: 0 });
      const received = server.received.map(({ query }) => String(query));
      expect(received.slice(0, queries.length)).toEqual(queries);
      // Whatever is asked after that, to be sure of the end, is asked with the same filters.
      for (const query of received.slice(queries.length)) {
        expect(query.replace(/&offset=25$/, '&offset=20')).toBe(queries.at(-1));
      }
    });
  }
});

describe.concurrent('the end of an export', async () => {
  const waiting = await shopOf(failingFrom(2, () => {}));
  test('by Ctrl-C is exit 130, and leaves the old file and what --resume goes on with', async () => {
    const { operator, server } = waiting;
    writeFileSync(join(operator.home, 'calls.csv'), 'old\n');
    const command = UnderWay.here(operator, [...EXPORT, '--out', 'calls.csv']);
    await vi.waitUntil(() => server.received.length >= 2, { timeout: 60_000 });
    expect(await command.interrupt()).toMatchObject({ code: 130 });
    const left = ['.calls.csv.vagent/checkpoint', '.calls.csv.vagent/rows', 'calls.csv'];
    expect(namesIn(operator.home).sort()).toEqual(left);
    expect(read(operator, 'calls.csv')).toBe('old\n');
  });

  const replaced = await ofCalls(someCalls(3));
  test('replaces an older, longer file whole, through a link that stays', async () => {
    const { home } = replaced.operator;
    writeFileSync(join(home, 'real.csv'), 'old\n'.repeat(10_000));
    symlinkSync('real.csv', join(home, 'link.csv'));
    const outcome = await replaced.operator.run([...EXPORT, '--fields', 'call_id', '--out', 'link.csv']);
    expect(outcome).toMatchObject({ code: 0, stderr: '3 calls written to link.csv.\n' });
    expect(read(replaced.operator, 'real.csv')).toBe('call_id\r\ncall_1\r\ncall_2\r\ncall_3\r\n');
    const files = readdirSync(home, { withFileTypes: true }).filter(({ name }) => name.includes('.csv'));
    expect(files.map((file) => [file.name, file.isSymbolicLink()]).sort()).toEqual([
      ['link.csv', true],
      ['real.csv', false],
    ]);
  });
});

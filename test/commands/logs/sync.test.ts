/**
 * `logs sync`: a file that a daily run keeps up to date. Whatever the order and the days of the service, the file has every
 * call once; what is not a file of calls is refused and left as it is. What stops a run half-way is in `faults/sync.test.ts`.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { callAt, callsFrom, type DatedLog, datedLog, HOUR, idsOf } from '../../support/dated-log.ts';
import { aCall, type LogCall } from '../../support/hostile-log.ts';
import { type Answer, startServer, type TestServer } from '../../support/http.ts';
import { BIN, finished, freshEnvironment, Operator } from '../../support/program.ts';
import { UnderWay } from '../../support/under-way.ts';

const NOW = '2026-11-20T12:00:00Z';
const NOON = Date.parse(NOW);
const COLUMNS =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';

interface Shop {
  operator: Operator;
  server: TestServer;
  log: DatedLog;
}

/** A service and an operator of their own. Made while tests are collected: hooks of vitest do not work inside one. */
async function setUp(given: Partial<DatedLog> & Pick<DatedLog, 'calls'>, answer?: Answer): Promise<Shop> {
  const log: DatedLog = { order: 'newest first', ...given };
  const server = await startServer(answer ?? datedLog(log));
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { log, server, operator: new Operator({ env, frozenAt: NOW }) };
}

const syncTo = (file: string, ...more: string[]) => ['logs', 'sync', '--out', file, ...more];
const textOf = ({ home }: Operator, file: string) => readFileSync(join(home, file), 'utf8');

function callsIn(operator: Operator, file: string): LogCall[] {
  const text = textOf(operator, file);
  if (/\.csv$/i.test(file)) return parse(text, { columns: true, record_delimiter: '\r\n' }) as LogCall[];
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogCall);
}

/** What a person sees in the folder. */
const filesIn = ({ home }: Operator) => readdirSync(home).filter((name) => !name.startsWith('.'));

const startDates = ({ received }: TestServer) => [...new Set(received.map(({ query }) => query.get('start_date')))];

describe.concurrent('run after run, whatever the service does', async () => {
  const services: { file: string; log: Omit<DatedLog, 'calls'> }[] = [
    { file: 'calls.ndjson', log: { order: 'newest first', cap: 70 } },
    { file: 'calls.csv', log: { order: 'oldest first', cap: 70, zoneHours: -12 } },
    { file: 'calls.jsonl', log: { order: 'in no order', cap: 70, zoneHours: 14 } },
    { file: 'CALLS.CSV', log: { order: 'newest first', cap: 70, zoneHours: -8 } },
    { file: 'calls.csv', log: { order: 'in no order', cap: 70, page: () => ({ total: undefined, limit: 0 }) } },
  ];
  for (const { file, log: behaviour } of services) {
    const { order, zoneHours = 0 } = behaviour;
    // The latest call is made five minutes after midnight: whose day that is, is the service's affair.
    const latest = Date.parse('2026-11-15T00:05:00Z');
    const shop = await setUp({ calls: callsFrom(latest - 299 * HOUR, 300, HOUR), ...behaviour });
    test(`${file}, ${order}, days of UTC${zoneHours < 0 ? zoneHours : `+${zoneHours}`}`, async () => {
      const { operator, server, log } = shop;
      const first = await operator.run(syncTo(file));
      expect(first).toMatchObject({ code: 0, stdout: '', stderr: `300 new calls added to ${file} (300 in all).\n` });
      expect(startDates(server)).toEqual([null]);
      expect(idsOf(callsIn(operator, file))).toEqual(idsOf(log.calls));
      const bytes = textOf(operator, file);
      const { mtimeMs } = statSync(join(operator.home, file));

      server.received.length = 0;
      const second = await operator.run(syncTo(file));
      expect(second).toMatchObject({ code: 0, stderr: `0 new calls added to ${file} (300 in all).\n` });
      expect(startDates(server)).toEqual(['2026-11-13']);
      expect(textOf(operator, file)).toBe(bytes);
      expect(statSync(join(operator.home, file)).mtimeMs).toBe(mtimeMs);

      // Entries that come a day late, and five days of new ones.
      const late = callsFrom(latest - 24 * HOUR, 24, HOUR, 'late');
      const fresh = callsFrom(latest + 60_000, 250, HOUR / 2, 'fresh');
      log.calls = [...log.calls, ...late, ...fresh];
      const third = await operator.run(syncTo(file));
      expect(third).toMatchObject({ code: 0, stderr: `274 new calls added to ${file} (574 in all).\n` });
      expect(textOf(operator, file).startsWith(bytes)).toBe(true);
      expect(idsOf(callsIn(operator, file)).slice(300)).toEqual([...idsOf(late), ...idsOf(fresh)]);
      expect(filesIn(operator)).toEqual([file]);
    });
  }
});

describe.concurrent('what is in the file', async () => {
  const large = await setUp({ calls: callsFrom(NOON - 3000 * HOUR, 1234, HOUR) });
  test('counts are told as people write them; one call is one call', async () => {
    const { operator, log } = large;
    expect((await operator.run(syncTo('calls.ndjson'))).stderr).toBe(
      '1,234 new calls added to calls.ndjson (1,234 in all).\n',
    );
    log.calls.push(callAt(NOON - HOUR, 'one more'));
    expect((await operator.run(syncTo('calls.ndjson'))).stderr).toBe(
      '1 new call added to calls.ndjson (1,235 in all).\n',
    );
    expect((await operator.run(syncTo('calls.ndjson', '--quiet'))).stderr).toBe('');
  });

  const empty = await setUp({ calls: [] });
  test('no call at all: an empty file, or a header, and the next run goes on', async () => {
    const { operator, log } = empty;
    for (const file of ['calls.ndjson', 'calls.csv']) {
      expect(await operator.run(syncTo(file))).toMatchObject({
        code: 0,
        stderr: `0 new calls added to ${file} (0 in all).\n`,
      });
    }
    expect(textOf(operator, 'calls.ndjson')).toBe('');
    expect(textOf(operator, 'calls.csv')).toBe(`${COLUMNS}\r\n`);
    log.calls.push(callAt(NOON, 'call_1'));
    for (const file of ['calls.ndjson', 'calls.csv'])
      expect(await operator.run(syncTo(file))).toMatchObject({ code: 0 });
    expect(idsOf(callsIn(operator, 'calls.ndjson'))).toEqual(['call_1']);
    expect(textOf(operator, 'calls.csv').split('\r\n')).toHaveLength(3);
  });

  const odd = await setUp({
    calls: [
      callAt(NOON - HOUR, 'call_1', { cost: 0.35, tags: ['vip'], 'odd name': null }),
      aCall({ call_id: 'timeless', timestamp: 'yesterday', recording_url: undefined }),
    ],
  });
  test('NDJSON keeps what the service sends', async () => {
    const { operator, log } = odd;
    expect(await operator.run(syncTo('calls.ndjson'))).toMatchObject({ code: 0 });
    const sent = JSON.parse(JSON.stringify(log.calls)) as LogCall[];
    expect(callsIn(operator, 'calls.ndjson')).toEqual(sent.reverse());
  });

  /** Texts that a careless writer or reader of CSV breaks. */
  const TRICKY = [
    'Agent: "Hello," she said, "is this Ana?"',
    'line one\nline two\n\nline four',
    'line one\r\nline two\r\n',
    'say ""\r\ncall_0,1,2,3,4,5,6,7,8,9',
    'a lone\rcarriage return',
    '"',
    ',',
    '\n',
    '',
    'emoji 👩🏽‍💻📞, 漢字',
    'paragraph\u2028separator',
    'long '.repeat(100_000),
  ];
  const tricky = await setUp({
    // More than a day old: one that was completed and has no transcript would be held back.
    calls: TRICKY.map((transcript, at) => callAt(NOON - (50 - at) * HOUR, `call,"${at}"`, { transcript })),
  });
  test('a CSV with quotes and line breaks is read back, and goes on', async () => {
    const { operator, log } = tricky;
    expect(await operator.run(syncTo('calls.csv'))).toMatchObject({ code: 0 });
    log.calls.push(callAt(NOON, 'last', { transcript: 'line one\n"line two"' }));
    expect((await operator.run(syncTo('calls.csv'))).stderr).toBe('1 new call added to calls.csv (13 in all).\n');
    expect((await operator.run(syncTo('calls.csv'))).stderr).toBe('0 new calls added to calls.csv (13 in all).\n');
    const expected = log.calls.map((call) =>
      Object.fromEntries(Object.entries(call).map(([name, value]) => [name, String(value)])),
    );
    expect(callsIn(operator, 'calls.csv')).toEqual(expected);
  });

  const chosen = await setUp({ calls: callsFrom(NOON - 2 * HOUR, 2, HOUR) });
  test('a CSV goes on with the columns of its header, in any order, behind a byte order mark, after LF', async () => {
    const { operator } = chosen;
    const standing = '\ufefftimestamp,call_id,call_status\n2026-11-20T10:00:00.000Z,call_0,busy\n';
    writeFileSync(join(operator.home, 'calls.csv'), standing);
    expect(await operator.run(syncTo('calls.csv'))).toMatchObject({ code: 0 });
    expect(textOf(operator, 'calls.csv')).toBe(`${standing}2026-11-20T11:00:00.000Z,call_1,completed\r\n`);
  });

  test('--fields chooses the columns of a new file, and cannot change those of an old one', async () => {
    const { operator } = chosen;
    const fields = ['--fields', 'call_id,call_status'];
    expect(await operator.run(syncTo('few.csv', ...fields))).toMatchObject({ code: 0 });
    const few = 'call_id,call_status\r\ncall_0,completed\r\ncall_1,completed\r\n';
    expect(textOf(operator, 'few.csv')).toBe(few);
    expect(await operator.run(syncTo('few.csv', ...fields))).toMatchObject({ code: 0 });
    expect(await operator.run(syncTo('few.csv'))).toMatchObject({ code: 0 });
    const other = await operator.run(syncTo('few.csv', '--fields', 'call_status,call_id'));
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('differs from the header of few.csv') });
    expect(textOf(operator, 'few.csv')).toBe(few);
    expect(await operator.run(syncTo('few.ndjson', ...fields))).toMatchObject({ code: 0 });
    expect(textOf(operator, 'few.ndjson')).toBe(
      '{"call_id":"call_0","call_status":"completed"}\n{"call_id":"call_1","call_status":"completed"}\n',
    );
  });

  const future = await setUp({ calls: [callAt(NOON - 40 * 24 * HOUR, 'old'), callAt(NOON + 9000 * HOUR, 'ahead')] });
  test('a call that the service dates ahead does not hide the others', async () => {
    const { operator, log } = future;
    expect(await operator.run(syncTo('calls.ndjson'))).toMatchObject({ code: 0 });
    log.calls.push(callAt(NOON - 30 * 24 * HOUR, 'between'));
    expect((await operator.run(syncTo('calls.ndjson'))).stderr).toBe('1 new call added to calls.ndjson (3 in all).\n');
  });

  const echoing = await setUp({
    calls: [
      callAt(NOON, 'call of 20261120', {
        transcript: 'Your key is 20261120.',
        cost: 20261120,
        'field 20261120': true,
      }),
    ],
  });
  test('a key that the service echoes stays out, also one of digits', async () => {
    const { operator } = echoing;
    for (const file of ['calls.ndjson', 'calls.csv']) {
      const env = { VAGENT_API_KEY: '20261120' };
      for (let run = 0; run < 2; run++) expect(await operator.run(syncTo(file), { env })).toMatchObject({ code: 0 });
      expect(callsIn(operator, file)).toHaveLength(1);
      expect(callsIn(operator, file)[0]?.transcript).toBe('Your key is <API_KEY>.');
    }
    expect(callsIn(operator, 'calls.ndjson')[0]).toMatchObject({ cost: '<API_KEY>', 'field <API_KEY>': true });
  });

  const agents = await setUp({
    calls: [3, 4].flatMap((agent_id) =>
      callsFrom(NOON - 9 * HOUR, 9, HOUR, `of_${agent_id}`).map((call) => ({ ...call, agent_id })),
    ),
  });
  test('--agent: its calls alone, and never among those of others', async () => {
    const { operator } = agents;
    for (const file of ['calls.ndjson', 'calls.csv']) {
      expect(await operator.run(syncTo(file, '--agent', '4'))).toMatchObject({ code: 0 });
      expect(callsIn(operator, file).map(({ agent_id }) => Number(agent_id))).toEqual(Array(9).fill(4));
      const bytes = textOf(operator, file);
      const { code, stderr } = await operator.run(syncTo(file, '--agent', '3'));
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `vagent: ${file} holds calls of agent 4; nothing was changed.\n  → Keep the calls of --agent 3 in a file of their own.\n`,
      });
      expect(textOf(operator, file)).toBe(bytes);
    }
  });
});

describe.concurrent('a last line that was cut off', async () => {
  const calls = callsFrom(NOON - 40 * 24 * HOUR, 40, 24 * HOUR);
  const line = (call: LogCall | undefined) => JSON.stringify(call);
  const row = (id: string, rest: string) =>
    `${id},3,+14155550123,+14155550100,42,completed,x,2026-11-20T09:00:00Z,${rest}`;
  const cases: Record<string, { file: string; text: string; keeps: string }> = {
    'within a call': {
      file: 'calls.ndjson',
      text: `${line(calls[3])}\n{"call_id":"call_4","agent`,
      keeps: `${line(calls[3])}\n`,
    },
    'an export, newest first, of which only the beginning came': {
      file: 'calls.ndjson',
      text: `${line(calls[39])}\n${line(calls[38])}\n${line(calls[37])?.slice(0, 50)}`,
      keeps: `${line(calls[39])}\n${line(calls[38])}\n`,
    },
    'the only line': { file: 'calls.jsonl', text: '{"call_id":"call_4","agent', keeps: '' },
    'within a character': {
      file: 'calls.ndjson',
      text: `${line(calls[3])}\n{"call_id":"call_4","transcript":"\ud83d`,
      keeps: `${line(calls[3])}\n`,
    },
    'zeros, as a power cut leaves them': {
      file: 'calls.ndjson',
      text: `${line(calls[3])}\n${'\0'.repeat(40)}`,
      keeps: `${line(calls[3])}\n`,
    },
    'within a row': {
      file: 'calls.csv',
      text: `${COLUMNS}\r\n${row('call_3', '"a ""b""\r\nc",')}\r\ncall_4,3,+14`,
      keeps: `${COLUMNS}\r\n${row('call_3', '"a ""b""\r\nc",')}\r\n`,
    },
    'within quotes, after a line break': {
      file: 'calls.csv',
      text: `${COLUMNS}\r\n${row('call_3', '"Agent: ""Hello"",\r\nCustomer: one, two, three\r\n')}`,
      keeps: `${COLUMNS}\r\n`,
    },
    'within a doubled quote': {
      file: 'calls.csv',
      text: `${COLUMNS}\r\n${row('call_3', '"Agent: "')}`,
      keeps: `${COLUMNS}\r\n`,
    },
    'within the end of a row': {
      file: 'calls.csv',
      text: `${COLUMNS}\r\n${row('call_3', 'hm,')}\r`,
      keeps: `${COLUMNS}\r\n`,
    },
    'within the header': { file: 'calls.csv', text: COLUMNS.slice(0, 30), keeps: '' },
    'within the end of the header': { file: 'calls.csv', text: `${COLUMNS}\r`, keeps: '' },
  };
  for (const [name, { file, text, keeps }] of Object.entries(cases)) {
    const { operator, server } = await setUp({ calls, cap: 9 });
    test(name, async () => {
      writeFileSync(join(operator.home, file), text);
      const { code, stderr } = await operator.run(syncTo(file));
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(
          /^The last line of calls\.\w+ was cut off: .+\n\d+ new calls added .+ \(40 in all\)\.\n$/,
        ),
      });
      expect(textOf(operator, file).startsWith(keeps)).toBe(true);
      expect(idsOf(callsIn(operator, file)).sort()).toEqual(idsOf(calls).sort());
      // Nobody knows what else that file lacks.
      expect(startDates(server)).toEqual([null]);
    });
  }

  const { operator } = await setUp({ calls, cap: 9 });
  test('a last call that lacks only its line break is kept', async () => {
    writeFileSync(join(operator.home, 'calls.ndjson'), `${calls.map(line).slice(0, 39).join('\n')}`);
    const { code, stderr } = await operator.run(syncTo('calls.ndjson'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 new call added to calls.ndjson (40 in all).\n' });
    expect(textOf(operator, 'calls.ndjson')).toBe(`${calls.map(line).join('\n')}\n`);
  });
});

describe.concurrent('what is no file of calls is refused, by file and line, and stays as it is', async () => {
  const good = JSON.stringify(aCall());
  const row = 'call_1,3,+14155550123,+14155550100,42,completed,x,2026-11-20T09:00:00Z,';
  const rows = (count: number) => `${row}"line one\r\nline two",\r\n`.repeat(count);
  const foreign: Record<string, { file: string; content: string | Buffer; says: RegExp }> = {
    'a JSON document': { file: 'a.ndjson', content: '{\n  "calls": []\n}\n', says: /a\.ndjson: line 1 is not a call/ },
    'a JSON document on one line': {
      file: 'a.ndjson',
      content: '{"name":"vagent"}',
      says: /line 1 is not the beginning of a call/,
    },
    'a JSON array': { file: 'a.jsonl', content: '[1,2]\n', says: /a\.jsonl: line 1 is not a call/ },
    text: { file: 'a.ndjson', content: 'Dear Ann,\nsee you soon.\n', says: /line 1 is not a call/ },
    'text without a line break': {
      file: 'a.csv',
      content: 'Dear Ann',
      says: /line 1 is not the beginning of a header/,
    },
    zeros: { file: 'a.ndjson', content: Buffer.alloc(5000), says: /line 1 is not the beginning of a call/ },
    'a line without end': { file: 'a.ndjson', content: Buffer.alloc(17 << 20, 'x'), says: /line 1 does not end/ },
    'a CSV under the name of NDJSON': {
      file: 'a.ndjson',
      content: `${COLUMNS}\r\n${rows(1)}`,
      says: /line 1 is not a call/,
    },
    'NDJSON under the name of a CSV': {
      file: 'a.csv',
      content: `${good}\n`,
      says: /line 1 (should be a header|has a quote)/,
    },
    'a call without call_id': {
      file: 'a.ndjson',
      content: `${good}\n{"call_status":"busy"}\n${good}\n`,
      says: /line 2 is not a call/,
    },
    'damage in the middle': {
      file: 'a.ndjson',
      content: `${good}\n\n${good.slice(0, 40)}\n${good}\n`,
      says: /line 3 is not a call/,
    },
    'a last line of something else': {
      file: 'a.ndjson',
      content: `${good}\n# checked by Ann`,
      says: /line 2 is not the beginning/,
    },
    'bytes that are not UTF-8': {
      file: 'a.ndjson',
      content: Buffer.concat([Buffer.from(`${good}\n{"call_id":"`), Buffer.from([0xff]), Buffer.from(`"}\n${good}\n`)]),
      says: /line 2 is not UTF-8/,
    },
    contacts: {
      file: 'a.csv',
      content: 'phone_number,name\r\n+14155550190,Ann\r\n',
      says: /line 1 should be a header with call_id/,
    },
    'a header with an unknown column': {
      file: 'a.csv',
      content: `${COLUMNS},colour\r\n`,
      says: /header whose column 11 is none of the call log/,
    },
    'cells between semicolons': {
      file: 'a.csv',
      content: `${COLUMNS.replaceAll(',', ';')}\r\n`,
      says: /line 1 should be a header/,
    },
    'a row that is too short': {
      file: 'a.csv',
      content: `${COLUMNS}\r\n${rows(2)}call_3,3\r\n${rows(1)}`,
      says: /a\.csv: line 6 has 2 cells, where the header has 10/,
    },
    'a row without call_id': {
      file: 'a.csv',
      content: `${COLUMNS}\r\n${rows(1)}${rows(1).slice(6)}`,
      says: /line 4 has no call_id/,
    },
    'a quote too many': {
      file: 'a.csv',
      content: `${COLUMNS}\r\n${rows(1)}${row}say "hi,\r\n${rows(2)}`,
      says: /line 4 has a quote where none belongs/,
    },
    'a quote that swallows the rows after it': {
      file: 'a.csv',
      content: `${COLUMNS}\r\n${rows(1)}${row}"hi,\r\n${`${row},\r\n`.repeat(3)}`,
      says: /line 4 is not the beginning of a row/,
    },
  };
  for (const [name, { file, content, says }] of Object.entries(foreign)) {
    const { operator, server } = await setUp({ calls: callsFrom(NOON - HOUR, 1, HOUR) });
    test(name, async () => {
      writeFileSync(join(operator.home, file), content);
      const { code, stdout, stderr } = await operator.run(syncTo(file));
      expect({ code, stdout, stderr }).toEqual({ code: 9, stdout: '', stderr: expect.stringMatching(says) });
      expect(readFileSync(join(operator.home, file)).equals(Buffer.from(content))).toBe(true);
      expect(server.received).toEqual([]);
      expect(filesIn(operator)).toEqual([file]);
    });
  }

  const { operator } = await setUp({ calls: [] });
  const { home } = operator;
  writeFileSync(join(home, 'file'), '');
  mkdirSync(join(home, 'folder.csv'));
  symlinkSync('/dev/null', join(home, 'null.csv'));
  symlinkSync('/proc/sys/kernel/ostype', join(home, 'kernel.csv'));
  const places: Record<string, { path: string; says: RegExp; isSkipped?: boolean }> = {
    'a folder': { path: 'folder.csv', says: /Cannot write folder\.csv: it is not an ordinary file\./ },
    'a device': { path: 'null.csv', says: /Cannot write null\.csv: it is not an ordinary file\./ },
    'below a folder that is not there': {
      path: 'none/calls.csv',
      says: /Cannot write none\/calls\.csv: its folder does not exist\./,
    },
    'below a file': { path: 'file/calls.csv', says: /Cannot write file\/calls\.csv: a part of the path is a file/ },
    'a file that cannot be written': {
      path: 'kernel.csv',
      says: /Cannot write kernel\.csv: permission is denied\./,
      isSkipped: !existsSync('/proc/sys/kernel/ostype'),
    },
  };
  for (const [name, { path, says, isSkipped = false }] of Object.entries(places)) {
    test.skipIf(isSkipped)(name, async () => {
      expect(await operator.run(syncTo(path))).toMatchObject({
        code: 9,
        stdout: '',
        stderr: expect.stringMatching(says),
      });
    });
  }

  const usages: Record<string, { args: string[]; says: RegExp }> = {
    'no --out': { args: ['logs', 'sync'], says: /Missing: --out\./ },
    'standard output': { args: syncTo('-'), says: /--out - must end in \.ndjson, \.jsonl or \.csv\./ },
    'another extension': { args: syncTo('calls.json'), says: /must end in/ },
    'no extension': { args: syncTo('my.csv/calls'), says: /must end in/ },
    'an unknown column': { args: syncTo('calls.csv', '--fields', 'call_id,colour'), says: /unknown colour/ },
    'columns without call_id': {
      args: syncTo('calls.csv', '--fields', 'timestamp'),
      says: /--fields must include call_id/,
    },
  };
  for (const [name, { args, says }] of Object.entries(usages)) {
    test(`${name}: exit 2`, async () => {
      expect(await operator.run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
      expect(filesIn(operator)).not.toContain('calls.csv');
    });
  }
});

describe.concurrent('two at a time, and failures', async () => {
  const held: { resume?: () => void } = {};
  const log: DatedLog = { calls: callsFrom(NOON - 30 * HOUR, 30, HOUR), order: 'newest first', cap: 10 };
  const busy = await setUp(log, async (request, response) => {
    if (request.query.get('offset') === '10' && held.resume === undefined) {
      await new Promise<void>((resolve) => {
        held.resume = resolve;
      });
    }
    return datedLog(log)(request, response);
  });
  test('two runs on one file do not mix: the second says who is at it, also through a link', async () => {
    const { operator } = busy;
    writeFileSync(join(operator.home, 'calls.csv'), '');
    symlinkSync('calls.csv', join(operator.home, 'link.csv'));
    const first = operator.start(syncTo('calls.csv'));
    const outcome = finished(first);
    await vi.waitUntil(() => held.resume !== undefined, { timeout: 60_000 });
    for (const name of ['calls.csv', 'link.csv']) {
      const { code, stderr } = await operator.run(syncTo(name));
      const says = `vagent: ${name} is locked by process ${first.pid} (vagent logs sync --out calls.csv).\n`;
      expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(says) });
    }
    expect(await operator.run(syncTo('other.csv'))).toMatchObject({ code: 0 });
    held.resume?.();
    expect(await outcome).toMatchObject({ code: 0, stderr: '30 new calls added to calls.csv (30 in all).\n' });
    expect((await operator.run(syncTo('link.csv'))).stderr).toBe('0 new calls added to link.csv (30 in all).\n');
  });

  const changed: { by?: () => void } = {};
  const meddled = await setUp(log, (request, response) => {
    changed.by?.();
    return datedLog(log)(request, response);
  });
  test('a file that somebody else changes meanwhile is not written over', async () => {
    const { operator } = meddled;
    const path = join(operator.home, 'calls.ndjson');
    writeFileSync(path, '');
    changed.by = () => writeFileSync(path, 'mine\n');
    const { code, stderr } = await operator.run(syncTo('calls.ndjson'));
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining('changed by another program') });
    expect(textOf(operator, 'calls.ndjson')).toBe('mine\n');
  });

  for (const order of ['newest first', 'oldest first'] as const) {
    const ill = await setUp({ calls: callsFrom(NOON - 900 * HOUR, 60, 12 * HOUR), order, cap: 7 });
    test(`a service that fails half-way: the next run completes it (${order})`, async () => {
      const { operator } = ill;
      const { log } = ill;
      // From the third page on there is nothing to be had.
      const failing: DatedLog['instead'] = (number) =>
        number > 2 ? { status: 500, body: { message: 'Out of order.' } } : undefined;
      const failsThenCompletes = async (file: string) => {
        const standing = existsSync(join(operator.home, file)) ? textOf(operator, file) : undefined;
        log.requests = 0;
        log.instead = failing;
        const { code, stderr } = await operator.run([...syncTo(file), '--timeout', '3s']);
        expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(/\(500\).*Out of order/) });
        expect(existsSync(join(operator.home, file)) ? textOf(operator, file) : undefined).toBe(standing);
        log.instead = undefined;
        expect(await operator.run(syncTo(file))).toMatchObject({ code: 0 });
        expect(idsOf(callsIn(operator, file))).toEqual(idsOf(log.calls));
      };
      await failsThenCompletes('calls.ndjson');
      log.calls = [...log.calls, ...callsFrom(NOON - 150 * HOUR, 40, HOUR, 'new')];
      await failsThenCompletes('calls.ndjson');
    });
  }

  const waiting = await setUp({ calls: [] }, () => {});
  test('Ctrl-C: exit 130, the file is as it was, and nothing lies about', async () => {
    const { operator, server } = waiting;
    const line = `${JSON.stringify(aCall())}\n`;
    writeFileSync(join(operator.home, 'calls.ndjson'), line);
    const command = UnderWay.here(operator, syncTo('calls.ndjson'));
    await vi.waitUntil(() => server.received.length === 1, { timeout: 60_000 });
    expect(await command.interrupt()).toMatchObject({ code: 130 });
    expect(textOf(operator, 'calls.ndjson')).toBe(line);
    expect(readdirSync(operator.home).filter((name) => name.includes('.vagent'))).toEqual([]);
  });

  const full = await setUp({ calls: callsFrom(NOON - 900 * HOUR, 300, HOUR) });
  test.skipIf(process.platform === 'win32')('a file that may not grow: exit 9, and the next run goes on', async () => {
    const { operator } = full;
    const env = {
      ...freshEnvironment(operator.home, { frozenAt: NOW }),
      VAGENT_BASE_URL: full.server.url,
      VAGENT_ORG_ID: '7',
      VAGENT_API_KEY: 'key-of-tests',
    };
    // The shell counts in blocks of 512 bytes.
    const limited = spawn(
      'sh',
      ['-c', 'ulimit -f 40; exec "$@"', 'sh', process.execPath, BIN, ...syncTo('calls.ndjson')],
      { cwd: operator.home, env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const { code, stderr } = await finished(limited);
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: expect.stringMatching(/Cannot write calls\.ndjson: .+\n.+run it again/),
    });
    expect(await operator.run(syncTo('calls.ndjson'))).toMatchObject({ code: 0 });
    expect(idsOf(callsIn(operator, 'calls.ndjson'))).toEqual(idsOf(full.log.calls));
  });
});

describe.concurrent('on the local engine', () => {
  test('with time passing between the runs', async () => {
    const operator = new Operator({ frozenAt: NOW, env: { VAGENT_LOCAL: '1' } });
    const contacts = Array.from({ length: 400 }, (_none, at) => `+1415555${1000 + at}`);
    writeFileSync(join(operator.home, 'contacts.csv'), `phone_number\n${contacts.join('\n')}\n`);
    const campaign = ['campaign', 'create', '--name', 'Spring', '--agent', '1', '--from', '+14155550100'];
    const pace = [
      '--contacts',
      'contacts.csv',
      '--calls-per-hour',
      '4',
      '--retry-attempts',
      '1',
      '--retry-delay',
      '2d',
    ];
    await operator.json([...campaign, ...pace]);
    const sync = async (...files: string[]) => {
      for (const file of files) expect(await operator.run(syncTo(file))).toMatchObject({ code: 0 });
    };
    await sync('calls.ndjson');
    for (const time of ['1d', '5d', '1h']) {
      await operator.json(['local', 'advance', time]);
      await sync('calls.ndjson', ...(time === '5d' ? ['calls.csv'] : []));
    }
    await operator.json(['local', 'advance', '30d']);
    await sync('calls.ndjson', 'calls.csv');
    const { calls } = await operator.json<{ calls: LogCall[] }>(['logs', 'list', '--all']);
    expect(calls.length).toBeGreaterThan(500);
    for (const file of ['calls.ndjson', 'calls.csv']) {
      expect(idsOf(callsIn(operator, file))).toEqual(idsOf(calls).reverse());
    }
  });
});

/**
 * Every matching call exactly once, whatever the service does with its pages, and a file that is whole or not there.
 * The built program reads from real servers; what the interface does not show about paging is a row of a table here.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { run } from '../../../src/commands/logs/export.ts';
import { testContext } from '../../support/context.ts';
import { namesIn } from '../../support/files.ts';
import { aCall, ENDLESS, hostileLog, type LogBehaviour, type LogCall, someCalls } from '../../support/hostile-log.ts';
import { type Answer, sendJson, startServer, type TestServer } from '../../support/http.ts';
import { Operator, type Outcome } from '../../support/program.ts';
import { UnderWay } from '../../support/under-way.ts';

const COLUMNS =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';

interface Shop {
  operator: Operator;
  server: TestServer;
}

/** A service and an operator of their own. Made while tests are collected: hooks of vitest do not work inside one. */
async function setUp(answer: Answer): Promise<Shop> {
  const server = await startServer(answer);
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { server, operator: new Operator({ env }) };
}

interface Way {
  args: readonly string[];
  /** The calls it gave. */
  read(outcome: Outcome, operator: Operator): LogCall[];
}

/** The three ways to have every call. */
const ways: Record<string, Way> = {
  'logs export --out': {
    args: ['logs', 'export', '--format', 'ndjson', '--out', 'calls.ndjson'],
    read: (_outcome, { home }) => parseLines(readFileSync(join(home, 'calls.ndjson'), 'utf8')),
  },
  'logs export': {
    args: ['logs', 'export', '--format', 'ndjson'],
    read: ({ stdout }) => parseLines(stdout),
  },
  'logs list --all': {
    args: ['logs', 'list', '--all', '--json'],
    read: ({ stdout }) => (JSON.parse(stdout) as { calls: LogCall[] }).calls,
  },
};

function parseLines(text: string): LogCall[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogCall);
}

const idsOf = (calls: readonly LogCall[]) => calls.map(({ call_id }) => call_id).sort();

/** New calls at the head of a log that is newest first, or at the tail of one that is oldest first. */
const arrive = (log: LogCall[], count: number, place: 'head' | 'tail', page: number) => {
  const arrivals = someCalls(count, `late_${page}`);
  if (place === 'head') log.unshift(...arrivals);
  else log.push(...arrivals);
};

interface Complete extends LogBehaviour {
  /** Calls that came while the log was read may be shown, at most once; the others must be. */
  maySeeArrivals?: true;
  /** Calls that went away while the log was read may be missing. */
  mayMissGone?: true;
}

/** Services from which every call can be had. */
const complete: Record<string, Complete> = {
  'an honest service, 1000 a page': { calls: someCalls(2500), cap: 1000 },
  'one page that is exactly full': { calls: someCalls(1000), cap: 1000 },
  'two pages that are exactly full': { calls: someCalls(2000), cap: 1000 },
  'no call at all': { calls: [] },
  'no call at all, and no total': { calls: [], page: () => ({ total: undefined }) },
  'one call': { calls: someCalls(1) },

  'the page is capped far below what was asked for': { calls: someCalls(25), cap: 7 },
  'one call a page': { calls: someCalls(9), cap: 1 },
  'pages of uneven size': { calls: someCalls(25), cap: ({ number }) => [7, 3, 10, 1][number % 4] ?? 1 },
  'limit is the number asked for': { calls: someCalls(25), page: ({ limit }) => ({ limit }) },
  'limit is the number returned, less on the last page': {
    calls: someCalls(25),
    page: (_request, { calls }) => ({ limit: calls.length }),
  },
  'limit and offset are missing': { calls: someCalls(25), page: () => ({ limit: undefined, offset: undefined }) },
  'limit and offset are nonsense': { calls: someCalls(25), page: () => ({ limit: 0, offset: 99 }) },

  'new calls come first between pages (newest first: rows shift)': {
    calls: someCalls(25),
    before: ({ number }, log) => number > 1 && number < 6 && arrive(log, 2, 'head', number),
    maySeeArrivals: true,
  },
  'as many new calls between two pages as a page holds': {
    calls: someCalls(25),
    before: ({ number }, log) => (number === 2 || number === 3) && arrive(log, 10, 'head', number),
    maySeeArrivals: true,
  },
  'more new calls between two pages than three pages hold': {
    calls: someCalls(95),
    before: ({ number }, log) => number === 9 && arrive(log, 45, 'head', number),
    maySeeArrivals: true,
  },
  'new calls come last between pages (oldest first)': {
    calls: someCalls(25),
    before: ({ number }, log) => number > 1 && number < 6 && arrive(log, 2, 'tail', number),
    maySeeArrivals: true,
  },
  'a new call comes while the last page is read': {
    calls: someCalls(20),
    before: ({ number }, log) => number === 2 && arrive(log, 1, 'tail', number),
    maySeeArrivals: true,
  },

  'total goes up and down while reading': {
    calls: someCalls(45),
    page: ({ number }) => ({ total: [45, 60, 12, 48, 40][number - 1] ?? 45 }),
  },
  'total is missing': { calls: someCalls(25), page: () => ({ total: undefined }) },
  'total is missing, the last page full': { calls: someCalls(20), page: () => ({ total: undefined }) },
  'total is null': { calls: someCalls(25), page: () => ({ total: null }) },
  'total is on the first page only': {
    calls: someCalls(25),
    page: ({ number }, { total }) => ({ total: number === 1 ? total : undefined }),
  },
  'total is a string': { calls: someCalls(25), page: (_request, { total }) => ({ total: String(total) }) },
  'total is understated': { calls: someCalls(25), page: () => ({ total: 12 }) },
  'total is always 0': { calls: someCalls(25), page: () => ({ total: 0 }) },
  'total is -1': { calls: someCalls(25), page: () => ({ total: -1 }) },
  'total is the number in the page': {
    calls: someCalls(25),
    page: (_request, { calls }) => ({ total: calls.length }),
  },
  'total is the number in the page, and the pages are of uneven size': {
    calls: someCalls(25),
    cap: ({ number }) => [10, 4, 6, 2][number - 1] ?? 3,
    page: (_request, { calls }) => ({ total: calls.length }),
  },
  'total is overstated at first and right at the end': {
    calls: someCalls(25),
    page: ({ number }) => ({ total: number === 1 ? 30 : 25 }),
  },

  'an empty page in the middle, once': {
    calls: someCalls(25),
    page: ({ number }) => (number === 2 ? { calls: [], limit: 0 } : {}),
  },
  'two empty pages in the middle': {
    calls: someCalls(25),
    page: ({ number }) => (number === 2 || number === 3 ? { calls: [], limit: 0 } : {}),
  },
  'the first page is empty, though there are calls': {
    calls: someCalls(25),
    page: ({ number }) => (number === 1 ? { calls: [], limit: 0 } : {}),
  },
  'an empty page at the end': { calls: someCalls(20), page: () => ({ total: undefined }) },

  'the first page in place of the second': {
    calls: someCalls(25),
    page: ({ number }, _honest, log) => (number === 2 ? { calls: log.slice(0, 10) } : {}),
  },
  'every third answer is the page before': {
    calls: someCalls(35),
    page: ({ number, offset }, honest, log) =>
      number % 3 === 0 ? { calls: log.slice(Math.max(0, offset - 10), offset) } : honest,
  },
  'calls go away while the log is read, and those behind them move forward': {
    calls: [...someCalls(8, 'gone'), ...someCalls(45)],
    before: ({ number }, log) => number > 1 && number < 6 && log.splice(0, 2),
    mayMissGone: true,
  },

  'every page begins with the end of the page before': {
    calls: someCalls(25),
    page: ({ offset }, _honest, log) => ({ calls: log.slice(Math.max(0, offset - 2), offset + 8) }),
  },
  'every call comes twice': { calls: someCalls(25).flatMap((call) => [call, call]), page: () => ({ total: 25 }) },
  'offset is ignored, and the one page holds all': {
    calls: someCalls(25),
    page: (_request, _honest, log) => ({ calls: [...log], offset: 0 }),
  },
  'offset is ignored, the one page holds all, and no total': {
    calls: someCalls(25),
    page: (_request, _honest, log) => ({ calls: [...log], total: undefined, offset: 0 }),
  },
};

describe.concurrent('every call exactly once', () => {
  for (const [name, { maySeeArrivals, mayMissGone, ...behaviour }] of Object.entries(complete)) {
    describe(name, async () => {
      for (const [wayName, { args, read }] of Object.entries(ways)) {
        const { operator, server } = await setUp(hostileLog(behaviour));
        test(wayName, async () => {
          const outcome = await operator.run(args);
          expect(outcome).toMatchObject({ code: 0 });
          const given = idsOf(read(outcome, operator));
          expect(new Set(given).size, 'no call twice').toBe(given.length);
          const kept = maySeeArrivals ? given.filter((id) => !id.startsWith('late_')) : given;
          const stays = (id: string) => !mayMissGone || !id.startsWith('gone_');
          expect(kept.filter(stays)).toEqual([...new Set(idsOf(behaviour.calls))].filter(stays));
          expect(server.received.length).toBeLessThan(ENDLESS);
        });
      }
    });
  }
});

/** A page that fails is requested again until its time is over. */
const SOON = ['--timeout', '3s'];

/** Services that end, fail or go round in circles before they have shown as many calls as they count. */
const incomplete: Record<string, { answer: () => Answer; says: RegExp; flags?: string[] }> = {
  'fewer calls than total says': {
    answer: () => hostileLog({ calls: someCalls(25), page: () => ({ total: 30 }) }),
    says: /counts 30 calls but showed 25\./,
  },
  'none of the calls that total counts': {
    answer: () => hostileLog({ calls: [], page: () => ({ total: 3 }) }),
    says: /counts 3 calls but showed 0\./,
  },
  'the first page again and again: offset is ignored': {
    answer: () =>
      hostileLog({ calls: someCalls(25), page: (_request, _honest, log) => ({ calls: log.slice(0, 10), offset: 0 }) }),
    says: /counts 25 calls but showed 10\./,
  },
  'the last page again and again': {
    answer: () =>
      hostileLog({
        calls: someCalls(40),
        page: ({ number }, honest, log) => (number > 2 ? { calls: log.slice(10, 20) } : honest),
      }),
    says: /counts 40 calls but showed 20\./,
  },
  'nothing but empty pages after the first': {
    answer: () => hostileLog({ calls: someCalls(25), page: ({ number }) => (number > 1 ? { calls: [] } : {}) }),
    says: /counts 25 calls but showed 10\./,
  },
  'a hole: the second page stays empty, the third does not': {
    answer: () => hostileLog({ calls: someCalls(25), page: ({ offset }) => (offset === 10 ? { calls: [] } : {}) }),
    says: /counts 25 calls but showed 10\./,
  },
  'the third page fails with 500, whenever it is asked for': {
    answer: () => failingFrom(3, fails),
    flags: SOON,
    says: /\(500\).*out of order/,
  },
  'the third page is refused with 429 again and again': {
    answer: () => failingFrom(3, (response) => sendJson(response, 429, { message: 'Slow down.' })),
    flags: SOON,
    says: /\(429\).*Slow down/,
  },
  'the third page breaks off again and again': {
    answer: () =>
      failingFrom(3, (response) => {
        response.writeHead(200, { 'content-length': 5000 }).write('{"success": true, "calls": [{"call_id": "ca');
        setTimeout(() => response.destroy(), 20);
      }),
    flags: SOON,
    says: /did not answer/,
  },
  'the third page is never JSON': {
    answer: () => failingFrom(3, (response) => response.end('{"success": true, "calls": [')),
    flags: SOON,
    says: /not as the interface says/,
  },
  'the third page is a redirect': {
    answer: () => failingFrom(3, (response) => response.writeHead(302, { location: '/elsewhere' }).end()),
    says: /redirect/,
  },
};

type Failure = (response: Parameters<Answer>[1]) => void;

const fails: Failure = (response) => sendJson(response, 500, { message: 'The log is out of order.' });

/** From that page on every request fails, in the same way. */
function failingFrom(page: number, failure: Failure): Answer {
  const answer = hostileLog({ calls: someCalls(45) });
  return (request, response) =>
    Number(request.query.get('offset')) >= (page - 1) * 10 ? failure(response) : answer(request, response);
}

describe.concurrent('less than was counted is a failure, and nothing half-written stands under the name', () => {
  const OLD = 'what was exported yesterday\n';

  /** Exit 7 with one clear sentence, after a number of requests that shows an end. */
  const expectFailure = ({ code, stderr }: Outcome, says: RegExp, server: TestServer) => {
    expect(stderr).toMatch(says);
    expect(code).toBe(7);
    expect(stderr.split('\n').filter((line) => line.startsWith('vagent: '))).toHaveLength(1);
    expect(server.received.length).toBeLessThan(ENDLESS);
  };

  for (const [name, { answer, says, flags = [] }] of Object.entries(incomplete)) {
    describe(name, async () => {
      const filed = await setUp(answer());
      test('--out: an old file stays as it was, and alone', async () => {
        writeFileSync(join(filed.operator.home, 'calls.csv'), OLD);
        expectFailure(await filed.operator.run(['logs', 'export', '--out', 'calls.csv', ...flags]), says, filed.server);
        expect(readFileSync(join(filed.operator.home, 'calls.csv'), 'utf8')).toBe(OLD);
        expect(namesIn(filed.operator.home).filter((file) => !LEFT_FOR_RESUME.includes(file))).toEqual(['calls.csv']);
      });

      const piped = await setUp(answer());
      test('standard output: the exit code tells', async () => {
        expectFailure(await piped.operator.run(['logs', 'export', ...flags]), says, piped.server);
      });

      const listed = await setUp(answer());
      test('logs list --all --json: no document at all', async () => {
        const outcome = await listed.operator.run(['logs', 'list', '--all', '--json', ...flags]);
        expect(outcome.stdout).toBe('');
        expect(JSON.parse(outcome.stderr)).toMatchObject({
          error: { exit_code: 7, message: expect.stringMatching(says) },
        });
        expect(outcome.code).toBe(7);
        expect(listed.server.received.length).toBeLessThan(ENDLESS);
      });
    });
  }

  for (const name of [
    'fewer calls than total says',
    'none of the calls that total counts',
    'the third page breaks off again and again',
  ]) {
    describe(name, async () => {
      const { answer, says, flags = [] } = incomplete[name] as (typeof incomplete)[string];
      const { operator, server } = await setUp(answer());
      test('--out: no file where there was none', async () => {
        expectFailure(await operator.run(['logs', 'export', '--out', 'calls.csv', ...flags]), says, server);
        expect(namesIn(operator.home).filter((file) => !LEFT_FOR_RESUME.includes(file))).toEqual([]);
      });
    });
  }

  /** What `--resume` goes on with, where a page had come (test/resume.test.ts). */
  const LEFT_FOR_RESUME = ['.calls.csv.vagent/checkpoint', '.calls.csv.vagent/rows'];
});

/** Texts that a careless writer or reader of CSV breaks. */
const TRICKY = [
  'Agent: "Hello," she said, "is this Ana?"',
  'line one\nline two\n\nline four',
  'line one\r\nline two',
  'a lone\rcarriage return',
  '"',
  '""',
  ',',
  '\n',
  ' spaces at both ends ',
  'tab\there',
  'emoji 👩🏽‍💻📞, umlauts ÄÖÜß, 漢字, العربية',
  '=HYPERLINK("http://evil.test")',
  '-1',
  '007',
  '\ufeffbegins with a byte order mark',
  'paragraph\u2028separator',
  "it's; semicolons | bars",
  'long '.repeat(20_000),
  '',
];

describe.concurrent('CSV', async () => {
  const calls = TRICKY.map((transcript, at) => aCall({ call_id: `call_${at}`, transcript, call_outcome: transcript }));
  const { operator } = await setUp(hostileLog({ calls, cap: 4 }));
  /** As any reader does that takes every kind of line break for one, unless it is quoted. */
  const readCsv = (text: string) =>
    parse(text, { columns: true, record_delimiter: ['\r\n', '\n', '\r'] }) as Record<string, string>[];
  const asText = (call: LogCall) =>
    Object.fromEntries(Object.entries(call).map(([name, value]) => [name, String(value)]));

  test('reads back equal, from a file', async () => {
    expect(await operator.run(['logs', 'export', '--out', 'calls.csv'])).toMatchObject({ code: 0, stdout: '' });
    const text = readFileSync(join(operator.home, 'calls.csv'), 'utf8');
    expect(readCsv(text)).toEqual(calls.map(asText));
  });

  const piped = await setUp(hostileLog({ calls, cap: 4 }));
  test('reads back equal, from standard output, which is the same bytes as RFC 4180 has them', async () => {
    const { code, stdout } = await piped.operator.run(['logs', 'export', '--format', 'csv']);
    expect(code).toBe(0);
    expect(readCsv(stdout)).toEqual(calls.map(asText));
    expect(stdout.startsWith(`${COLUMNS}\r\ncall_0,3,+14155550123,+14155550100,42,completed,`)).toBe(true);
    expect(stdout.endsWith('\r\n')).toBe(true);
    // Outside of quotes every line ends with CR LF, and every line has the same number of cells.
    const bare = stdout.replace(/"(?:[^"]|"")*"/g, 'Q');
    expect(bare.replaceAll('\r\n', '')).not.toMatch(/[\r\n"]/);
    expect(
      new Set(
        bare
          .trimEnd()
          .split('\r\n')
          .map((line) => line.split(',').length),
      ),
    ).toEqual(new Set([10]));
  });

  const sparse = await setUp(
    hostileLog({
      calls: [
        aCall({ transcript: null, recording_url: undefined, call_duration: null, cost: 1.5 }),
        { call_id: 'bare' },
        aCall({ call_id: 'nested', call_outcome: 'a,b', timestamp: '' }),
      ],
    }),
  );
  test('what is null or missing is an empty cell, unknown fields have no column', async () => {
    const { code, stdout } = await sparse.operator.run(['logs', 'export']);
    expect(code).toBe(0);
    expect(stdout.split('\r\n')).toEqual([
      COLUMNS,
      'call_1,3,+14155550123,+14155550100,,completed,lead_qualified,2026-11-20T09:00:00Z,,',
      'bare,,,,,,,,,',
      'nested,3,+14155550123,+14155550100,42,completed,"a,b",,Agent: Hello.,https://recordings.test/1.mp3',
      '',
    ]);
  });
});

describe.concurrent('NDJSON and JSON keep what the service sends', async () => {
  const calls = [
    aCall({ cost: 0.35, tags: ['new', 'vip'], meta: { attempt: 2, by: null }, transcript: TRICKY.join('\n') }),
    aCall({ call_id: 'call_2', transcript: null, recording_url: undefined, 'odd name': '', ünï: '👋' }),
  ];
  const sent = JSON.parse(JSON.stringify(calls)) as LogCall[];
  const formats: Record<string, (text: string) => unknown> = { ndjson: parseLines, json: (text) => JSON.parse(text) };
  for (const [format, read] of Object.entries(formats)) {
    const { operator } = await setUp(hostileLog({ calls, cap: 1 }));
    test(format, async () => {
      const { code } = await operator.run(['logs', 'export', '--format', format, '--out', 'calls']);
      expect(code).toBe(0);
      expect(read(readFileSync(join(operator.home, 'calls'), 'utf8'))).toEqual(sent);
    });
  }

  const { operator } = await setUp(hostileLog({ calls, page: () => ({ region: 'eu', next: null }) }));
  test('logs list --all --json, with the unknown fields of the answer', async () => {
    const answer = await operator.json(['logs', 'list', '--all']);
    expect(answer).toMatchObject({ success: true, total: 2, calls: sent, region: 'eu', next: null });
  });
});

describe.concurrent('zero calls', async () => {
  const expected = { csv: `${COLUMNS}\r\n`, ndjson: '', json: '[]\n' };
  for (const [format, text] of Object.entries(expected)) {
    const { operator } = await setUp(hostileLog({ calls: [] }));
    test(`${format} is ${JSON.stringify(text.slice(-20))}`, async () => {
      const piped = await operator.run(['logs', 'export', '--format', format]);
      expect(piped).toMatchObject({ code: 0, stdout: text });
      const filed = await operator.run(['logs', 'export', '--format', format, '--out', 'calls']);
      expect(filed).toMatchObject({ code: 0, stdout: '' });
      expect(readFileSync(join(operator.home, 'calls'), 'utf8')).toBe(text);
    });
  }
});

describe.concurrent('the columns', async () => {
  const calls = [aCall(), aCall({ call_id: 'call_2', call_status: 'busy' })];
  const cases: { args: string[]; expected: string }[] = [
    {
      args: ['--fields', 'call_status,call_id'],
      expected: 'call_status,call_id\r\ncompleted,call_1\r\nbusy,call_2\r\n',
    },
    { args: ['--fields', 'call_id'], expected: 'call_id\r\ncall_1\r\ncall_2\r\n' },
    { args: ['--fields', 'call_id', '--no-header'], expected: 'call_1\r\ncall_2\r\n' },
    {
      args: ['--fields', 'call_status,call_id', '--format', 'ndjson'],
      expected: '{"call_status":"completed","call_id":"call_1"}\n{"call_status":"busy","call_id":"call_2"}\n',
    },
    {
      args: ['--fields', 'call_id', '--format', 'json'],
      expected: '[\n{"call_id":"call_1"},\n{"call_id":"call_2"}\n]\n',
    },
  ];
  for (const { args, expected } of cases) {
    const { operator } = await setUp(hostileLog({ calls, cap: 1 }));
    test(args.join(' '), async () => {
      expect(await operator.run(['logs', 'export', ...args])).toMatchObject({ code: 0, stdout: expected });
    });
  }

  const { operator, server } = await setUp(hostileLog({ calls }));
  test('an unknown name: exit 2, the known ones are told, nothing is asked', async () => {
    const { code, stdout, stderr } = await operator.run(['logs', 'export', '--fields', 'call_id,colour']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('unknown colour');
    for (const name of COLUMNS.split(',')) expect(stderr).toContain(name);
    expect(server.received).toEqual([]);
  });
});

describe.concurrent('what is asked of the service', async () => {
  /** The query strings as they came, byte for byte. */
  const listening = async (calls: readonly LogCall[]) => {
    const answer = hostileLog({ calls });
    const urls: string[] = [];
    const shop = await setUp((request, response) => {
      urls.push(response.req.url ?? '');
      return answer(request, response);
    });
    return { ...shop, urls };
  };
  const credentials = 'organization_id=7&api_key=key-of-tests';
  const filters = 'start_date=2026-11-01&end_date=2026-11-30&agent_id=3';
  const flags = ['--agent', '3', '--end-date', '2026-11-30', '--start-date', '2026-11-01'];
  const cases: { args: string[]; queries: string[] }[] = [
    {
      args: ['logs', 'export', ...flags],
      queries: [0, 10, 20].map((offset) => `${credentials}&${filters}&limit=1000&offset=${offset}`),
    },
    {
      args: ['logs', 'list', '--all', ...flags],
      queries: [0, 10, 20].map((offset) => `${credentials}&${filters}&limit=1000&offset=${offset}`),
    },
    { args: ['logs', 'list', ...flags], queries: [`${credentials}&${filters}`] },
    { args: ['logs', 'list'], queries: [credentials] },
    { args: ['logs', 'list', '--start-date', '2028-02-29'], queries: [`${credentials}&start_date=2028-02-29`] },
    { args: ['logs', 'list', '--limit', '5', '--offset', '20'], queries: [`${credentials}&limit=5&offset=20`] },
  ];
  for (const { args, queries } of cases) {
    const { operator, urls } = await listening(someCalls(25));
    test(args.join(' '), async () => {
      expect(await operator.run(args)).toMatchObject({ code: 0 });
      expect(urls.slice(0, queries.length)).toEqual(queries.map((query) => `/get-call-logs?${query}`));
      // Whatever is asked after that, to be sure of the end, is asked with the same filters.
      const rest = urls.slice(queries.length).map((url) => url.replace(/&offset=25$/, '&offset=20'));
      expect(new Set(rest)).toEqual(new Set(rest.length === 0 ? [] : [`/get-call-logs?${queries.at(-1)}`]));
    });
  }
});

describe.concurrent('the end of an export', async () => {
  const { operator } = await setUp(hostileLog({ calls: someCalls(25) }));
  test('is one line of counts on stderr', async () => {
    const { code, stderr } = await operator.run(['logs', 'export', '--out', 'calls.csv']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '25 calls written to calls.csv.\n' });
  });

  const waiting = await setUp(failingFrom(2, () => {}));
  test('by Ctrl-C is exit 130, and leaves the old file and what --resume goes on with', async () => {
    const { operator, server } = waiting;
    writeFileSync(join(operator.home, 'calls.csv'), 'old\n');
    const command = UnderWay.here(operator, ['logs', 'export', '--out', 'calls.csv']);
    await vi.waitUntil(() => server.received.length >= 2, { timeout: 60_000 });
    expect(await command.interrupt()).toMatchObject({ code: 130 });
    expect(namesIn(operator.home).sort()).toEqual([
      '.calls.csv.vagent/checkpoint',
      '.calls.csv.vagent/rows',
      'calls.csv',
    ]);
    expect(readFileSync(join(operator.home, 'calls.csv'), 'utf8')).toBe('old\n');
  });

  const replaced = await setUp(hostileLog({ calls: someCalls(3) }));
  test('replaces an older, longer file whole, through a link that stays', async () => {
    const { home } = replaced.operator;
    writeFileSync(join(home, 'real.csv'), 'old\n'.repeat(10_000));
    symlinkSync('real.csv', join(home, 'link.csv'));
    const args = ['logs', 'export', '--fields', 'call_id', '--out', 'link.csv'];
    expect(await replaced.operator.run(args)).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, 'real.csv'), 'utf8')).toBe('call_id\r\ncall_1\r\ncall_2\r\ncall_3\r\n');
    expect(
      readdirSync(home, { withFileTypes: true })
        .find(({ name }) => name === 'link.csv')
        ?.isSymbolicLink(),
    ).toBe(true);
    expect(
      readdirSync(home)
        .filter((name) => name.includes('.csv'))
        .sort(),
    ).toEqual(['link.csv', 'real.csv']);
  });
});

describe.concurrent('places that cannot be written', async () => {
  const { operator } = await setUp(hostileLog({ calls: someCalls(25) }));
  const { home } = operator;
  writeFileSync(join(home, 'file'), 'a file\n');
  const isRoot = process.getuid?.() === 0;
  const places: Record<string, { path: string; says: RegExp; isSkipped?: boolean }> = {
    'a folder': { path: home, says: /folder|not an ordinary file/ },
    'below a folder that is not there': { path: join(home, 'missing', 'calls.csv'), says: /does not exist/ },
    'below a file': { path: join(home, 'file', 'calls.csv'), says: /is a file, not a folder/ },
    '/dev/null': { path: '/dev/null', says: /not an ordinary file/ },
    '/dev/full': { path: '/dev/full', says: /not an ordinary file/, isSkipped: !existsSync('/dev/full') },
    'a file system of the kernel': { path: '/proc/calls.csv', says: /\w/, isSkipped: !existsSync('/proc/self') },
    'a folder without permission': { path: '/calls.csv', says: /permission is denied/, isSkipped: isRoot },
  };
  for (const [name, { path, says, isSkipped = false }] of Object.entries(places)) {
    test.skipIf(isSkipped)(name, async () => {
      const { code, stdout, stderr } = await operator.run(['logs', 'export', '--out', path]);
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
      const [sentence = ''] = stderr.split('\n');
      expect(sentence).toMatch(/^vagent: Cannot write .+: .+\.$/);
      expect(sentence).toContain(path);
      expect(sentence).toMatch(says);
      expect(existsSync(join(dirname(path), `.${basename(path)}.vagent`))).toBe(false);
    });
  }
  test('--json tells the same as an object', async () => {
    const { code, stderr } = await operator.run(['logs', 'export', '--json', '--out', '/dev/null']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'file', exit_code: 9 } });
    expect(code).toBe(9);
  });
});

test('over a service of the test: every page, a call an answer, to standard output', async () => {
  const calls = someCalls(3);
  const { context, written } = testContext({
    flags: { fields: ['call_id'], noHeader: true },
    service: {
      async getCallLogs({ offset = 0 }) {
        return { success: true, calls: calls.slice(offset, offset + 1), total: calls.length, limit: 1, offset };
      },
    },
  });
  await run(context, {});
  const { stdout, stderr } = await written();
  expect(stdout.trim().split(/\r?\n/)).toEqual(calls.map(({ call_id }) => call_id));
  expect(stderr).toContain('3 calls written.');
});

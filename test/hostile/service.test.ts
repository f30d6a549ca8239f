/**
 * A log that grows while it is read, in any order, behind a service that fails as real ones do: the export has every call
 * that the log held at the start, and none twice.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { aCall, type LogCall, someCalls } from '../support/hostile-log.ts';
import { type Answer, sendJson, startServer } from '../support/http.ts';
import { Operator, temporaryFolder } from '../support/program.ts';

/** Commands in one working folder run side by side: files are named from the home. */
const cwd = temporaryFolder();

const CALLS = 600;
const PAGE = 40;
/** Requests during which calls come in, and how many with each. */
const BUSY_REQUESTS = 12;
const ARRIVALS = 3;

/** Where a call that comes in stands in the log: `at` is a number that differs from call to call. */
const orders = {
  'newest first': (log: LogCall[], call: LogCall) => log.unshift(call),
  'oldest first': (log: LogCall[], call: LogCall) => log.push(call),
  'in no order': (log: LogCall[], call: LogCall, at: number) => log.splice((at * 7919) % log.length, 0, call),
};

/** What happens to the request of that number in place of an honest answer; false where nothing does. */
type Trouble = (request: number, response: ServerResponse, honest: string) => boolean;

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end('{"success": false, "message": "Not now."}');
  return true;
};

/** Ends an answer where it is, or cuts the connection. */
const cut = (response: ServerResponse, honest: string, end: 'early' | 'gone') => {
  if (end === 'early') response.end(honest.slice(0, honest.length / 2));
  else {
    response.writeHead(200, { 'content-length': honest.length });
    response.write(honest.slice(0, honest.length / 2), () => response.destroy());
  }
  return true;
};

const troubles: Record<string, Trouble> = {
  'no trouble': () => false,
  'every fourth request fails with 500': (request, response) => request % 4 === 0 && refuse(response, 500),
  'every fourth answer is cut off in its middle': (request, response, honest) =>
    request % 4 === 0 && cut(response, honest, 'gone'),
  'every fourth answer is JSON that ends too early': (request, response, honest) =>
    request % 4 === 0 && cut(response, honest, 'early'),
  'the fifth request is answered 429, Retry-After: 1': (request, response) =>
    request === 5 && refuse(response, 429, { 'retry-after': '1' }),
  'everything at times': (request, response, honest) => {
    if (request % 11 === 3) return refuse(response, 503, { 'retry-after': '0' });
    if (request % 11 === 5) return refuse(response, 429, { 'retry-after': '0' });
    return request % 11 === 8 && cut(response, honest, 'early');
  },
};

interface Shop {
  operator: Operator;
  log: LogCall[];
  /** The most requests that were under way at a time, before and after the first 429. */
  atOnce: { before: number; after: number };
}

interface Pace {
  /** Milliseconds until an answer. */
  latency?: number;
  /** Calls in a page at most. */
  cap?: number;
  /** Nothing but the first page is answered before so many requests were under way at a time. */
  together?: number;
}

async function setUp(
  arrive: (typeof orders)[keyof typeof orders],
  trouble: Trouble,
  { latency = 0, cap = PAGE, together = 1 }: Pace = {},
): Promise<Shop> {
  const log = someCalls(CALLS);
  const atOnce = { before: 0, after: 0 };
  let requests = 0;
  let underWay = 0;
  let isThrottled = false;
  let beTogether = () => {};
  const areTogether = new Promise<void>((resolve) => {
    beTogether = resolve;
  });
  const answer: Answer = async ({ query }, response) => {
    const request = ++requests;
    underWay += 1;
    const phase = isThrottled ? 'after' : 'before';
    response.on('close', () => (underWay -= 1));
    if (request <= BUSY_REQUESTS) {
      for (let at = 0; at < ARRIVALS; at++) {
        arrive(log, aCall({ call_id: `late_${request}_${at}` }), request * ARRIVALS + at);
      }
    }
    if (underWay === together) beTogether();
    if (request > 1) await areTogether;
    // Answers overtake each other.
    await sleep(latency + (request % 3) * 5);
    atOnce[phase] = Math.max(atOnce[phase], underWay);
    const offset = Number(query.get('offset') ?? 0);
    const shown = log.slice(offset, offset + Math.min(cap, Number(query.get('limit') ?? 100)));
    const page = { success: true, calls: shown, total: log.length, limit: shown.length, offset };
    if (trouble(request, response, JSON.stringify(page))) isThrottled ||= response.statusCode === 429;
    else sendJson(response, 200, page);
  };
  const { url } = await startServer(answer);
  const env = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { operator: new Operator({ cwd, env }), log, atOnce };
}

const sorted = (ids: readonly string[]) => [...ids].sort();

async function expectAll({ operator, log }: Shop, ...flags: string[]): Promise<void> {
  const path = join(operator.home, 'calls');
  const outcome = await operator.run(['logs', 'export', '--format', 'ndjson', '--out', path, ...flags]);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as LogCall).call_id);
  expect(new Set(ids).size, 'none twice').toBe(ids.length);
  const held = new Set(log.map(({ call_id }) => call_id));
  expect(ids.filter((id) => !held.has(id))).toEqual([]);
  expect(sorted(ids.filter((id) => !id.startsWith('late_')))).toEqual(
    sorted(someCalls(CALLS).map(({ call_id }) => call_id)),
  );
}

describe.concurrent('every call that the log held at the start, and none twice', () => {
  for (const [order, arrive] of Object.entries(orders)) {
    test.each(Object.entries(troubles))(`${order}, four pages at a time: %s`, async (_name, trouble) => {
      await expectAll(await setUp(arrive, trouble));
    });
    test(`${order}, one page at a time`, async () => {
      await expectAll(await setUp(arrive, () => false), '--concurrency', '1');
    });
  }
});

describe.concurrent('pages asked for at a time', () => {
  const { 'oldest first': atTheEnd, 'newest first': atTheBeginning } = orders;

  test.each([
    ['are four, where nothing else is said', 4, []],
    ['are as many as --concurrency says', 8, ['--concurrency', '8']],
  ])('%s', async (_name, together, flags) => {
    const shop = await setUp(atTheEnd, () => false, { latency: 20, together });
    await expectAll(shop, ...flags);
    expect(shop.atOnce.before).toBe(together);
  });

  test('are one, once the service has answered 429', async () => {
    const throttles: Trouble = (request, response) => request === 6 && refuse(response, 429, { 'retry-after': '1' });
    const shop = await setUp(atTheEnd, throttles, { latency: 20, together: 4 });
    await expectAll(shop);
    // Those that were under way by then come to their end.
    expect(shop.atOnce).toEqual({ before: 4, after: 1 });
  });

  test('and a service that takes a second for each page is waited for', async () => {
    const fails: Trouble = (request, response) => request > 400 && refuse(response, 500);
    // A log that grows at its beginning is read one page after the other.
    await expectAll(await setUp(atTheBeginning, fails, { latency: 1000, cap: 200 }));
  });
});

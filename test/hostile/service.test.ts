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

const troubles: Record<string, Trouble> = {
  'no trouble': () => false,
  'every fourth request fails with 500': (request, response) => request % 4 === 0 && refuse(response, 500),
  'every fourth answer is cut off in its middle': (request, response, honest) => {
    if (request % 4 !== 0) return false;
    response.writeHead(200, { 'content-length': honest.length });
    response.write(honest.slice(0, honest.length / 2), () => response.destroy());
    return true;
  },
  'every fourth answer is JSON that ends too early': (request, response, honest) => {
    if (request % 4 !== 0) return false;
    response.end(honest.slice(0, honest.length / 2));
    return true;
  },
  'the fifth request is answered 429, Retry-After: 1': (request, response) =>
    request === 5 && refuse(response, 429, { 'retry-after': '1' }),
  'everything at times': (request, response, honest) => {
    if (request % 11 === 3) return refuse(response, 503, { 'retry-after': '0' });
    if (request % 11 === 5) return refuse(response, 429, { 'retry-after': '0' });
    if (request % 11 !== 8) return false;
    response.end(honest.slice(0, 100));
    return true;
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
    for (const [name, trouble] of Object.entries(troubles)) {
      describe(`${order}, ${name}`, async () => {
        const shop = await setUp(arrive, trouble);
        test('four pages at a time', () => expectAll(shop));
      });
    }
    describe(order, async () => {
      const shop = await setUp(arrive, () => false);
      test('one page at a time', () => expectAll(shop, '--concurrency', '1'));
    });
  }
});

describe.concurrent('pages asked for at a time', async () => {
  const fast = await setUp(orders['oldest first'], () => false, { latency: 20, together: 4 });
  test('are four, where nothing else is said', async () => {
    await expectAll(fast);
    expect(fast.atOnce.before).toBe(4);
  });

  const more = await setUp(orders['oldest first'], () => false, { latency: 20, together: 8 });
  test('are as many as --concurrency says', async () => {
    await expectAll(more, '--concurrency', '8');
    expect(more.atOnce.before).toBe(8);
  });

  const throttled = await setUp(
    orders['oldest first'],
    (request, response) => request === 6 && refuse(response, 429, { 'retry-after': '1' }),
    { latency: 20, together: 4 },
  );
  test('are one, once the service has answered 429', async () => {
    await expectAll(throttled);
    expect(throttled.atOnce.before).toBe(4);
    // Those that were under way by then come to their end.
    expect(throttled.atOnce.after).toBe(1);
  });

  const slow = await setUp(orders['newest first'], (request, response) => request > 400 && refuse(response, 500), {
    latency: 1000,
    // A log that grows at its beginning is read one page after the other.
    cap: 200,
  });
  test('and a service that takes a second for each page is waited for', () => expectAll(slow));
});

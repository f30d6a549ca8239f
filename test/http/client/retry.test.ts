/**
 * Requests that a service refuses because they are too many, and seconds in which it does not serve: an export behind both is
 * complete. The clock is the test's own, so that no test waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { pages } from '../../../src/calls/paging/pages.ts';
import type { RequestOf, ResponseOf, Service } from '../../../src/contract.ts';
import { UnavailableError } from '../../../src/errors.ts';
import { Lane, type Outcome, repeat, type Time } from '../../../src/http/client/retry.ts';
import { casesBeside } from '../../support/cases.ts';
import { aCall } from '../../support/hostile-log.ts';

const SECOND = 1000;
const TIMEOUT = 30 * SECOND;

/** Time that passes when everybody sleeps. */
class SleptTime implements Time {
  #now = 0;
  #sleepers: { until: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ until: this.#now + milliseconds, wake }));
  }

  async pass<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (await nextTurn(); !isOver; await nextTurn()) {
      this.#sleepers.sort((one, other) => one.until - other.until);
      const next = this.#sleepers.shift();
      if (next === undefined) throw new Error('everybody waits for ever');
      this.#now = next.until;
      next.wake();
    }
    return work;
  }
}

interface Refusal {
  /** 0 where the connection fails. */
  status: number;
  retryAfter?: string;
}

/** Who asks, and when. */
interface Arrival {
  /** Milliseconds. */
  now: number;
  /** From 1. */
  request: number;
  underWay: number;
}

/** Says why a request is refused, if it is. */
type World = (arrival: Arrival) => Refusal | undefined | false;

/** At most `most` requests in any `span`; those that were refused count as well if `isStrict`. */
function atMost(
  most: number,
  span: number,
  { isStrict = false, ...refusal }: Partial<Refusal & { isStrict: boolean }>,
) {
  let counted: number[] = [];
  return ({ now }: Pick<Arrival, 'now'>): Refusal | false => {
    counted = counted.filter((at) => at > now - span);
    const isRefused = counted.length >= most;
    if (isStrict || !isRefused) counted.push(now);
    return isRefused && { status: 429, ...refusal };
  };
}

/** Refused from one moment until another. */
function down(refusal: Refusal, from: number, until: number): World {
  return ({ now }) => now >= from && now < until && refusal;
}

/** Chance that repeats itself. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const LATENCY = 120;

interface Sent {
  now: number;
  offset: number;
  status: number;
}

interface Shop {
  service: Pick<Service, 'getCallLogs'>;
  time: SleptTime;
  sent: Sent[];
}

function shopIn(world: World, calls: number, cap: number, latency = LATENCY): Shop {
  const time = new SleptTime();
  const log = Array.from({ length: calls }, (_none, at) => aCall({ call_id: `call_${at}` }));
  const lane = new Lane();
  const sent: Sent[] = [];
  const random = chance(7);
  let underWay = 0;
  const attempt = async (offset: number): Promise<Outcome<ResponseOf<'getCallLogs'>>> => {
    underWay += 1;
    const refusal = world({ now: time.now(), request: sent.length + 1, underWay });
    sent.push({ now: time.now(), offset, status: refusal ? refusal.status : 200 });
    await time.sleep(latency);
    underWay -= 1;
    if (!refusal) {
      const shown = log.slice(offset, offset + cap);
      return { response: { success: true, calls: shown, total: log.length, limit: shown.length, offset } };
    }
    const { status, retryAfter } = refusal;
    return {
      error: new UnavailableError(`It is ${status}.`),
      mayTryAgain: true,
      isRefused: status === 429 || status === 503,
      asked: { retryAfter },
    };
  };
  const getCallLogs = ({ offset = 0 }: RequestOf<'getCallLogs'>) =>
    repeat(() => attempt(offset), { lane, time, timeoutMs: TIMEOUT, random });
  return { service: { getCallLogs }, time, sent };
}

/** The ids of an export, four pages at a time. */
async function exported({ service, time }: Shop): Promise<string[]> {
  const ids: string[] = [];
  const read = async () => {
    for await (const page of pages(service as Service, {}, { concurrency: 4 })) ids.push(...page.keys);
  };
  await time.pass(read());
  return ids;
}

/** A refusal to each request whose number can be divided. */
const every = (nth: number, refusal: Refusal): World => {
  return ({ request }) => request % nth === 0 && refusal;
};

describe('an export of 2,345 calls is complete', () => {
  const sometimes = chance(3);
  type Row = [world: () => World, within: number, refusals: number, latency: number];
  const ANY = Number.POSITIVE_INFINITY;
  const always = (world: World, within: number, refusals = ANY, latency = LATENCY): Row => [
    () => world,
    within,
    refusals,
    latency,
  ];
  /** Limits keep a count of their own. */
  const most = (
    count: number,
    seconds: number,
    how: Parameters<typeof atMost>[2],
    within: number,
    refusals = ANY,
  ): Row => [() => atMost(count, seconds * SECOND, how), within, refusals, LATENCY];
  const crowded =
    (status: number): World =>
    ({ underWay }) =>
      underWay > 1 && { status };
  /** Worlds, the seconds in which the export must be done, for some wait as long as they are asked to, and the most refusals. */
  const worlds: Record<string, Row> = {
    'every second request: 429': always(every(2, { status: 429 }), 30),
    'every second request: 503': always(every(2, { status: 503 }), 30),
    'every third request: 429': always(every(3, { status: 429 }), 20),
    'every third request: 503': always(every(3, { status: 503 }), 20),
    'every second request: 500': always(every(2, { status: 500 }), 20),
    'a third of all requests, by chance: 503': always(() => sometimes() < 1 / 3 && { status: 503 }, 30),
    'every third request: 429, Retry-After: 25': always(every(3, { status: 429, retryAfter: '25' }), 200),
    'the third request: 503, Retry-After: 25': always(
      ({ request }) => request === 3 && { status: 503, retryAfter: '25' },
      30,
    ),
    'every third request: 429, Retry-After: 0': always(every(3, { status: 429, retryAfter: '0' }), 20),
    '2 in a second': most(2, 1, {}, 15, 12),
    '2 in a second, refusals counted': most(2, 1, { isStrict: true }, 30, 12),
    '2 in a second, Retry-After: 1.5': most(2, 1, { retryAfter: '1.5' }, 20, 8),
    '5 in 10 s': most(5, 10, {}, 60, 30),
    '5 in 10 s, refusals counted': most(5, 10, { isStrict: true }, 120),
    '5 in 10 s, Retry-After: 10': most(5, 10, { retryAfter: '10' }, 60, 15),
    '1 in 6 s': most(1, 6, {}, 180),
    'one at a time': always(crowded(429), 10, 4),
    'one at a time, each 4 s long': always(crowded(503), 60, 4, 4 * SECOND),
    '502 for 10 s': always(down({ status: 502 }, 200, 10_200), 25),
    '503 for 20 s': always(down({ status: 503 }, 200, 20_200), 50),
    'connections refused for 10 s': always(down({ status: 0 }, 200, 10_200), 25),
  };
  for (const [name, [world, within, refusals, latency]] of Object.entries(worlds)) {
    test(name, async () => {
      const shop = shopIn(world(), 2345, 250, latency);
      const ids = await exported(shop);
      expect([ids.length, new Set(ids).size]).toEqual([2345, 2345]);
      expect(shop.time.now() / SECOND).toBeLessThan(within);
      expect(shop.sent.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(refusals);
    });
  }
});

test('a moment of refusals does not slow down what is left of a long export', async () => {
  const outage = shopIn(down({ status: 503 }, 2 * SECOND, 12 * SECOND), 50_000, 100);
  await exported(outage);
  const narrow = (500 * LATENCY) / SECOND;
  expect(outage.time.now() / SECOND).toBeLessThan(narrow + 50);
});

test('the pace that a service puts up with is kept: few requests are refused', async () => {
  const shop = shopIn(atMost(2, SECOND, {}), 50_000, 250);
  await exported(shop);
  expect(shop.time.now() / SECOND).toBeLessThan(1.6 * 100);
  expect(shop.sent.filter(({ status }) => status === 429).length).toBeLessThan(20);
});

test('after a refusal one request at a time, the refused one first', async () => {
  const shop = shopIn(({ request }) => request === 3 && { status: 429 }, 1000, 100);
  await exported(shop);
  const refused = shop.sent[2] as Sent;
  const later = shop.sent.filter(({ now }) => now > refused.now + LATENCY);
  expect(later[0]?.offset).toBe(refused.offset);
  expect(later.length).toBeGreaterThan(3);
  for (const [at, { now }] of later.entries()) expect(now - (later[at - 1]?.now ?? 0)).toBeGreaterThanOrEqual(LATENCY);
});

// One request ---------------------------------------------------------------------------------------------------------

interface One extends Refusal {
  hasAnswered?: boolean;
  random?: number;
  timeout?: number;
  /** Seconds at which it is sent, to be given up after the last. */
  sent: number[];
}

describe('a request that is never answered', () => {
  for (const [name, one] of casesBeside(import.meta.filename)<[string, One]>('a request that is never answered')) {
    const { status, retryAfter, hasAnswered = true, random = 1, timeout = 30, sent } = one;
    test(name, async () => {
      const time = new SleptTime();
      const lane = new Lane();
      lane.hasReplied = hasAnswered;
      const at: number[] = [];
      const attempt = async (): Promise<Outcome<never>> => {
        at.push(time.now() / SECOND);
        const isRefused = status !== 502;
        return { error: new Error(`It is ${status}.`), mayTryAgain: true, isRefused, asked: { retryAfter } };
      };
      const failing = repeat(attempt, { lane, time, timeoutMs: timeout * SECOND, random: () => random });
      await expect(time.pass(failing)).rejects.toThrow(`It is ${status}.`);
      expect(at).toEqual(sent);
    });
  }

  test('what waits for others is given its whole time', async () => {
    const time = new SleptTime();
    const lane = new Lane();
    const given: number[] = [];
    const refused = { error: new Error('Later.'), mayTryAgain: true, isRefused: true, asked: {} };
    const options = { lane, time, timeoutMs: TIMEOUT, random: () => 1 };
    const attempt = async (number: number, timeoutMs: number) => {
      given.push(timeoutMs);
      await time.sleep(20 * SECOND);
      return number === 1 ? refused : { response: 'yes' };
    };
    const slow = { ...options, timeoutMs: 100 * SECOND };
    const short = async (number: number, timeoutMs: number) => {
      given.push(timeoutMs);
      return number === 1 ? refused : { response: 'yes' };
    };
    await time.pass(Promise.all([repeat(attempt, slow), repeat(short, options)]));
    expect(given.map((milliseconds) => milliseconds / SECOND)).toEqual([100, 30, 79.5, 29.5]);
  });
});

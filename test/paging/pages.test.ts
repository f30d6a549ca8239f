/**
 * Every call that the service counted at the start and still has at the end, exactly once, and no more requests than that
 * takes: logs in memory that grow and shrink between any two answers, which come in any order. The truth is known.
 */
import { describe, expect, test } from 'vitest';
import { pages } from '../../src/calls/paging/pages.ts';
import type { CallLogEntry, RequestOf, ResponseOf, Service } from '../../src/contract.ts';
import { VagentError } from '../../src/errors.ts';
import { howMany } from '../support/full-matrix.ts';
import { hostilePages, type LogBehaviour, type LogCall, someCalls } from '../support/hostile-log.ts';

/**
 * Puts calls that come in, the oldest first, where they stand; `random` is from 0 to below 1. All of a time at once: to put
 * each into a log of thousands by itself takes longer than all else.
 */
const PLACES = {
  'newest first': (log: string[], added: string[]) => void log.unshift(...added.reverse()),
  'oldest first': (log: string[], added: string[]) => void log.push(...added),
  'in no order': scatter,
};
type Place = keyof typeof PLACES;

interface Movement {
  /** Calls at the start. */
  calls: number;
  place: Place;
  /** Calls in a page at most. */
  cap: number;
  /** Calls that come, and that go, before an answer. */
  come(): number;
  go(): number;
  random(): number;
  /** Requests are answered in the order in which they came. */
  isOrderly?: boolean;
}

class MovingLog {
  readonly ids: string[];
  readonly #movement: Movement;
  readonly #waiting: (() => void)[] = [];
  #count: number;
  requests = 0;

  constructor(movement: Movement) {
    this.#movement = movement;
    this.ids = Array.from({ length: movement.calls }, (_none, at) => `call_${at}`);
    this.#count = movement.calls;
  }

  readonly service = { getCallLogs: (request: RequestOf<'getCallLogs'>) => this.#answer(request) } as Service;

  async #answer({ offset = 0, limit = 100 }: RequestOf<'getCallLogs'>): Promise<ResponseOf<'getCallLogs'>> {
    this.requests += 1;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      setImmediate(() => this.#serveAny());
    });
    this.#move();
    const ids = this.ids.slice(offset, offset + Math.min(limit, this.#movement.cap));
    const calls = ids.map((call_id): CallLogEntry => ({ call_id }));
    return { success: true, calls, total: this.ids.length, limit: ids.length, offset };
  }

  /** Of the requests that are under way, any one is answered, or the first. */
  #serveAny(): void {
    const { isOrderly = false, random } = this.#movement;
    const [serve] = this.#waiting.splice(isOrderly ? 0 : Math.floor(random() * this.#waiting.length), 1);
    serve?.();
  }

  #move(): void {
    const { come, go, place, random } = this.#movement;
    for (let left = go(); left > 0 && this.ids.length > 0; left--) {
      this.ids.splice(Math.floor(random() * this.ids.length), 1);
    }
    const added = Array.from({ length: come() }, () => `call_${this.#count++}`);
    if (added.length > 0) PLACES[place](this.ids, added, random);
  }
}

function scatter(log: string[], added: string[], random: () => number): void {
  const before = [...log];
  const places = added.map(() => Math.floor(random() * (before.length + 1))).sort((one, other) => one - other);
  log.length = 0;
  let from = 0;
  for (const [at, id] of added.entries()) {
    for (const place = places[at] as number; from < place; from++) log.push(before[from] as string);
    log.push(id);
  }
  for (; from < before.length; from++) log.push(before[from] as string);
}

/** Numbers from 0 to below 1, the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Reading {
  log: MovingLog;
  /** In the order in which they were given. */
  ids: string[];
  calls: CallLogEntry[];
  failure: VagentError | undefined;
  ending: { unnamed: number; later: number } | undefined;
}

async function read(movement: Movement, concurrency: number): Promise<Reading> {
  const log = new MovingLog(movement);
  const calls: CallLogEntry[] = [];
  const reading: Reading = { log, ids: [], calls, failure: undefined, ending: undefined };
  const given = pages(log.service, {}, { concurrency });
  try {
    let next = await given.next();
    for (; !next.done; next = await given.next()) {
      calls.push(...next.value.calls);
      if (log.requests >= ENDLESS) throw new Error('It comes to no end.');
    }
    reading.ending = next.value;
  } catch (error) {
    if (!(error instanceof VagentError)) throw error;
    reading.failure = error;
  }
  reading.ids = calls.map(({ call_id }) => String(call_id));
  return reading;
}

const ENDLESS = 2000;

const upTo = (most: number, random: () => number) => () => Math.floor(random() * (most + 1));

/** The calls that were there at the start, are there at the end, and were not given. */
function missed({ log, ids }: Reading, { calls }: Movement): string[] {
  const given = new Set(ids);
  const standing = new Set(log.ids);
  const first = Array.from({ length: calls }, (_none, at) => `call_${at}`);
  return first.filter((id) => standing.has(id) && !given.has(id));
}

const ROUNDS = howMany(6, 12);
const places = Object.keys(PLACES) as Place[];
const needed = ({ calls, cap }: Movement) => Math.max(1, Math.ceil(calls / cap));

describe.each(places)('a log that is %s', (place) => {
  describe.each([1, 2, 4, 8])('%i pages at a time', (concurrency) => {
    const movements = function* (seedOf: number): Generator<{ random: () => number; calls: number; cap: number }> {
      for (let round = 0; round < ROUNDS; round++) {
        const random = chance(seedOf * 1_000_003 + round * 97 + concurrency);
        const cap = [10, 40, 100, 250][Math.floor(random() * 4)] as number;
        yield { random, cap, calls: Math.floor(random() * cap * 30) };
      }
    };

    test('that keeps still: each page once', async () => {
      for (const { random, calls, cap } of movements(1)) {
        const movement: Movement = { calls, cap, place, random, come: () => 0, go: () => 0 };
        const reading = await read(movement, concurrency);
        expect(reading.failure).toBeUndefined();
        expect(reading.ids).toEqual(reading.log.ids);
        // Whoever gets a full page asks for one more.
        expect(reading.log.requests).toBeLessThanOrEqual(needed(movement) + 1);
      }
    });

    test('that grows: nothing owed is missing, whichever answer comes first', async () => {
      for (const { random, calls, cap } of movements(2)) {
        const movement: Movement = { calls, cap, place, random, come: upTo(cap / 20, random), go: () => 0 };
        const reading = await read(movement, concurrency);
        expect(reading.failure).toBeUndefined();
        expect(missed(reading, movement)).toEqual([]);
        expect(new Set(reading.ids).size).toBe(reading.ids.length);
        expect(reading.log.requests).toBeLessThanOrEqual(2 * needed(movement) + 2);
      }
    });

    test('that grows, answered in order: 1.2 times the necessary requests at most', async () => {
      for (const { random, cap } of movements(3)) {
        const come = upTo(Math.max(1, cap / 20), random);
        const movement: Movement = { calls: 25 * cap, cap, place, random, come, go: () => 0, isOrderly: true };
        const reading = await read(movement, concurrency);
        expect(missed(reading, movement)).toEqual([]);
        const necessary = Math.ceil(reading.log.ids.length / cap);
        expect(reading.log.requests).toBeLessThanOrEqual(1.2 * necessary);
      }
    });

    test('that grows by most of a page with every request', async () => {
      for (const { random, calls, cap } of movements(4)) {
        const movement: Movement = { calls, cap, place, random, come: upTo(0.8 * cap, random), go: () => 0 };
        const reading = await read(movement, concurrency);
        expect(reading.failure).toBeUndefined();
        expect(missed(reading, movement)).toEqual([]);
        expect(new Set(reading.ids).size).toBe(reading.ids.length);
      }
    });

    test('that grows by a page and more with every request: it ends with what was owed, or fails', async () => {
      for (const { random, calls, cap } of movements(5)) {
        const come = () => cap + Math.floor(random() * 5);
        const movement: Movement = { calls, cap, place, random, come, go: () => 0 };
        const reading = await read(movement, concurrency);
        if (place !== 'in no order') expect(reading.failure).toBeUndefined();
        if (reading.failure === undefined) expect(missed(reading, movement)).toEqual([]);
        else expect(reading.failure).toMatchObject({ code: 'incomplete', exitCode: 7 });
        expect(new Set(reading.ids).size).toBe(reading.ids.length);
        // Each request makes the log longer.
        expect(reading.log.requests).toBeLessThanOrEqual(2 * Math.ceil(reading.log.ids.length / cap) + 40);
      }
    });

    test('that shrinks: what is left is given', async () => {
      for (const { random, calls, cap } of movements(6)) {
        const movement: Movement = { calls, cap, place, random, come: () => 0, go: upTo(cap / 20, random) };
        const reading = await read(movement, concurrency);
        expect(reading.failure).toBeUndefined();
        expect(missed(reading, movement)).toEqual([]);
        expect(new Set(reading.ids).size).toBe(reading.ids.length);
        expect(reading.log.requests).toBeLessThanOrEqual(5 * needed(movement) + 20);
      }
    });
  });
});

test('calls that came and were not shown are counted', async () => {
  const movement: Movement = {
    calls: 1000,
    cap: 100,
    place: 'newest first',
    random: chance(1),
    come: () => 3,
    go: () => 0,
  };
  const { ending, ids, log } = await read(movement, 1);
  expect(ending).toEqual({ unnamed: 0, later: log.ids.length - ids.length });
});

describe('entries without a call_id that can be relied on', () => {
  const unusable = [undefined, null, '', ' ', 2 ** 53, {}, 1.5];
  /** Twins: nothing tells two of them apart. */
  const calls: CallLogEntry[] = Array.from({ length: 45 }, (_none, at) =>
    at % 5 === 4 ? { call_id: unusable[at % 7], called_to: '+14155550100' } : { call_id: `call_${at}` },
  );
  const at = (offset: number, cap: number, list = calls) => list.slice(offset, offset + cap);
  const service = (shown: (offset: number, number: number) => { calls: CallLogEntry[]; total?: number }) => {
    let number = 0;
    const getCallLogs = async ({ offset = 0 }) => ({ success: true as const, ...shown(offset, ++number) });
    return { getCallLogs } as unknown as Service;
  };
  const all = async (of: Service, concurrency = 1) => {
    const given: CallLogEntry[] = [];
    const reading = pages(of, {}, { concurrency });
    let next = await reading.next();
    for (; !next.done; next = await reading.next()) given.push(...next.value.calls);
    return { given, ...next.value };
  };

  test('are all given, twins too', async () => {
    for (const cap of [3, 10, 45, 100]) {
      for (const concurrency of [1, 4]) {
        const read = await all(
          service((offset) => ({ calls: at(offset, cap), total: 45 })),
          concurrency,
        );
        expect(read).toEqual({ given: calls, unnamed: 9, later: 0 });
      }
    }
  });

  test('are given once where the log grows, and again where it is gone through again', async () => {
    const grown = (late: number) => [
      ...Array.from({ length: late }, (_none, at): CallLogEntry => ({ call_id: `late_${late - at}` })),
      ...calls,
    ];
    for (const pace of [1, 2, 3, 7]) {
      const read = await all(
        service((offset, number) => ({ calls: at(offset, 10, grown(pace * number)), total: 45 + pace * number })),
      );
      expect(read.unnamed).toBe(9);
      expect(read.given.filter((call) => calls.includes(call))).toHaveLength(45);
    }

    // Nothing tells these apart but that there are so many.
    const twins = (count: number) => Array.from({ length: count }, (): CallLogEntry => ({ call_status: 'failed' }));
    for (const cap of [10, 40]) {
      for (const concurrency of [1, 4]) {
        const read = await all(
          service((offset, number) => ({ calls: at(offset, cap, twins(200 + number)), total: 200 + number })),
          concurrency,
        );
        expect(read.given.length).toBeGreaterThanOrEqual(200);
      }
    }

    const short = await all(
      service((offset, number) => ({ calls: number === 2 ? at(0, 10) : at(offset, 10), total: 45 })),
    );
    expect(short.unnamed).toBe(9);
  });
});

/** New calls at the head of a log that is newest first, or at the tail of one that is oldest first. */
const arrive = (log: LogCall[], count: number, place: 'head' | 'tail', page: number) =>
  log.splice(place === 'head' ? 0 : log.length, 0, ...someCalls(count, `late_${page}`));
const isIn = (number: number, first: number, last = first) => number >= first && number <= last;
type Page = NonNullable<LogBehaviour['page']>;
const totals = (total: (all: unknown, number: number, shown: LogCall[]) => unknown): Page => {
  return ({ number }, honest) => ({ total: total(honest.total, number, honest.calls) });
};

/** Calls that come or go while the log is read may be missing: `late` and `gone`. */
const BAD: Record<string, LogBehaviour> = {
  'an honest service, 1000 a page': { calls: someCalls(2500), cap: 1000 },
  'one page that is exactly full': { calls: someCalls(1000), cap: 1000 },
  'two pages that are exactly full': { calls: someCalls(2000), cap: 1000 },
  'no call at all, and no total': { calls: [], page: totals(() => undefined) },
  'one call a page': { calls: someCalls(9), cap: 1 },
  'pages of uneven size': { calls: someCalls(25), cap: ({ number }) => [7, 3, 10, 1][number % 4] ?? 1 },
  'limit is the number asked for': { calls: someCalls(25), page: ({ limit }) => ({ limit }) },
  'limit and offset are missing': { calls: someCalls(25), page: () => ({ limit: undefined, offset: undefined }) },
  'limit and offset are nonsense': { calls: someCalls(25), page: () => ({ limit: 0, offset: 99 }) },
  'new calls come first between pages': {
    calls: someCalls(25),
    before: ({ number }, log) => isIn(number, 2, 5) && arrive(log, 2, 'head', number),
  },
  'as many new calls between two pages as a page holds': {
    calls: someCalls(25),
    before: ({ number }, log) => isIn(number, 2, 3) && arrive(log, 10, 'head', number),
  },
  'more new calls between two pages than three pages hold': {
    calls: someCalls(95),
    before: ({ number }, log) => isIn(number, 9) && arrive(log, 45, 'head', number),
  },
  'a new call comes while the last page is read': {
    calls: someCalls(20),
    before: ({ number }, log) => isIn(number, 2) && arrive(log, 1, 'tail', number),
  },
  'total goes up and down': { calls: someCalls(45), page: totals((_, at) => [45, 60, 12, 48, 40][at - 1] ?? 45) },
  'total is missing': { calls: someCalls(25), page: totals(() => undefined) },
  'total is missing, the last page full': { calls: someCalls(20), page: totals(() => undefined) },
  'total is null': { calls: someCalls(25), page: totals(() => null) },
  'total is on the first page only': { calls: someCalls(25), page: totals((all, at) => (at === 1 ? all : undefined)) },
  'total is a string': { calls: someCalls(25), page: totals(String) },
  'total is understated': { calls: someCalls(25), page: totals(() => 12) },
  'total is always 0': { calls: someCalls(25), page: totals(() => 0) },
  'total is -1': { calls: someCalls(25), page: totals(() => -1) },
  'total is the number in the page, and the pages are of uneven size': {
    calls: someCalls(25),
    cap: ({ number }) => [10, 4, 6, 2][number - 1] ?? 3,
    page: totals((_all, _at, shown) => shown.length),
  },
  'total is overstated at first and right at the end': {
    calls: someCalls(25),
    page: totals((_all, at) => (at === 1 ? 30 : 25)),
  },
  'an empty page in the middle': { calls: someCalls(25), page: ({ number }) => (number === 2 ? { calls: [] } : {}) },
  'two empty pages in the middle': {
    calls: someCalls(25),
    page: ({ number }) => (isIn(number, 2, 3) ? { calls: [], limit: 0 } : {}),
  },
  'the first page is empty': { calls: someCalls(25), page: ({ number }) => (number === 1 ? { calls: [] } : {}) },
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
    before: ({ number }, log) => isIn(number, 2, 5) && log.splice(0, 2),
  },
  'every page begins with the end of the page before': {
    calls: someCalls(25),
    page: ({ offset }, _honest, log) => ({ calls: log.slice(Math.max(0, offset - 2), offset + 8) }),
  },
  'every call comes twice': { calls: someCalls(25).flatMap((call) => [call, call]), page: totals(() => 25) },
  'offset is ignored, and the one page holds all': {
    calls: someCalls(25),
    page: (_request, _honest, log) => ({ calls: [...log], offset: 0 }),
  },
  'offset is ignored, the one page holds all, and no total': {
    calls: someCalls(25),
    page: (_request, _honest, log) => ({ calls: [...log], total: undefined, offset: 0 }),
  },
};

/** What the service of a behaviour shows until it ends or fails. */
async function readAll(behaviour: LogBehaviour, concurrency: number, most?: number) {
  const page = hostilePages(behaviour, most);
  const getCallLogs = async ({ limit = 100, offset = 0 }) => {
    const shown = page({ limit, offset });
    if (shown === undefined) throw new Error('It comes to no end.');
    return shown;
  };
  const ids: string[] = [];
  try {
    const reading = pages({ getCallLogs } as unknown as Service, {}, { concurrency });
    for await (const { calls } of reading) ids.push(...calls.map(({ call_id }) => String(call_id)));
  } catch (error) {
    return { ids, failure: (error as Error).message };
  }
  return { ids, failure: undefined };
}

describe.each([1, 4])('every call exactly once, %i pages at a time', (concurrency) => {
  test.each(Object.entries(BAD))('%s', async (_name, behaviour) => {
    const { ids, failure } = await readAll(behaviour, concurrency);
    expect(failure).toBeUndefined();
    expect(new Set(ids).size, 'no call twice').toBe(ids.length);
    const owed = new Set(behaviour.calls.map(({ call_id }) => call_id).filter((id) => !id.startsWith('gone')));
    expect(new Set(ids.filter((id) => !/^(late|gone)/.test(id)))).toEqual(owed);
  });

  test.each<[name: string, count: number, page: Page, says: string]>([
    ['fewer calls than total says', 25, totals(() => 30), 'counts 30 calls but showed 25.'],
    ['none of the calls that total counts', 0, totals(() => 3), 'counts 3 calls but showed 0.'],
    [
      'offset is ignored',
      25,
      (_request, _honest, log) => ({ calls: log.slice(0, 10) }),
      'counts 25 calls but showed 10.',
    ],
    [
      'the last page again and again',
      40,
      ({ number }, honest, log) => (number > 2 ? { calls: log.slice(10, 20) } : honest),
      'counts 40 calls but showed 20.',
    ],
    ['empty after the first', 25, ({ number }) => (number > 1 ? { calls: [] } : {}), 'counts 25 calls but showed 10.'],
    ['a hole', 25, ({ offset }) => (offset === 10 ? { calls: [] } : {}), 'counts 25 calls but showed 10.'],
  ])('%s is a failure', async (_name, count, page, says) => {
    expect((await readAll({ calls: someCalls(count), page }, concurrency)).failure).toBe(`The service ${says}`);
  });
});

describe.each([
  [100, 1],
  [7, 4],
])('a count that contradicts pages of %i, %i at a time, comes to an end with every call', (cap, concurrency) => {
  test.each<[what: string, count: (all: number, offset: number, shown: number) => number]>([
    ['0 after the end', (all, _offset, shown) => (shown === 0 ? 0 : all)],
    ['half after the end', (all, _offset, shown) => (shown === 0 ? Math.floor(all / 2) : all)],
    ['of the page alone', (_all, _offset, shown) => shown],
    ['of what follows', (all, offset) => Math.max(0, all - offset)],
    ['of what was shown so far', (_all, offset, shown) => offset + shown],
    ['thousands too high, 0 after the end', (all, _offset, shown) => (shown === 0 ? 0 : all + 2000)],
  ])('%s', async (_what, count) => {
    for (const all of [0, 1, 2, 30, 100, 101, 250]) {
      const calls = someCalls(all);
      const page: Page = ({ offset }, honest) => ({ total: count(all, offset, honest.calls.length) });
      const { ids, failure = 'The service counts' } = await readAll({ calls, cap, page }, concurrency, ENDLESS);
      expect(ids).toEqual(calls.map(({ call_id }) => call_id));
      expect(failure).toMatch(/^The service (counts|showed)/);
    }
  });
});

test.each<[string, totalOf: (number: number) => unknown]>([
  ['no total', () => undefined],
  ['a total that was passed', () => 25],
  ['a total that grows', (number) => 25 + 10 * number],
])('other call_ids at every request, and %s: it ends, and says why', async (_name, totalOf) => {
  const page: Page = ({ number }, _honest, log) => {
    const calls = log.slice(0, 10).map((call, at) => ({ ...call, call_id: `invented_${number}_${at}` }));
    return { calls, total: totalOf(number) };
  };
  expect((await readAll({ calls: someCalls(25), page }, 1)).failure).toMatch(/new call_ids at every request/);
});

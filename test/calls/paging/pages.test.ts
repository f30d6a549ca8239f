/**
 * Every call that the service counted at the start and still has at the end, exactly once, and no more requests than that
 * takes: logs in memory that grow and shrink between any two answers, which come in any order. The truth is known.
 */
import { describe, expect, test } from 'vitest';
import { pages } from '../../../src/calls/paging/pages.ts';
import type { CallLogEntry, RequestOf, ResponseOf, Service } from '../../../src/contract.ts';
import { VagentError } from '../../../src/errors.ts';
import { casesBeside } from '../../support/cases.ts';
import { howMany } from '../../support/full-matrix.ts';
import { hostilePages, type LogBehaviour, type LogCall, someCalls } from '../../support/hostile-log.ts';

const cases = casesBeside(import.meta.filename);

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

interface Moving {
  /** By the pages that a log of standing calls would take, and by how many calls there are in the end. */
  most(reading: Reading, movement: Movement): number;
  calls?(cap: number): number;
  come?(cap: number, random: () => number): () => number;
  go?(cap: number, random: () => number): () => number;
  isOrderly?: true;
  /** Faster than it can be read, so that a reading may fail. */
  mayFail?: true;
}

const pagesAtEnd = ({ log }: Reading, { cap }: Movement) => Math.ceil(log.ids.length / cap);
const slowly = (cap: number, random: () => number) => upTo(Math.max(1, cap / 20), random);
const moving: [name: string, Moving][] = [
  // Whoever gets a full page asks for one more.
  ['keeps still', { most: (_reading, movement) => needed(movement) + 1 }],
  ['grows, whichever answer comes first', { come: slowly, most: (_reading, movement) => 2 * needed(movement) + 2 }],
  [
    'grows, answered in order',
    { calls: (cap) => 25 * cap, come: slowly, isOrderly: true, most: (...read) => 1.2 * pagesAtEnd(...read) },
  ],
  [
    'grows by most of a page with every request',
    { come: (cap, random) => upTo(0.8 * cap, random), most: () => ENDLESS },
  ],
  [
    'grows by a page and more with every request',
    {
      come: (cap, random) => () => cap + Math.floor(random() * 5),
      most: (...read) => 2 * pagesAtEnd(...read) + 40,
      mayFail: true,
    },
  ],
  ['shrinks', { go: slowly, most: (_reading, movement) => 5 * needed(movement) + 20 }],
];

describe.each(places)('a log that is %s', (place) => {
  describe.each([1, 2, 4, 8])('%i pages at a time', (concurrency) => {
    test.each(moving)('and %s: nothing owed is missing, no call is given twice', async (name, how) => {
      for (let round = 0; round < ROUNDS; round++) {
        const random = chance(moving.findIndex(([one]) => one === name) * 1_000_003 + round * 97 + concurrency);
        const cap = [10, 40, 100, 250][Math.floor(random() * 4)] as number;
        const calls = how.calls?.(cap) ?? Math.floor(random() * cap * 30);
        const still = () => 0;
        const [come, go] = [how.come?.(cap, random) ?? still, how.go?.(cap, random) ?? still];
        const movement: Movement = { calls, cap, place, random, come, go, isOrderly: how.isOrderly === true };
        const reading = await read(movement, concurrency);
        const { failure, ids, log } = reading;
        if (how.mayFail && failure !== undefined) expect(failure).toMatchObject({ code: 'incomplete', exitCode: 7 });
        else expect(missed(reading, movement)).toEqual([]);
        if (!how.mayFail || place !== 'in no order') expect(failure).toBeUndefined();
        if (how.come === undefined && how.go === undefined) expect(ids).toEqual(log.ids);
        expect(new Set(ids).size).toBe(ids.length);
        expect(log.requests).toBeLessThanOrEqual(how.most(reading, movement));
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

/** Differs from an honest service of 25 calls, 10 a page. Lists go by the number of the request, the last for all others. */
interface NearlyHonest {
  count?: number;
  cap?: number;
  caps?: number[];
  totals?: unknown[];
  fields?: object;
  /** From one request to another so many calls come. */
  come?: [first: number, last: number, count: number, place: 'head' | 'tail'];
  empty?: [first: number, last: number];
}

function behaviourOf({ count = 25, cap = 10, caps, totals, fields, come, empty }: NearlyHonest): LogBehaviour {
  const isIn = (number: number, first = 0, last = -1) => number >= first && number <= last;
  const told = (number: number) => totals && { total: totals[Math.min(number, totals.length) - 1] };
  return {
    calls: someCalls(count),
    cap: ({ number }) => caps?.[(number - 1) % caps.length] ?? cap,
    before({ number }, log) {
      const [first, last, late = 0, place] = come ?? [];
      if (isIn(number, first, last))
        log.splice(place === 'head' ? 0 : log.length, 0, ...someCalls(late, `late_${number}`));
    },
    page: ({ number }) => ({ ...told(number), ...fields, ...(isIn(number, ...(empty ?? [])) && { calls: [] }) }),
  };
}

type Page = NonNullable<LogBehaviour['page']>;
const totals = (total: (all: unknown, number: number, shown: LogCall[]) => unknown): Page => {
  return ({ number }, honest) => ({ total: total(honest.total, number, honest.calls) });
};

/** Calls that come or go while the log is read may be missing: `late` and `gone`. */
const BAD: Record<string, LogBehaviour> = {
  'total is the number in the page, and the pages are of uneven size': {
    calls: someCalls(25),
    cap: ({ number }) => [10, 4, 6, 2][number - 1] ?? 3,
    page: totals((_all, _at, shown) => shown.length),
  },
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
    before: ({ number }, log) => number >= 2 && number <= 5 && log.splice(0, 2),
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
for (const [name, given] of cases<[string, NearlyHonest]>('a service that is honest, or nearly')) {
  BAD[name] = behaviourOf(given);
}

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

/**
 * Every call that the service counted at the start and still has at the end, exactly once, and no more requests than that
 * takes: logs in memory that grow and shrink between any two answers, which come in any order. The truth is known.
 */
import { describe, expect, test } from 'vitest';
import { pages } from '../../src/calls/paging/pages.ts';
import type { CallLogEntry } from '../../src/contract.ts';
import { VagentError } from '../../src/errors.ts';
import { howMany } from '../support/full-matrix.ts';
import { chance, type Movement, MovingLog, PLACES, type Place } from '../support/moving-log.ts';

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

describe('a count that contradicts the pages comes to an end, with every call that was shown', () => {
  const COUNTS: [what: string, count: (all: number, offset: number, shown: number) => number][] = [
    ['0 after the end', (all, _offset, shown) => (shown === 0 ? 0 : all)],
    ['half after the end', (all, _offset, shown) => (shown === 0 ? Math.floor(all / 2) : all)],
    ['of the page alone', (_all, _offset, shown) => shown],
    ['of what follows', (all, offset) => Math.max(0, all - offset)],
    ['of what was shown so far', (_all, offset, shown) => offset + shown],
    ['thousands too high, 0 after the end', (all, _offset, shown) => (shown === 0 ? 0 : all + 2000)],
  ];
  test.each(COUNTS)('%s', async (_what, count) => {
    for (const all of [0, 1, 2, 30, 100, 101, 250]) {
      for (const [cap, concurrency] of [
        [100, 1],
        [7, 4],
      ] as const) {
        const calls = Array.from({ length: all }, (_none, at): CallLogEntry => ({ call_id: `call_${at}` }));
        let requests = 0;
        const getCallLogs = async ({ offset = 0 }) => {
          requests += 1;
          if (requests > ENDLESS) throw new Error('It comes to no end.');
          const shown = calls.slice(offset, offset + cap);
          return { success: true as const, calls: shown, total: count(all, offset, shown.length) };
        };
        const given: CallLogEntry[] = [];
        try {
          for await (const page of pages({ getCallLogs } as unknown as MovingLog['service'], {}, { concurrency }))
            given.push(...page.calls);
        } catch (error) {
          expect(error).toMatchObject({ code: 'incomplete' });
        }
        expect(given).toEqual(calls);
      }
    }
  });
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
    return { getCallLogs } as unknown as MovingLog['service'];
  };
  const all = async (of: MovingLog['service'], concurrency = 1) => {
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

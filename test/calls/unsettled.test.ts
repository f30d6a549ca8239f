/**
 * Calls that the service completes after it first shows them, and ids that it uses again: what `logs sync` keeps of them, and
 * what `logs follow` shows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { hasDayPassed } from '../../src/calls/sync.ts';
import { isSettled } from '../../src/calls/wait.ts';
import type { CallLogEntry } from '../../src/contract.ts';
import { callAt, callsFrom, type DatedLog, datedLog, HOUR, ORDERS, type Order } from '../support/dated-log.ts';
import { aCall, type LogCall } from '../support/hostile-log.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { Operator } from '../support/program.ts';
import { Watch } from '../support/watch.ts';

const DAY = 24 * HOUR;
const NOON = Date.parse('2026-11-20T12:00:00Z');
const orders = Object.keys(ORDERS) as Order[];

describe('settled is', () => {
  test.each<[Record<string, unknown>, boolean]>([
    [{}, true],
    [{ call_status: 'busy', transcript: '', call_outcome: null }, true],
    [{ call_status: 'no_answer', transcript: undefined }, true],
    [{ call_status: 'failed' }, true],
    [{ transcript: '' }, false],
    [{ transcript: ' \n' }, false],
    [{ transcript: null }, false],
    [{ transcript: [] }, false],
    [{ transcript: [{ speaker: 'Agent', text: 'Hello.' }] }, true],
    [{ call_outcome: null }, false],
    [{ call_outcome: '' }, false],
    [{ call_outcome: undefined }, false],
    [{ call_status: 'in_progress' }, false],
    [{ call_status: 'COMPLETED' }, false],
    [{ call_status: null }, false],
    [{ call_status: 3 }, false],
  ])('%j: %s', (fields, settled) => {
    expect(isSettled(aCall(fields) as CallLogEntry)).toBe(settled);
  });
});

describe('a day has passed', () => {
  const at = Date.parse('2026-11-20T09:00:00Z');
  const never = Number.NEGATIVE_INFINITY;
  test.each<[string, { own?: number; service?: number }, number, boolean]>([
    ['an hour later, by both clocks', { own: at + HOUR, service: at + HOUR }, at, false],
    ['a day later, by both clocks', { own: at + DAY, service: at + DAY }, at, true],
    ['a day later by a machine that is ahead of the service', { own: at + DAY, service: at + HOUR }, at, false],
    ['an hour later by a machine that is behind, while the log goes on', { own: at + HOUR }, at + DAY, true],
    ['a day later, where the service does not tell the time', { own: at + DAY }, at, true],
    [
      'where the clock of the service is years behind its own calls',
      { own: at + DAY, service: at - 900 * DAY },
      at,
      true,
    ],
    [
      'where the clock of the service is years behind, an hour later',
      { own: at + HOUR, service: at - 900 * DAY },
      at,
      false,
    ],
    ['where the call is ahead of every clock', { own: at - DAY, service: at - DAY }, never, true],
    ['where nobody knows the time', {}, at, false],
  ])('%s', (_name, clocks, latest, passed) => {
    expect(hasDayPassed({ timestamp: new Date(at).toISOString() }, latest, clocks)).toBe(passed);
  });
  test('where the time of the call cannot be read', () => {
    expect(hasDayPassed({ timestamp: 'soon' }, at, { own: at })).toBe(true);
  });
});

interface Shop {
  log: DatedLog;
  server: TestServer;
  operator: Operator;
}

async function setUp(given: Partial<DatedLog> = {}): Promise<Shop> {
  const log: DatedLog = { calls: [], order: 'newest first', cap: 7, ...given };
  const server = await startServer(datedLog(log));
  const env = { VAGENT_BASE_URL: server.url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { log, server, operator: new Operator({ env }) };
}

/** The service shows a call otherwise than before. */
function change({ log }: { log: DatedLog }, id: string, fields: Partial<LogCall>): void {
  log.calls = log.calls.map((call) => (call.call_id === id ? { ...call, ...fields } : call));
}

describe.each(orders)('logs sync of a log that is %s', (order) => {
  for (const format of ['ndjson', 'csv']) {
    test(`${format}: what is not settled is held back, told, and added once in its last state`, async () => {
      const now = Date.now();
      const shop = await setUp({ order });
      const out = join(shop.operator.home, `calls.${format}`);
      const rows = (): LogCall[] => {
        const text = readFileSync(out, 'utf8');
        return format === 'csv'
          ? parse(text, { columns: true })
          : text
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line));
      };
      const sync = async () => {
        const outcome = await shop.operator.run(['logs', 'sync', '--out', out]);
        expect(outcome).toMatchObject({ code: 0 });
        return outcome.stderr;
      };
      shop.log.calls = [
        callAt(now - 40 * HOUR, 'long ago', { call_status: 'in_progress' }),
        ...Array.from({ length: 20 }, (_none, at) => callAt(now - (30 - at) * HOUR, `old_${at}`)),
        callAt(now - 5 * HOUR, 'ringing', { call_status: 'in_progress', transcript: '' }),
        callAt(now - 4 * HOUR, 'done'),
        callAt(now - 3 * HOUR, 'silent', { transcript: '' }),
        callAt(now - 2 * HOUR, 'open', { call_outcome: null }),
        callAt(now - HOUR, 'last'),
      ];
      expect(await sync()).toBe(
        '3 calls are held back, for up to a day: the service may still complete them. A later run adds them.\n' +
          `23 new calls added to ${out} (23 in all).\n`,
      );
      expect(
        rows()
          .map(({ call_id }) => call_id)
          .slice(-3),
      ).toEqual(['old_19', 'done', 'last']);
      expect(rows()[0]).toMatchObject({ call_id: 'long ago', call_status: 'in_progress' });

      change(shop, 'ringing', { call_status: 'no_answer' });
      change(shop, 'silent', { transcript: 'Agent: Hello.' });
      shop.log.calls = [...shop.log.calls, callAt(now - HOUR / 2, 'newer')];
      expect(await sync()).toContain('1 call is held back');
      expect(
        rows()
          .slice(23)
          .map(({ call_id }) => call_id),
      ).toEqual(['ringing', 'silent', 'newer']);
      expect(rows()[23]).toMatchObject({ call_status: 'no_answer' });
      expect(rows()[24]).toMatchObject({ transcript: 'Agent: Hello.' });

      change(shop, 'open', { call_outcome: 'lead_qualified' });
      expect(await sync()).toBe(`1 new call added to ${out} (27 in all).\n`);
      const bytes = readFileSync(out, 'utf8');
      expect(await sync()).toBe(`0 new calls added to ${out} (27 in all).\n`);
      expect(readFileSync(out, 'utf8')).toBe(bytes);
    });
  }
});

describe('a call_id that is used again', () => {
  test.each(['ndjson', 'csv'])(
    '%s: both calls are in the file, it is said, and the next run adds nothing',
    async (format) => {
      const now = Date.now();
      const shop = await setUp({ calls: [callAt(now - 3 * HOUR, 'call_1'), callAt(now - 2 * HOUR, 'call_2')] });
      const out = join(shop.operator.home, `calls.${format}`);
      const sync = () => shop.operator.run(['logs', 'sync', '--out', out]);
      expect(await sync()).toMatchObject({ code: 0 });
      shop.log.calls = [callAt(now - HOUR, 'call_1', { called_to: '+14155550177' })];
      const again = await sync();
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 call has a call_id that') });
      expect(again.stderr).toContain(`1 new call added to ${out} (3 in all).`);
      expect(readFileSync(out, 'utf8')).toContain('+14155550177');
      expect((await sync()).stderr).toBe(`0 new calls added to ${out} (3 in all).\n`);
    },
  );

  test('a time that the service moves back makes no other call of it', async () => {
    const now = Date.now();
    const shop = await setUp({ calls: [callAt(now - 2 * HOUR, 'call_1')] });
    const out = join(shop.operator.home, 'calls.ndjson');
    const sync = () => shop.operator.run(['logs', 'sync', '--out', out]);
    await sync();
    change(shop, 'call_1', { timestamp: new Date(now - 3 * HOUR).toISOString() });
    expect((await sync()).stderr).toBe(`0 new calls added to ${out} (1 in all).\n`);
  });
});

describe.each(orders)('logs follow of a log that is %s', (order) => {
  const state = (id: string, status: string, fields: Partial<LogCall> = {}) =>
    callAt(NOON + 1000, id, { call_status: status, transcript: '', call_outcome: null, ...fields });
  const told = { call_status: 'completed', transcript: 'Agent: Hello.', call_outcome: 'lead_qualified' };
  /** What a look shows: id and status. */
  const seen = async (watch: Watch) => {
    const { calls, failure } = await watch.look();
    expect(failure).toBeUndefined();
    return calls.map(({ call_id, call_status }) => `${call_id} ${call_status}`);
  };
  const old = callsFrom(NOON - 30 * HOUR, 60, HOUR / 2, 'old');

  test.each([1000, 10])('a later state is a line of its own, %i calls a page', async (cap) => {
    const watch = await Watch.over({ order, calls: old, cap });
    expect(await seen(watch)).toEqual([]);
    watch.grow(state('new', 'ringing'));
    expect(await seen(watch)).toEqual(['new ringing']);
    expect(await seen(watch)).toEqual([]);
    change(watch, 'new', { call_status: 'in_progress' });
    expect(await seen(watch)).toEqual(['new in_progress']);
    change(watch, 'new', { transcript: 'Agent: Hel' });
    expect(await seen(watch)).toEqual([]);
    change(watch, 'new', { call_status: 'completed' });
    watch.grow(callAt(NOON + 2000, 'other'));
    expect(await seen(watch)).toEqual(['new completed', 'other completed']);
    change(watch, 'new', told);
    expect(await seen(watch)).toEqual(['new completed']);
    change(watch, 'new', { transcript: 'Agent: Hello again.' });
    expect(await seen(watch)).toEqual([]);
    const { queries } = await watch.look();
    expect(
      queries.map((query) => query.get('limit')),
      'one call is asked for again',
    ).toEqual(['1']);
  });

  test('one that was there at the start, and one that a filter hid until then', async () => {
    const select = (call: CallLogEntry) => call.call_status === 'completed';
    const watch = await Watch.over({ order, calls: [...old, state('begun', 'ringing')], cap: 20 }, { select });
    expect(await seen(watch)).toEqual([]);
    watch.grow(state('new', 'ringing'));
    expect(await seen(watch)).toEqual([]);
    change(watch, 'new', told);
    change(watch, 'begun', told);
    expect(await seen(watch)).toEqual(['begun completed', 'new completed']);
  });

  test('while many calls are not settled, a look takes one request', async () => {
    const calls = [...old, ...Array.from({ length: 40 }, (_none, at) => state(`open_${at}`, 'ringing'))];
    const watch = await Watch.over({ order, calls });
    await watch.look();
    for (let look = 0; look < 3; look++) expect((await watch.look()).queries).toHaveLength(1);
    change(watch, 'open_7', told);
    expect(await seen(watch)).toEqual(['open_7 completed']);
  });

  test('nothing more is expected of a call after a day, or of one that went away', async () => {
    const watch = await Watch.over({ order, calls: [...old, state('stuck', 'ringing'), state('gone', 'ringing')] });
    await watch.look();
    watch.log.calls = watch.log.calls.filter(({ call_id }) => call_id !== 'gone');
    await watch.look();
    await watch.look();
    watch.clock.now += DAY + HOUR;
    await watch.look();
    expect((await watch.look()).queries.map((query) => query.get('limit'))).toEqual(['1']);
  });

  test('the same call_id of a later time is another call', async () => {
    const watch = await Watch.over({ order, calls: [callAt(NOON - HOUR, 'call_1')] });
    expect(await seen(watch)).toEqual([]);
    watch.log.calls = [callAt(NOON + 1000, 'call_1', { call_status: 'busy' }), callAt(NOON + 2000, 'call_2')];
    expect(await seen(watch)).toEqual(['call_1 busy', 'call_2 completed']);
  });

  test('a service that was set up anew, in the past: its calls are shown', async () => {
    for (const calls of [[], callsFrom(NOON + 28 * DAY, 30, HOUR, 'ahead')]) {
      const watch = await Watch.over({ order, calls, cap: 10 }, {}, NOON + 30 * DAY);
      expect(await seen(watch)).toEqual([]);
      watch.clock.now = NOON;
      watch.log.calls = [callAt(NOON - 500, 'call_1'), callAt(NOON - 400, 'call_2', { call_status: 'busy' })];
      expect(await seen(watch)).toEqual(['call_1 completed', 'call_2 busy']);
      watch.grow(callAt(NOON + 500, 'call_3'));
      expect(await seen(watch)).toEqual(['call_3 completed']);
    }
  });
});

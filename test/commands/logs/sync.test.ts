/**
 * `logs sync`: a file that a daily run keeps up to date. Whatever the order and the days of the service, the file has every
 * call once, as it was completed; what is not a file of calls is refused and left as it is. What stops a run half-way is in
 * `faults/sync.test.ts`.
 */
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { hasDayPassed } from '../../../src/calls/sync.ts';
import { casesBeside } from '../../support/cases.ts';
import {
  callAt,
  callsFrom,
  change,
  type DatedLog,
  type DatedShop,
  datedLog,
  datedShop,
  HOUR,
  idsOf,
  ORDERS,
  type Order,
} from '../../support/dated-log.ts';
import { aCall, type LogCall, linesOf, TRICKY } from '../../support/hostile-log.ts';
import type { Answer } from '../../support/http.ts';
import { finished, type Operator } from '../../support/program.ts';
import { shopOf } from '../../support/shop.ts';
import { UnderWay } from '../../support/under-way.ts';

const NOW = '2026-11-20T12:00:00Z';
const NOON = Date.parse(NOW);
const DAY = 24 * HOUR;
const COLUMNS =
  'call_id,agent_id,called_to,call_from,call_duration,call_status,call_outcome,timestamp,transcript,recording_url';
const asLine = (call: LogCall | undefined) => JSON.stringify(call);
/** Its quotes belong to a text of JSON. */
const inText = (text: string) => JSON.stringify(text).slice(1, -1);
const old = callsFrom(NOON - 40 * DAY, 40, DAY);
const cases = casesBeside(import.meta.filename, {
  COLUMNS,
  ROW: ',3,+14155550123,+14155550100,42,completed,x,2026-11-20T09:00:00Z,',
  GOOD: inText(JSON.stringify(aCall())),
  LINE: inText(JSON.stringify(old[3])),
});

const setUp = (given: Parameters<typeof datedShop>[0], answer?: Answer) => datedShop(given, { frozenAt: NOW }, answer);

const syncTo = (file: string, ...more: string[]) => ['logs', 'sync', '--out', file, ...more];
const textOf = ({ home }: Operator, file: string) => readFileSync(join(home, file), 'utf8');

function callsIn(operator: Operator, file: string): LogCall[] {
  const text = textOf(operator, file);
  if (/\.csv$/i.test(file)) return parse(text, { columns: true, record_delimiter: '\r\n' }) as LogCall[];
  return linesOf(text);
}

/** Runs it, and returns what it says. */
async function sync({ operator }: Pick<DatedShop, 'operator'>, file: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await operator.run(syncTo(file, ...more));
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  return stderr;
}

/** What a person sees in the folder. */
const filesIn = ({ home }: Operator) => readdirSync(home).filter((name) => !name.startsWith('.'));
const startDates = ({ server }: DatedShop) => [...new Set(server.received.map(({ query }) => query.get('start_date')))];

describe.concurrent('run after run, whatever the service does', async () => {
  const services: [file: string, log: Omit<DatedLog, 'calls'>][] = [
    ['calls.ndjson', { order: 'newest first', cap: 70 }],
    ['calls.csv', { order: 'oldest first', cap: 70, zoneHours: -12 }],
    ['calls.jsonl', { order: 'in no order', cap: 70, zoneHours: 14 }],
    ['CALLS.CSV', { order: 'newest first', cap: 70, zoneHours: -8 }],
    ['calls.csv', { order: 'in no order', cap: 70, page: () => ({ total: undefined, limit: 0 }) }],
  ];
  for (const [file, behaviour] of services) {
    // The latest call is made five minutes after midnight: whose day that is, is the service's affair.
    const latest = Date.parse('2026-11-15T00:05:00Z');
    const shop = await setUp({ calls: callsFrom(latest - 299 * HOUR, 300, HOUR), ...behaviour });
    test(`${file}, ${behaviour.order}, days of UTC ${behaviour.zoneHours ?? 0}`, async () => {
      const { operator, server, log } = shop;
      expect(await sync(shop, file)).toBe(`300 new calls added to ${file} (300 in all).\n`);
      expect(startDates(shop)).toEqual([null]);
      expect(idsOf(callsIn(operator, file))).toEqual(idsOf(log.calls));
      const bytes = textOf(operator, file);
      const { mtimeMs } = statSync(join(operator.home, file));

      server.received.length = 0;
      expect(await sync(shop, file)).toBe(`0 new calls added to ${file} (300 in all).\n`);
      expect(startDates(shop)).toEqual(['2026-11-13']);
      expect(textOf(operator, file)).toBe(bytes);
      expect(statSync(join(operator.home, file)).mtimeMs).toBe(mtimeMs);

      // Entries that come a day late, and five days of new ones.
      const late = callsFrom(latest - DAY, 24, HOUR, 'late');
      const fresh = callsFrom(latest + 60_000, 250, HOUR / 2, 'fresh');
      log.calls = [...log.calls, ...late, ...fresh];
      expect(await sync(shop, file)).toBe(`274 new calls added to ${file} (574 in all).\n`);
      expect(textOf(operator, file).startsWith(bytes)).toBe(true);
      expect(idsOf(callsIn(operator, file)).slice(300)).toEqual([...idsOf(late), ...idsOf(fresh)]);
      expect(filesIn(operator)).toEqual([file]);
    });
  }
});

describe.concurrent('what is in the file', async () => {
  const large = await setUp({ calls: callsFrom(NOON - 3000 * HOUR, 1234, HOUR) });
  test('counts are told as people write them; one call is one call', async () => {
    const { log } = large;
    expect(await sync(large, 'calls.ndjson')).toBe('1,234 new calls added to calls.ndjson (1,234 in all).\n');
    log.calls.push(callAt(NOON - HOUR, 'one more'));
    expect(await sync(large, 'calls.ndjson')).toBe('1 new call added to calls.ndjson (1,235 in all).\n');
    expect(await sync(large, 'calls.ndjson', '--quiet')).toBe('');
  });

  const empty = await setUp({ calls: [] });
  test('no call at all: an empty file, or a header, and the next run goes on', async () => {
    for (const [file, text] of Object.entries({ 'calls.ndjson': '', 'calls.csv': `${COLUMNS}\r\n` })) {
      empty.log.calls = [];
      expect(await sync(empty, file)).toBe(`0 new calls added to ${file} (0 in all).\n`);
      expect(textOf(empty.operator, file)).toBe(text);
      empty.log.calls = [callAt(NOON, 'call_1')];
      await sync(empty, file);
      expect(idsOf(callsIn(empty.operator, file))).toEqual(['call_1']);
    }
  });

  const odd = await setUp({
    calls: [
      callAt(NOON - HOUR, 'call_1', { cost: 0.35, tags: ['vip'], 'odd name': null }),
      aCall({ call_id: 'timeless', timestamp: 'yesterday', recording_url: undefined }),
    ],
  });
  test('NDJSON keeps what the service sends', async () => {
    await sync(odd, 'calls.ndjson');
    const sent = JSON.parse(JSON.stringify(odd.log.calls)) as LogCall[];
    expect(callsIn(odd.operator, 'calls.ndjson')).toEqual(sent.reverse());
  });

  const tricky = await setUp({
    // More than a day old: one that was completed and has no transcript would be held back.
    calls: TRICKY.map((transcript, at) => callAt(NOON - (60 - at) * HOUR, `call,"${at}"`, { transcript })),
  });
  test('a CSV with quotes and line breaks is read back, and goes on', async () => {
    const { operator, log } = tricky;
    await sync(tricky, 'calls.csv');
    log.calls.push(callAt(NOON, 'last', { transcript: 'line one\n"line two"' }));
    expect(await sync(tricky, 'calls.csv')).toBe(`1 new call added to calls.csv (${TRICKY.length + 1} in all).\n`);
    expect(await sync(tricky, 'calls.csv')).toBe(`0 new calls added to calls.csv (${TRICKY.length + 1} in all).\n`);
    const texts = log.calls.map((call) => Object.entries(call).map(([name, value]) => [name, String(value)]));
    expect(callsIn(operator, 'calls.csv')).toEqual(texts.map((entries) => Object.fromEntries(entries)));
  });

  const chosen = await setUp({ calls: callsFrom(NOON - 2 * HOUR, 2, HOUR) });
  test('a CSV goes on with the columns of its header, in any order, behind a byte order mark, after LF', async () => {
    const standing = '\ufefftimestamp,call_id,call_status\n2026-11-20T10:00:00.000Z,call_0,busy\n';
    writeFileSync(join(chosen.operator.home, 'calls.csv'), standing);
    await sync(chosen, 'calls.csv');
    expect(textOf(chosen.operator, 'calls.csv')).toBe(`${standing}2026-11-20T11:00:00.000Z,call_1,completed\r\n`);
  });

  test('--fields chooses the columns of a new file, and cannot change those of an old one', async () => {
    const { operator } = chosen;
    const fields = ['--fields', 'call_id,call_status'];
    const few = 'call_id,call_status\r\ncall_0,completed\r\ncall_1,completed\r\n';
    for (const flags of [fields, fields, []]) {
      await sync(chosen, 'few.csv', ...flags);
      expect(textOf(operator, 'few.csv')).toBe(few);
    }
    const other = await operator.run(syncTo('few.csv', '--fields', 'call_status,call_id'));
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('differs from the header of few.csv') });
    expect(textOf(operator, 'few.csv')).toBe(few);
    await sync(chosen, 'few.ndjson', ...fields);
    const [line] = textOf(operator, 'few.ndjson').split('\n');
    expect(line).toBe('{"call_id":"call_0","call_status":"completed"}');
  });

  const future = await setUp({ calls: [callAt(NOON - 40 * DAY, 'old'), callAt(NOON + 9000 * HOUR, 'ahead')] });
  test('a call that the service dates ahead does not hide the others', async () => {
    await sync(future, 'calls.ndjson');
    future.log.calls.push(callAt(NOON - 30 * DAY, 'between'));
    expect(await sync(future, 'calls.ndjson')).toBe('1 new call added to calls.ndjson (3 in all).\n');
  });

  const fields = { transcript: 'Your key is 20261120.', cost: 20261120, 'field 20261120': true };
  const log: DatedLog = { calls: [callAt(NOON, 'call of 20261120', fields)], order: 'newest first' };
  const echoing = await shopOf(datedLog(log), { frozenAt: NOW, env: { VAGENT_API_KEY: '20261120' } });
  test('a key that the service echoes stays out, also one of digits', async () => {
    for (const file of ['calls.ndjson', 'calls.csv']) {
      for (let run = 0; run < 2; run++) await sync(echoing, file);
      expect(callsIn(echoing.operator, file)).toMatchObject([{ transcript: 'Your key is <API_KEY>.' }]);
    }
    const masked = { cost: '<API_KEY>', 'field <API_KEY>': true };
    expect(callsIn(echoing.operator, 'calls.ndjson')).toMatchObject([masked]);
  });

  const agents = await setUp({
    calls: [3, 4].flatMap((agent_id) =>
      callsFrom(NOON - 9 * HOUR, 9, HOUR, `of_${agent_id}`).map((call) => ({ ...call, agent_id })),
    ),
  });
  test.each(['calls.ndjson', 'calls.csv'])('%s --agent: its calls alone, and never among others', async (file) => {
    const { operator } = agents;
    await sync(agents, file, '--agent', '4');
    expect(callsIn(operator, file).map(({ agent_id }) => Number(agent_id))).toEqual(Array(9).fill(4));
    const bytes = textOf(operator, file);
    const { code, stderr } = await operator.run(syncTo(file, '--agent', '3'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        `vagent: ${file} holds calls of agent 4; nothing was changed.\n` +
        '  → Keep the calls of --agent 3 in a file of their own.\n',
    });
    expect(textOf(operator, file)).toBe(bytes);
  });
});

describe.concurrent('a last line that was cut off', async () => {
  type Case = [name: string, file: string, text: string, keeps: string];
  for (const [name, file, text, keeps] of cases<Case>('a last line that was cut off, and what is kept')) {
    const shop = await setUp({ calls: old, cap: 9 });
    test(name, async () => {
      writeFileSync(join(shop.operator.home, file), text);
      const said = /^The last line of calls\.\w+ was cut off: .+\n\d+ new calls added .+ \(40 in all\)\.\n$/;
      expect(await sync(shop, file)).toMatch(said);
      expect(textOf(shop.operator, file).startsWith(keeps)).toBe(true);
      expect(idsOf(callsIn(shop.operator, file)).sort()).toEqual(idsOf(old).sort());
      // Nobody knows what else that file lacks.
      expect(startDates(shop)).toEqual([null]);
    });
  }

  const shop = await setUp({ calls: old, cap: 9 });
  test('a last call that lacks only its line break is kept', async () => {
    writeFileSync(join(shop.operator.home, 'calls.ndjson'), old.map(asLine).slice(0, 39).join('\n'));
    expect(await sync(shop, 'calls.ndjson')).toBe('1 new call added to calls.ndjson (40 in all).\n');
    expect(textOf(shop.operator, 'calls.ndjson')).toBe(`${old.map(asLine).join('\n')}\n`);
  });
});

describe.concurrent('what is no file of calls is refused, by file and line, and stays as it is', async () => {
  const good = asLine(aCall());
  type Case = [name: string, file: string, content: string | Buffer, says: RegExp];
  const bytes: Case[] = [
    ['zeros', 'a.ndjson', Buffer.alloc(5000), /line 1 is not the beginning of a call/],
    ['a line without end', 'a.ndjson', Buffer.alloc(17 << 20, 'x'), /line 1 does not end/],
    [
      'bytes that are not UTF-8',
      'a.ndjson',
      Buffer.concat([Buffer.from(`${good}\n{"call_id":"`), Buffer.from([0xff]), Buffer.from(`"}\n${good}\n`)]),
      /line 2 is not UTF-8/,
    ],
  ];
  const all = [...cases<Case>('what is no file of calls, and what is said'), ...bytes];
  for (const [name, file, content, says] of all) {
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
    await sync(busy, 'other.csv');
    held.resume?.();
    expect(await outcome).toMatchObject({ code: 0, stderr: '30 new calls added to calls.csv (30 in all).\n' });
    expect(await sync(busy, 'link.csv')).toBe('0 new calls added to link.csv (30 in all).\n');
  });

  const changed: { by?: () => void } = {};
  const meddled = await setUp(log, (request, response) => {
    changed.by?.();
    return datedLog(log)(request, response);
  });
  test('a file that somebody else changes meanwhile is not written over', async () => {
    const path = join(meddled.operator.home, 'calls.ndjson');
    writeFileSync(path, '');
    changed.by = () => writeFileSync(path, 'mine\n');
    const { code, stderr } = await meddled.operator.run(syncTo('calls.ndjson'));
    expect({ code, stderr }).toMatchObject({ code: 9, stderr: expect.stringContaining('changed by another program') });
    expect(readFileSync(path, 'utf8')).toBe('mine\n');
  });

  for (const order of ['newest first', 'oldest first'] as const) {
    const ill = await setUp({ calls: callsFrom(NOON - 900 * HOUR, 60, 12 * HOUR), order, cap: 7 });
    test(`a service that fails half-way: the next run completes it (${order})`, async () => {
      const { operator, log } = ill;
      const path = join(operator.home, 'calls.ndjson');
      const standing = () => (filesIn(operator).length === 0 ? undefined : readFileSync(path, 'utf8'));
      for (const more of [[], callsFrom(NOON - 150 * HOUR, 40, HOUR, 'new')]) {
        log.calls = [...log.calls, ...more];
        const before = standing();
        log.requests = 0;
        // From the third page on there is nothing to be had.
        log.instead = (number) => (number > 2 ? { status: 500, body: { message: 'Out of order.' } } : undefined);
        const { code, stderr } = await operator.run([...syncTo('calls.ndjson'), '--timeout', '3s']);
        expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(/\(500\).*Out of order/) });
        expect(standing()).toBe(before);
        log.instead = undefined;
        await sync(ill, 'calls.ndjson');
        expect(idsOf(callsIn(operator, 'calls.ndjson'))).toEqual(idsOf(log.calls));
      }
    });
  }

  const waiting = await setUp({ calls: [] }, () => {});
  test('Ctrl-C: exit 130, the file is as it was, and nothing lies about', async () => {
    const { operator, server } = waiting;
    const line = `${asLine(aCall())}\n`;
    writeFileSync(join(operator.home, 'calls.ndjson'), line);
    const command = UnderWay.here(operator, syncTo('calls.ndjson'));
    await vi.waitUntil(() => server.received.length === 1, { timeout: 60_000 });
    expect(await command.interrupt()).toMatchObject({ code: 130 });
    expect(textOf(operator, 'calls.ndjson')).toBe(line);
    expect(readdirSync(operator.home).filter((name) => name.includes('.vagent'))).toEqual([]);
  });
});

describe('calls that the service completes, and ids that it uses again', () => {
  const at = Date.parse('2026-11-20T09:00:00Z');
  const ago = 900 * DAY;
  test.each<[string, { own?: number; service?: number }, latest: number, boolean]>([
    ['an hour later, by both clocks', { own: at + HOUR, service: at + HOUR }, at, false],
    ['a day later, by both clocks', { own: at + DAY, service: at + DAY }, at, true],
    ['a day later by a machine that is ahead of the service', { own: at + DAY, service: at + HOUR }, at, false],
    ['an hour later by a machine that is behind, while the log goes on', { own: at + HOUR }, at + DAY, true],
    ['a day later, where the service does not tell the time', { own: at + DAY }, at, true],
    ['where the clock of the service is years behind its calls', { own: at + DAY, service: at - ago }, at, true],
    ['where it is years behind, an hour later', { own: at + HOUR, service: at - ago }, at, false],
    ['where the call is ahead of every clock', { own: at - DAY, service: at - DAY }, Number.NEGATIVE_INFINITY, true],
    ['where nobody knows the time', {}, at, false],
  ])('a day has passed %s', (_name, clocks, latest, passed) => {
    expect(hasDayPassed({ timestamp: new Date(at).toISOString() }, latest, clocks)).toBe(passed);
    expect(hasDayPassed({ timestamp: 'soon' }, latest, clocks)).toBe(true);
  });

  /** The service's clock is the real one. */
  const now = Date.now();
  const real = (calls: LogCall[], order: Order = 'newest first') => datedShop({ calls, order, cap: 7 });
  const kinds = (Object.keys(ORDERS) as Order[]).flatMap((order) =>
    ['ndjson', 'csv'].map((end) => [order, end] as const),
  );
  test.each(kinds)('%s, %s: what is not settled is held back, and added once in its last state', async (order, end) => {
    const file = `calls.${end}`;
    const calls = [
      callAt(now - 40 * HOUR, 'long ago', { call_status: 'in_progress' }),
      ...callsFrom(now - 30 * HOUR, 20, HOUR, 'old'),
      callAt(now - 5 * HOUR, 'ringing', { call_status: 'in_progress', transcript: '' }),
      callAt(now - 4 * HOUR, 'done'),
      callAt(now - 3 * HOUR, 'silent', { transcript: '' }),
      callAt(now - 2 * HOUR, 'open', { call_outcome: null }),
      callAt(now - HOUR, 'last'),
    ];
    const shop = await real(calls, order);
    expect(await sync(shop, file)).toBe(
      '3 calls are held back, for up to a day: the service may still complete them. A later run adds them.\n' +
        `23 new calls added to ${file} (23 in all).\n`,
    );
    expect(idsOf(callsIn(shop.operator, file)).slice(-3)).toEqual(['old_19', 'done', 'last']);
    expect(callsIn(shop.operator, file)[0]).toMatchObject({ call_id: 'long ago', call_status: 'in_progress' });

    change(shop, 'ringing', { call_status: 'no_answer' });
    change(shop, 'silent', { transcript: 'Agent: Hello.' });
    shop.log.calls = [...shop.log.calls, callAt(now - HOUR / 2, 'newer')];
    expect(await sync(shop, file)).toContain('1 call is held back');
    expect(callsIn(shop.operator, file).slice(23)).toMatchObject([
      { call_id: 'ringing', call_status: 'no_answer' },
      { call_id: 'silent', transcript: 'Agent: Hello.' },
      { call_id: 'newer' },
    ]);
    change(shop, 'open', { call_outcome: 'lead_qualified' });
    expect(await sync(shop, file)).toBe(`1 new call added to ${file} (27 in all).\n`);
    expect(await sync(shop, file)).toBe(`0 new calls added to ${file} (27 in all).\n`);
  });

  test.each(['calls.ndjson', 'calls.csv'])('%s has both calls of an id, once, and that is said', async (file) => {
    const shop = await real([callAt(now - 3 * HOUR, 'call_1'), callAt(now - 2 * HOUR, 'call_2')]);
    await sync(shop, file);
    change(shop, 'call_2', { timestamp: new Date(now - 4 * HOUR).toISOString() });
    expect(await sync(shop, file), 'a time that moves back').toBe(`0 new calls added to ${file} (2 in all).\n`);
    shop.log.calls = [callAt(now - HOUR, 'call_1', { called_to: '+14155550177' })];
    expect(await sync(shop, file)).toMatch(/1 call has a call_id that[\s\S]*1 new call added to .* \(3 in all\)/);
    expect(textOf(shop.operator, file)).toContain('+14155550177');
    expect(await sync(shop, file)).toBe(`0 new calls added to ${file} (3 in all).\n`);
  });
});

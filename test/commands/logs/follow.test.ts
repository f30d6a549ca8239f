/**
 * `logs follow`: every call once as it comes, whatever the order and the counting of the service, and no more requests than
 * it takes to see that nothing came. First the command as it runs, most of which is to wait; then what one look finds, over HTTP.
 */
import { spawn } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { byTime, Follower, type FollowOptions, mayPass, pauseAfterFailures } from '../../../src/calls/follow.ts';
import { isSettled } from '../../../src/calls/wait.ts';
import type { CallLogEntry } from '../../../src/contract.ts';
import { remoteBackend } from '../../../src/http/client/client.ts';
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
import { aCall, type LogCall } from '../../support/hostile-log.ts';
import { type Answer, startServer, type TestServer } from '../../support/http.ts';
import { BIN, finished, Operator, temporaryFolder } from '../../support/program.ts';
import { CTRL_C, play, playHere } from '../../support/terminal.ts';
import { UnderWay } from '../../support/under-way.ts';

const cases = casesBeside(import.meta.filename);
const NOW = '2026-11-20T12:00:00Z';
const NOON = Date.parse(NOW);
const DAY = 24 * HOUR;
const orders = Object.keys(ORDERS) as Order[];

// The command ---------------------------------------------------------------------------------------------------------

/** Where all commands of this process run: side by side. */
const folder = temporaryFolder();

const setUp = (given: Partial<DatedLog> = {}, answer?: Answer) =>
  datedShop({ calls: callsFrom(NOON - 30 * HOUR, 30, HOUR, 'old'), ...given }, { frozenAt: NOW, cwd: folder }, answer);

/** `vagent logs follow` at work, beside others. */
const follow = ({ operator }: DatedShop, ...args: string[]) =>
  UnderWay.here(operator, ['logs', 'follow', ...args], { cwd: folder });

/** Once the log was read and a look found nothing new: what comes now is new. */
async function hasBegun({ received }: TestServer): Promise<void> {
  await vi.waitUntil(() => received.some(({ query }) => query.get('limit') === '1'), { timeout: 60_000 });
}

const add = ({ log }: DatedShop, ...calls: LogCall[]) => {
  log.calls = [...log.calls, ...calls];
};
const tsv = (id: string, time: string) =>
  [id, time, '3', '+14155550123', '+14155550100', 'completed', '42', 'lead_qualified'].join('\t');

describe.concurrent('the program', async () => {
  for (const [at, order] of orders.entries()) {
    const shop = await setUp({ order, cap: 10 });
    test(`prints calls as they come, ${order}; Ctrl-C ends it with 0`, async () => {
      // Once as the program, with a signal.
      const running = at === 0 ? UnderWay.program(shop.operator, ['logs', 'follow']) : follow(shop);
      await hasBegun(shop.server);
      add(shop, callAt(NOON + 1000, 'new_1'));
      expect(await running.lines(1)).toEqual([tsv('new_1', '2026-11-20T12:00:01.000Z')]);
      add(shop, callAt(NOON + 3000, 'new_3'), callAt(NOON + 2000, 'new_2'), callAt(NOON - 20 * HOUR, 'late'));
      const expected = [
        tsv('new_1', '2026-11-20T12:00:01.000Z'),
        tsv('late', '2026-11-19T16:00:00.000Z'),
        tsv('new_2', '2026-11-20T12:00:02.000Z'),
        tsv('new_3', '2026-11-20T12:00:03.000Z'),
      ];
      expect(await running.lines(4)).toEqual(expected);
      const { code, stdout, stderr } = await running.interrupt();
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `${expected.join('\n')}\n`,
        stderr: 'Following the call log. End with Ctrl-C.\n',
      });
    });
  }

  const ill = await setUp();
  test('a service that is ill: told once, asked ever less often, and told once that it is well', async () => {
    const { log, server } = ill;
    const running = follow(ill, '--timeout', '3s');
    await hasBegun(server);
    const message = 'Under repair.';
    log.instead = () => ({ status: 503, body: { message } });
    await running.says('Trying again until the service works.');
    log.instead = () => ({ status: 429, body: { message } });
    const before = server.received.length;
    await vi.waitUntil(() => server.received.length >= before + 3, { timeout: 60_000 });
    add(ill, callAt(NOON + 1, 'meanwhile'));
    log.instead = undefined;
    expect(await running.lines(1)).toEqual([tsv('meanwhile', '2026-11-20T12:00:00.001Z')]);
    await running.says('The service works again.');
    const { code, stderr } = await running.interrupt();
    expect(code).toBe(0);
    const [begun, warned, works, ...rest] = stderr.split('\n');
    expect([begun, works, ...rest]).toEqual([
      'Following the call log. End with Ctrl-C.',
      'The service works again.',
      '',
    ]);
    expect(warned).toMatch(
      /^Warning: .* failed at \/get-call-logs \(503\): Under repair\. Trying again until .*works\.$/,
    );
  });

  const unreachable = await setUp();
  test('a service that cannot be reached at first', async () => {
    const { server } = unreachable;
    await server.close();
    const running = follow(unreachable, '--json');
    await running.says('Trying again until the service works.');
    expect(await running.interrupt()).toMatchObject({ code: 0, stdout: '' });
  });

  for (const [status, code] of Object.entries({ 400: 3, 401: 4, 404: 5 })) {
    const shop = await setUp();
    test(`a ${status} ends it with ${code}, at once or later`, async () => {
      const refuse: DatedLog['instead'] = () => ({ status: Number(status), body: { message: 'No.' } });
      shop.log.instead = refuse;
      const first = await shop.operator.run(['logs', 'follow', '--json']);
      expect(first).toMatchObject({ code, stdout: '' });
      expect(JSON.parse(first.stderr)).toMatchObject({ error: { exit_code: code, status: Number(status) } });
      shop.log.instead = undefined;
      const running = follow(shop);
      await hasBegun(shop.server);
      shop.log.instead = refuse;
      expect(await running.outcome).toMatchObject({ code, stderr: expect.stringContaining(`(${status}): No.`) });
    });
  }

  const hanging = await setUp({}, () => {});
  test('Ctrl-C while the service lets it wait', async () => {
    const running = follow(hanging);
    await vi.waitUntil(() => hanging.server.received.length > 0, { timeout: 60_000 });
    expect(await running.interrupt()).toMatchObject({ code: 0, stdout: '' });
  });

  const cut = await setUp();
  test('a reader that goes ends it with 0', async () => {
    const { operator, server } = cut;
    const script = '("$@"; echo "exit code $?" >&2) | head -3';
    const args = [process.execPath, BIN, 'logs', 'follow', '-q', '-o', 'ndjson'];
    const shell = spawn('sh', ['-c', script, 'sh', ...args], { env: operator.environment });
    const ended = finished(shell);
    await hasBegun(server);
    add(cut, ...callsFrom(NOON, 3, 1, 'new'));
    // Once its reader has three lines and is gone.
    let read = '';
    shell.stdout.on('data', (text) => (read += text));
    await vi.waitUntil(() => read.split('\n').length > 3, { timeout: 60_000 });
    add(cut, ...callsFrom(NOON, 3, 1, 'newer'));
    const { code, stdout, stderr } = await ended;
    expect([...stdout.matchAll(/"call_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['new_0', 'new_1', 'new_2']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'exit code 0\n' });
  });

  const since = await setUp();
  test('--since: the calls of that time first, then what comes; filters hold for both', async () => {
    add(since, callAt(NOON - 30 * 60_000, 'busy', { call_status: 'busy', agent_id: 4 }));
    const filters = ['--since', '3h', '--agent', '3', '--status', 'completed', '--fields', 'call_id,timestamp'];
    const running = follow(since, ...filters);
    const recent = [9, 10, 11].map(
      (hour) => `old_${hour + 18}\t2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`,
    );
    expect(await running.lines(3)).toEqual(recent);
    await hasBegun(since.server);
    const busy = callAt(NOON, 'busy too', { call_status: 'busy' });
    add(since, busy, callAt(NOON, 'done'), callAt(NOON - 4 * HOUR, 'before'));
    expect(await running.lines(4)).toEqual([...recent, 'done\t2026-11-20T12:00:00.000Z']);
    const { code, stderr } = await running.interrupt();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Filtering on this computer: --since, --status \(the service cannot\)\.\n/),
    });
    expect(new Set(since.server.received.map(({ query }) => query.get('agent_id')))).toEqual(new Set(['3']));
  });

  const over = await setUp();
  test('--end-date: once that is over, nothing is waited for', async () => {
    const says = expect.stringContaining('No more calls will come: 2026-11-17 is over.');
    const ended = await over.operator.run(['logs', 'follow', '--end-date', '2026-11-17']);
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: says });
    expect(over.server.received).toEqual([]);
    const args = ['logs', 'follow', '--since', '60h', '--end-date', '2026-11-17', '--quiet'];
    over.log.calls = [callAt(NOON - 59 * HOUR, 'wanted?'), callAt(NOON - 70 * HOUR, 'older'), callAt(NOON, 'newer')];
    over.log.zoneHours = -8;
    const outcome = await over.operator.run([...args, '--fields', 'call_id']);
    expect(outcome).toMatchObject({ code: 0, stdout: 'wanted?\n', stderr: '' });
  });

  for (const args of [['-o', 'ndjson'], ['-o', 'json'], ['--json']]) {
    const shop = await setUp({ calls: [] });
    test(`${args.join(' ')}: each call as the service sent it, on a line`, async () => {
      const odd = { cost: 0.35, tags: ['vip'], transcript: 'one\ntwo\u001b[2J', recording_url: undefined };
      const call = callAt(NOON, 'new', odd);
      const running = follow(shop, ...args);
      await hasBegun(shop.server);
      add(shop, call);
      const [line = ''] = await running.lines(1);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(call)));
      expect(await running.interrupt()).toMatchObject({ code: 0, stdout: `${line}\n` });
    });
  }

  test.each(['csv', 'ids'])('-o %s is refused before anything is asked', async (format) => {
    const shop = await setUp();
    const { code, stdout, stderr } = await shop.operator.run(['logs', 'follow', '-o', format]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Calls cannot be followed as ${format}.`);
    expect(shop.server.received).toEqual([]);
  });

  test('the simulator, while other processes place calls', async () => {
    const operator = new Operator({ frozenAt: NOW, env: { VAGENT_LOCAL: '1' }, cwd: folder });
    const call = (to: string) =>
      operator.json(['call', to, '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.']);
    await call('+14155550190');
    const running = UnderWay.program(operator, ['logs', 'follow', '--fields', 'call_id,call_status']);
    await running.says('Following');
    await call('+14155550191');
    expect(await running.lines(1)).toEqual(['call_0000000002\tbusy']);
    const campaign = 'campaign create --name Spring --agent 1 --from +14155550100 --contacts - --retry-attempts 0';
    await operator.json(campaign.split(' '), { input: 'phone_number\n+14155550192\n+14155550193\n' });
    await operator.json(['local', 'advance', '30d']);
    const later = ['call_0000000003\tno_answer', 'call_0000000004\tfailed'];
    expect(await running.lines(3)).toEqual(['call_0000000002\tbusy', ...later]);
    expect(await running.interrupt()).toMatchObject({ code: 0 });
  });

  const screens = [
    // At a pseudo-terminal, and in the process of the test, whose time zone belongs to all its commands.
    { flags: [], at: play, zone: 'Asia/Tokyo', hour: 21 },
    { flags: ['--no-header'], at: playHere, zone: 'UTC', hour: 12 },
  ];
  for (const { flags, at, zone, hour } of screens) {
    const shop = await setUp({ calls: [] });
    test(`at a terminal: aligned columns and the operator's time ${flags.join(' ')}`, async () => {
      const env = { VAGENT_LOCAL: '', TZ: zone };
      const fields = ['--fields', 'call_id,timestamp,call_status,call_outcome'];
      const unanswered = callAt(NOON + 1, 'call_9', { call_status: 'no_answer' });
      const steps = [
        () => hasBegun(shop.server),
        async () => add(shop, callAt(NOON, 'call_10', { call_outcome: 'a\tb\u001b[2J' }), unanswered),
        /no answer/,
        async () => add(shop, callAt(NOON + 90_000, 'call_1000000000', { timestamp: 'soon' })),
        /soon/,
        CTRL_C,
      ];
      const args = ['logs', 'follow', '--quiet', ...flags, ...fields];
      const { code, text, output } = await at(shop.operator, args, steps, { env, columns: 50 });
      expect(code).toBe(0);
      const lines = text.split('\n').map((line) => line.replace('^C', ''));
      const header = flags.length === 0 ? ['Call             Time          Status     Outcome'] : [];
      expect(lines.filter((line) => line !== '')).toEqual([
        ...header,
        `call_10          20 Nov ${hour}:00  completed  a b [2J`,
        `call_9           20 Nov ${hour}:00  no answer  lead qualified`,
        `call_1000000000  soon          completed  lead qualified`,
      ]);
      expect(output.includes('\u001b[1mCall')).toBe(flags.length === 0);
      expect(output).not.toContain('\u001b[2J');
    });
  }
});

// What one look finds -------------------------------------------------------------------------------------------------

interface Options extends Partial<FollowOptions> {
  /** For each request, with its repetitions. */
  timeoutMs?: number;
}

/** A log behind HTTP and somebody who follows it look by look, by a clock that the test moves. */
class Watch {
  readonly log: DatedLog;
  readonly clock: { now: number };
  readonly server: TestServer;
  readonly #follower: Follower;
  readonly #found: CallLogEntry[] = [];
  /** Everything that was shown. */
  readonly shown: string[] = [];

  /** `now`: milliseconds since the epoch. */
  static async over(given: Partial<DatedLog>, options: Options = {}, now = NOON): Promise<Watch> {
    const log: DatedLog = { calls: [], order: 'newest first', ...given };
    return new Watch(log, await startServer(datedLog(log)), options, now);
  }

  constructor(log: DatedLog, server: TestServer, { timeoutMs = 5000, ...options }: Options, now: number) {
    this.log = log;
    this.server = server;
    this.clock = { now };
    const service = remoteBackend({
      baseUrl: new URL(server.url),
      ...{ timeoutMs, signal: new AbortController().signal, proxy: undefined, redact: (text) => text },
      ...{ onRequest: () => {}, random: () => 0, now: Date.now },
    })({ organization_id: 7, api_key: 'key-of-tests' });
    const take = (call: CallLogEntry) => this.#found.push(call);
    const defaults = { filters: {}, select: undefined, since: undefined, take, concurrency: 4 };
    this.#follower = new Follower({ service, now: async () => this.clock.now, ...defaults, ...options });
  }

  /** What one more look shows, and the queries that it took. */
  async look(): Promise<{ calls: CallLogEntry[]; shown: string[]; queries: URLSearchParams[]; failure: unknown }> {
    const before = this.server.received.length;
    const failure = await this.#follower.look().catch((error: unknown) => error);
    const calls = this.#found.splice(0).sort(byTime);
    const shown = calls.map(({ call_id }) => String(call_id));
    this.shown.push(...shown);
    return { calls, shown, failure, queries: this.server.received.slice(before).map(({ query }) => query) };
  }

  /** What a look shows that must not fail. */
  async sees(): Promise<string[]> {
    const { shown, failure } = await this.look();
    expect(failure).toBeUndefined();
    return shown;
  }

  get isOver(): boolean {
    return this.#follower.isOver;
  }

  grow(...calls: LogCall[]): void {
    this.log.calls = [...this.log.calls, ...calls];
  }
}

const EXPECTED_DAY = '2026-11-18';

describe.concurrent.each(orders)('looks at a log that is %s', async (order) => {
  const old = callsFrom(NOON - 30 * HOUR, 600, HOUR / 20, 'old');
  const watch = await Watch.over({ order, calls: old, cap: 250 });
  test('each call once, sorted, at the price of one request where nothing came', async () => {
    expect(await watch.sees(), 'what was there').toEqual([]);

    const quiet = await watch.look();
    expect(quiet.shown).toEqual([]);
    expect(quiet.queries.map((query) => [query.get('limit'), query.get('start_date')])).toEqual([['1', EXPECTED_DAY]]);

    watch.grow(callAt(NOON, 'single'));
    const single = await watch.look();
    expect(single.shown).toEqual(['single']);
    const calls = single.queries.reduce((sum, query) => sum + Number(query.get('limit')), 0);
    if (order !== 'in no order') expect(calls, 'an end of the log').toBeLessThan(100);

    watch.grow(callAt(NOON + 2, 'b'), callAt(NOON + 2, 'a'), callAt(NOON + 1, 'first'), callAt(NOON - DAY, 'late'));
    expect(await watch.sees()).toEqual(['late', 'first', 'a', 'b']);

    const many = callsFrom(NOON + HOUR, 1700, 1000, 'many');
    watch.grow(...many);
    expect(await watch.sees(), 'more than a page').toEqual(idsOf(many));

    watch.clock.now += HOUR;
    expect(await watch.sees(), 'nothing').toEqual([]);
    expect((await watch.look()).queries).toHaveLength(1);
  });

  const lasting = await Watch.over({
    order,
    calls: callsFrom(NOON - 30 * HOUR, 30, HOUR, 'old'),
    cap: 50,
    zoneHours: -7,
  });
  test('day after day, asleep for a week, and with the clock set back', async () => {
    expect(await lasting.sees()).toEqual([]);
    for (let day = 1; day <= 5; day++) {
      const fresh = callsFrom(lasting.clock.now + HOUR, 40, HOUR / 2, `day ${day}`);
      lasting.grow(...fresh);
      lasting.clock.now += DAY;
      expect(await lasting.sees()).toEqual(idsOf(fresh));
      const start = new Date(lasting.clock.now - 2 * DAY).toISOString().slice(0, 10);
      expect((await lasting.look()).queries.map((query) => query.get('start_date'))).toEqual([start]);
    }
    const week = callsFrom(lasting.clock.now, 7 * 24, HOUR, 'asleep');
    lasting.grow(...week);
    lasting.clock.now += 7 * DAY;
    expect(await lasting.sees()).toEqual(idsOf(week));
    lasting.clock.now -= 3 * DAY;
    expect(await lasting.sees()).toEqual([]);
    expect(new Set(lasting.shown).size).toBe(lasting.shown.length);
  });

  const thirty = callsFrom(NOON - 30 * HOUR, 30, HOUR, 'old');
  const breaking = await Watch.over({ order, calls: thirty, cap: 50 }, { timeoutMs: 1500 });
  test('a failure at any request: what it hid is shown by the next look, and nothing twice', async () => {
    expect(await breaking.sees()).toEqual([]);
    for (const at of [1, 2, 3, 4, 6, 9]) {
      const fresh = callsFrom(NOON + at * HOUR, 130, 1000, `round ${at}`);
      breaking.grow(...fresh);
      breaking.log.requests = 0;
      breaking.log.instead = (number) => (number >= at ? { status: 503, body: {} } : undefined);
      const { shown, failure } = await breaking.look();
      if (failure !== undefined) expect(mayPass(failure)).toBe(true);
      breaking.log.instead = undefined;
      const rest = await breaking.sees();
      expect([...shown, ...rest].sort()).toEqual(idsOf(fresh).sort());
    }
  });
});

describe.concurrent('services that count badly hide nothing', async () => {
  const counts: Record<string, NonNullable<DatedLog['page']>> = {
    'no total': () => ({ total: undefined }),
    'total is null': () => ({ total: null }),
    'total is always 0': () => ({ total: 0 }),
    'total is always 12': () => ({ total: 12 }),
    'total is the number in the page': ({ calls }) => ({ total: calls.length }),
    'total is one too many': ({ total }) => ({ total: total + 1 }),
  };
  for (const [name, page] of Object.entries(counts)) {
    for (const order of orders) {
      const watch = await Watch.over({ order, calls: callsFrom(NOON - 30 * HOUR, 30, HOUR, 'old'), cap: 20, page });
      test(`${name}, ${order}`, async () => {
        await watch.look();
        for (const [at, id] of ['one', 'two', 'three'].entries()) {
          watch.grow(callAt(NOON + at + 1, id));
          await watch.look();
          await watch.look();
        }
        expect(watch.shown).toEqual(['one', 'two', 'three']);
      });
    }
  }
});

describe.concurrent('where it begins and ends', async () => {
  const calls = callsFrom(NOON - 300 * HOUR, 300, HOUR);

  const since = await Watch.over({ calls, cap: 50, order: 'in no order' }, { since: NOON - 200 * HOUR });
  test('a time: with the calls since then, then with what comes; older days are left behind', async () => {
    const { shown, queries } = await since.look();
    expect(shown.length, 'whether they are wanted is for the filter').toBeGreaterThanOrEqual(200);
    expect(shown.slice(-200)).toEqual(idsOf(calls.slice(-200)));
    expect(queries[0]?.get('start_date')).toBe('2026-11-11');
    since.grow(callAt(NOON, 'new'));
    const next = await since.look();
    expect(next.shown).toEqual(['new']);
    expect(next.queries[0]?.get('start_date')).toBe(EXPECTED_DAY);
  });

  const ill = await Watch.over({ calls: [...calls, callAt(NOON - 1, 'just before')], cap: 50 }, { timeoutMs: 1500 });
  test('a service that is ill at first: what came since then is told from what was there', async () => {
    ill.log.instead = () => ({ status: 500, body: {} });
    expect((await ill.look()).shown).toEqual([]);
    ill.grow(callAt(NOON + 1, 'meanwhile'));
    ill.log.requests = 0;
    ill.log.instead = (number) => (number > 1 ? { status: 500, body: {} } : undefined);
    const half = (await ill.look()).shown;
    ill.log.instead = undefined;
    expect([...half, ...(await ill.sees())]).toEqual(['meanwhile']);
    ill.grow(callAt(NOON - HOUR, 'late'));
    expect(await ill.sees()).toEqual(['late']);
  });

  const bounded = await Watch.over({ calls: [], cap: 50 });
  test('what the window has left behind is forgotten: memory holds no more than some days', async () => {
    expect(await bounded.sees()).toEqual([]);
    bounded.grow(callAt(NOON, 'a number used again'));
    expect(await bounded.sees()).toEqual(['a number used again']);
    bounded.clock.now += 10 * DAY;
    expect(await bounded.sees()).toEqual([]);
    bounded.log.calls = [callAt(bounded.clock.now, 'a number used again')];
    expect(await bounded.sees()).toEqual(['a number used again']);
  });

  const shrinking = await Watch.over({ calls, cap: 50 });
  test('a log that shrinks', async () => {
    expect(await shrinking.sees()).toEqual([]);
    shrinking.log.calls = [...calls.slice(0, 280), callAt(NOON, 'new')];
    expect(await shrinking.sees()).toEqual(['new']);
    shrinking.grow(callAt(NOON, 'newer'));
    expect(await shrinking.sees()).toEqual(['newer']);
  });

  const bounds = { start_date: '2026-11-20', end_date: '2026-11-21' };
  const filtered = await Watch.over({ calls, cap: 50 }, { filters: { ...bounds, agent_id: 3 } });
  test('dates and agent go to the service; it is over once the last day can have no late entry', async () => {
    expect(await filtered.sees()).toEqual([]);
    filtered.grow(callAt(NOON - DAY, 'too old'), callAt(NOON, 'wanted'), callAt(NOON, 'of another', { agent_id: 4 }));
    expect(await filtered.sees()).toEqual(['wanted']);
    filtered.clock.now = Date.parse('2026-11-23T12:00:00Z');
    filtered.grow(callAt(NOON + 1.9 * DAY, 'too new'), callAt(NOON + DAY, 'late'));
    expect(await filtered.sees()).toEqual(['late']);
    expect(filtered.isOver).toBe(false);
    filtered.clock.now += DAY;
    expect(await filtered.sees()).toEqual([]);
    expect(filtered.isOver).toBe(true);
    for (const { query } of filtered.server.received) {
      expect([query.get('end_date'), query.get('agent_id')]).toEqual(['2026-11-21', '3']);
    }
  });

  test('pauses double while it is ill, up to a minute', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 5000].map(pauseAfterFailures)).toEqual(
      [2, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000),
    );
  });
});

// Calls that the service completes after it first shows them, and ids that it uses again ---------------------------------

describe('settled is', () => {
  test.each(cases<[Record<string, unknown>, boolean]>('whether nothing more is added to an entry'))(
    '%j: %s',
    (fields, settled) => {
      expect(isSettled(aCall(fields) as CallLogEntry)).toBe(settled);
    },
  );
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

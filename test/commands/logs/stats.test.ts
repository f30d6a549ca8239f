/** What `logs stats` counts, beside the same numbers computed another way from the raw log; and how a terminal shows it. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Statistics } from '../../../src/calls/statistics.ts';
import { casesBeside } from '../../support/cases.ts';
import { aCall, hostileLog, type LogCall, linesOf, someCalls } from '../../support/hostile-log.ts';
import { type Answer, sendJson } from '../../support/http.ts';
import { Operator, ROOT } from '../../support/program.ts';
import { type Shop, shopOf } from '../../support/shop.ts';
import { play, playHere } from '../../support/terminal.ts';

const cases = casesBeside(import.meta.filename);
const setUp = (answer: Answer) => shopOf(answer, { frozenAt: '2026-11-20T09:00:00Z' });
const ofCalls = (calls: readonly LogCall[]) => setUp(hostileLog({ calls, cap: 1000 }));
const inZone = (TZ: string) => ({ env: { TZ } });
const STATS = ['logs', 'stats'];

// Numbers --------------------------------------------------------------------------------------------------------------

/** The documented numbers by sorting, filtering and the calendar of Intl, with nothing of the program's. */
function independent(calls: readonly LogCall[], timeZone: string): Partial<Statistics> {
  const calendar = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', weekday: 'short' },
  });
  const timed = calls.flatMap((call) => {
    const text = String(call.timestamp ?? '');
    const instant = Date.parse(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
    if (Number.isNaN(instant)) return [];
    const parts = Object.fromEntries(calendar.formatToParts(instant).map(({ type, value }) => [type, value]));
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts.weekday ?? '');
    return [{ call, instant, date: `${parts.year}-${parts.month}-${parts.day}`, weekday, hour: Number(parts.hour) }];
  });
  const isCompleted = (call: LogCall) => call.call_status === 'completed';
  const completed = calls.filter(isCompleted);
  const isMachine = (call: LogCall) => /voicemail|machine/i.test(String(call.call_outcome));
  const durations = completed
    .flatMap(({ call_duration }) => (call_duration == null ? [] : [Number(call_duration)]))
    .sort((left, right) => left - right);
  const talk = durations.reduce((sum, seconds) => sum + seconds, 0);
  const ranked = (percent: number) => durations[Math.ceil((percent * durations.length) / 100) - 1] ?? null;
  const group = <T, K>(items: readonly T[], keyOf: (item: T) => K) => {
    return [...new Set(items.map(keyOf))].map((key) => [key, items.filter((item) => keyOf(item) === key)] as const);
  };
  const countBy = (field: string) =>
    Object.fromEntries(group(calls, (call) => call[field] || '(none)').map(([label, all]) => [label, all.length]));
  return {
    calls: calls.length,
    by_status: countBy('call_status'),
    by_outcome: countBy('call_outcome'),
    answer_rate: calls.length === 0 ? null : completed.filter((call) => !isMachine(call)).length / calls.length,
    talk_seconds: talk,
    duration: {
      mean: durations.length === 0 ? null : talk / durations.length,
      p50: ranked(50),
      p90: ranked(90),
      p99: ranked(99),
      max: durations.at(-1) ?? null,
    },
    by_day: group(timed, ({ date }) => date)
      .map(([date, all]) => {
        return { date, calls: all.length, completed: all.filter(({ call }) => isCompleted(call)).length };
      })
      .sort((left, right) => (left.date < right.date ? -1 : 1)),
    by_hour: Array.from({ length: 24 }, (_none, hour) => timed.filter((call) => call.hour === hour).length),
    by_weekday_hour: Array.from({ length: 7 }, (_none, weekday) =>
      Array.from(
        { length: 24 },
        (_nothing, hour) => timed.filter((call) => call.weekday === weekday && call.hour === hour).length,
      ),
    ),
    by_agent: group(calls, ({ agent_id }) => (agent_id == null ? null : Number(agent_id)))
      .map(([agent_id, all]) => ({ agent_id, calls: all.length, completed: all.filter(isCompleted).length }))
      .sort((left, right) => right.calls - left.calls || (left.agent_id ?? 0) - (right.agent_id ?? 0)),
    first_call: isoTime(Math.min(...timed.map(({ instant }) => instant))),
    last_call: isoTime(Math.max(...timed.map(({ instant }) => instant))),
    without_time: calls.length - timed.length,
    without_duration: completed.length - durations.length,
  };
}

function isoTime(instant: number): string | null {
  return Number.isFinite(instant) ? new Date(instant).toISOString() : null;
}

/** Bands without gaps that begin at 0 and hold each completed call once. */
function expectSoundBands({ duration_bands: bands }: Statistics, durations: readonly number[]): void {
  for (const [at, { from, until, calls }] of bands.entries()) {
    expect(from).toBe(bands[at - 1]?.until ?? 0);
    expect(calls).toBe(durations.filter((seconds) => seconds >= from && seconds < (until ?? Infinity)).length);
  }
  expect(bands.reduce((sum, { calls }) => sum + calls, 0)).toBe(durations.length);
  expect(bands.length).toBeLessThanOrEqual(13);
}

function durationsOf(calls: readonly LogCall[]): number[] {
  return calls.filter((call) => call.call_status === 'completed').map((call) => Number(call.call_duration));
}

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Kiritimati'];

describe.concurrent('a rehearsed campaign, beside its own export', () => {
  /** Two agents' calls through the night in which New York's clocks go back. */
  const operator = new Operator({ frozenAt: '2026-10-31T20:00:00Z', env: { VAGENT_LOCAL: '1' } });
  let log: LogCall[];

  beforeAll(async () => {
    const contacts = join(ROOT, 'samples/contacts.csv');
    await operator.json(['agent', 'create', '--name', 'Second', '--prompt', 'Be brief.', '--voice', '2']);
    for (const [agent, pace] of ['--calls-per-hour 4', '--calls-per-hour 2 --retry-delay 7h'].entries()) {
      const from = ['--agent', String(agent + 1), '--from', '+14155550100'];
      const flags = [...from, '--contacts', contacts, ...pace.split(' ')];
      await operator.json(['campaign', 'create', '--name', `Campaign ${agent}`, ...flags]);
    }
    await operator.json(['local', 'advance', '--until-idle']);
    const { stdout } = await operator.run(['logs', 'export', '--format', 'ndjson']);
    log = linesOf(stdout);
  });

  test.each(ZONES)('in %s', async (zone) => {
    const statistics = await operator.json<Statistics>(STATS, inZone(zone));
    expect(statistics).toMatchObject(independent(log, zone));
    expect(statistics.calls).toBeGreaterThan(50);
    expectSoundBands(statistics, durationsOf(log));
  });

  /** Hours before the engine's clock, which stands at the last call. */
  const since = (hours: number) => (call: LogCall) =>
    Date.parse(String(call.timestamp)) >=
    Math.max(...log.map(({ timestamp }) => Date.parse(String(timestamp)))) - hours * 3_600_000;
  const filters: { flags: string; wanted: (call: LogCall) => boolean }[] = [
    { flags: '--status completed', wanted: (call) => call.call_status === 'completed' },
    { flags: '--status nothing-like-it', wanted: () => false },
    { flags: '--outcome not_connected', wanted: (call) => call.call_outcome === 'not_connected' },
    { flags: '--agent 2', wanted: (call) => call.agent_id === 2 },
    { flags: '--since 5h', wanted: (call) => since(5)(call) },
    {
      flags: '--since 5h --agent 2 --status busy',
      wanted: (call) => since(5)(call) && call.agent_id === 2 && call.call_status === 'busy',
    },
    { flags: '--start-date 2026-11-01', wanted: (call) => String(call.timestamp) >= '2026-11-01' },
    { flags: '--end-date 2026-10-31', wanted: (call) => String(call.timestamp) < '2026-11-01' },
  ];
  test.each(filters)('$flags', async ({ flags, wanted }) => {
    const statistics = await operator.json<Statistics>([...STATS, ...flags.split(' ')], inZone('America/New_York'));
    expect(statistics).toMatchObject(independent(log.filter(wanted), 'America/New_York'));
  });
});

describe.concurrent('a service that is not as tidy', async () => {
  const odd = cases<LogCall>('calls of a service that is not as tidy') as LogCall[];
  const everywhere = {
    calls: 7,
    by_status: JSON.parse('{"completed": 3, "404": 1, "(none)": 1, "__proto__": 1, "in_progress": 1}'),
    by_outcome: { '(none)': 3, Sold: 1, constructor: 1, sold: 1, 'tab\there': 1 },
    answer_rate: 3 / 7,
    talk_seconds: 60,
    duration: { mean: 30, p50: 0, p90: 60, p99: 60, max: 60 },
    by_agent: [
      { agent_id: 10, calls: 3, completed: 0 },
      { agent_id: null, calls: 2, completed: 1 },
      { agent_id: 3, calls: 2, completed: 2 },
    ],
    duration_bands: expect.arrayContaining([
      { from: 0, until: 10, calls: 1 },
      { from: 60, until: 70, calls: 1 },
    ]),
    first_call: '2026-03-08T06:59:59.000Z',
    last_call: '2026-03-09T00:00:00.000Z',
    without_time: 3,
    without_duration: 1,
  };
  const day = (date: string, calls: number, completed: number) => ({ date, calls, completed });
  const places: { zone: string; by_day: object[]; hours: Record<number, number> }[] = [
    { zone: 'UTC', by_day: [day('2026-03-08', 3, 2), day('2026-03-09', 1, 0)], hours: { 6: 1, 7: 1, 23: 1, 0: 1 } },
    // From 1:59:59 to 3:00:00 it is a second there.
    { zone: 'America/New_York', by_day: [day('2026-03-08', 4, 2)], hours: { 1: 1, 3: 1, 19: 1, 20: 1 } },
    { zone: 'Asia/Kolkata', by_day: [day('2026-03-08', 2, 2), day('2026-03-09', 2, 0)], hours: { 12: 2, 5: 2 } },
  ];
  const { operator } = await ofCalls(odd);
  test.each(places)('odd calls in $zone', async ({ zone, by_day, hours }) => {
    const { code, stdout, stderr } = await operator.run([...STATS, '--json'], inZone(zone));
    const statistics = JSON.parse(stdout) as Statistics;
    expect(statistics).toMatchObject({ ...everywhere, by_day });
    expect(statistics.by_hour).toEqual(Array.from({ length: 24 }, (_none, hour) => hours[hour] ?? 0));
    expect({ code, lines: stderr.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        'Warning: 3 calls without a time that can be read: counted, but in no day and hour.',
        'Warning: 1 call completed without a duration that can be read: counted, but in no duration.',
      ],
    });
  });

  /** Numbers in no order that are the same in every run. */
  let state = 1;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const offsets = ['Z', '+05:30', '-08:00', '+00:00'];
  const manyCalls = Array.from({ length: 3000 }, (_none, at) => {
    // Around each change of clocks of a year in New York and on Lord Howe Island, by 2 hours to either side.
    const change = ['2026-03-08T07:00Z', '2026-04-04T15:00Z', '2026-10-03T15:30Z', '2026-11-01T06:00Z'][below(4)] ?? '';
    const offset = offsets[below(4)] ?? '';
    const shift = offset === 'Z' ? 0 : Date.parse(`1970-01-01T00:00${offset}`);
    const shown = new Date(Date.parse(change) + below(14_400_000) - 7_200_000 - shift).toISOString();
    return aCall({
      call_id: `call_${at}`,
      agent_id: 1 + below(3),
      call_status: ['completed', 'completed', 'busy', 'no_answer'][below(4)],
      call_outcome: `outcome ${below(20)}`,
      call_duration: below(at % 100 === 0 ? 5000 : 240),
      timestamp: shown.replace('Z', offset),
    });
  });
  const many = await ofCalls(manyCalls);
  test.each(ZONES)('3000 calls around changes of the clocks, in %s', async (zone) => {
    const statistics = await many.operator.json<Statistics>(STATS, inZone(zone));
    expect(statistics).toMatchObject(independent(manyCalls, zone));
    expectSoundBands(statistics, durationsOf(manyCalls));
  });

  const empty = await ofCalls([]);
  test('no call at all', async () => {
    const nothing = { ...independent([], 'UTC'), duration_bands: [], timezone: 'UTC' };
    expect(await empty.operator.json(STATS)).toEqual(nothing);
    expect(await empty.operator.run([...STATS, '-o', 'table'])).toMatchObject({ code: 0, stdout: 'calls       0\n' });
  });

  const twice = await setUp(
    hostileLog({ calls: someCalls(25).flatMap((call) => [call, call]), page: () => ({ total: 25 }) }),
  );
  test('every call comes twice', async () => {
    expect(await twice.operator.json(STATS)).toMatchObject({ calls: 25, by_status: { completed: 25 } });
  });

  const firstPage = hostileLog({ calls: someCalls(45) });
  const failing = await setUp((request, response) =>
    request.query.get('offset') === '0'
      ? firstPage(request, response)
      : sendJson(response, 500, { message: 'The log is out of order.' }),
  );
  test('only the first page can be had: no numbers at all', async () => {
    const { code, stdout, stderr } = await failing.operator.run([...STATS, '--json', '--timeout', '1s']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { status: 500 } });
  });
});

// A terminal -----------------------------------------------------------------------------------------------------------

/** What a command shows at a terminal of so many columns, without how far it is where it is slow, and then its exit code. */
async function atTerminal(
  { operator, env }: Shop,
  args: readonly string[],
  columns: number,
  more: Record<string, string>,
  at = playHere,
): Promise<string> {
  const { code, output } = await at(operator, [...args, '--quiet'], [], { env: { ...env, ...more }, columns });
  return `${output.replaceAll('\r', '')}[${code}]\n`;
}

describe.concurrent('at a terminal', async () => {
  const ESCAPE = '\u001b';
  const labels = [
    'sold',
    '预约成功了，请再次致电以确认预约时间',
    'x'.repeat(200),
    `${ESCAPE}[31mred${ESCAPE}[0m`,
    '📞 called back',
    'e\u0301'.repeat(30),
  ];
  const calls = Array.from({ length: 900 }, (_none, at) =>
    aCall({
      call_id: `call_${at}`,
      agent_id: at % 20,
      call_status: ['completed', 'busy', 'no_answer'][at % 3],
      call_outcome: at < 600 ? labels[at % labels.length] : `label ${at % 30}`,
      call_duration: (at * 7) % 400,
      timestamp: new Date(Date.parse('2026-08-01T00:00Z') + at * 9_000_000).toISOString(),
    }),
  );
  const shop = await ofCalls(calls);
  /** Columns of a line: letters of East Asia and emoji take two, accents none. */
  const columnsOf = (line: string) =>
    [...line.replaceAll('\u0301', '')].reduce((sum, letter) => sum + (/[\u3000-\uffef]|📞/u.test(letter) ? 2 : 1), 0);

  test.each([
    { cols: 80, hour: 3, at: play },
    { cols: 40, hour: 1, at: playHere },
    { cols: 300, hour: 3, at: playHere },
  ])('$cols columns', async ({ cols, hour, at }) => {
    const output = await atTerminal(shop, STATS, cols, {}, at);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
    expect(output.replace(/\u001b\[(1|2|36|38;5;\d+|0)m/g, ''), 'no other sequence than our colours').not.toContain(
      ESCAPE,
    );
    expect(output).toContain(`${ESCAPE}[36m█`);
    const lines = stripVTControlCharacters(output).split('\n');
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(Math.min(cols, 100));
    expect(Math.max(...lines.map(columnsOf))).toBeGreaterThan(Math.min(cols, 100) - 4);
    expect(lines.filter((line) => line.includes('…') && line.includes('more'))).toEqual([
      '  … and 23 more (--json has all)',
      '  … and 7 more (--json has all)',
    ]);
    expect(
      lines.filter((line) => /^ {2}(Mon|Tue|Wed|Thu|Fri|Sat|Sun) {2}[·░▒▓█]+$/.test(line)).map(({ length }) => length),
    ).toEqual(new Array(7).fill(7 + 24 * hour));
    const spark = lines[lines.indexOf('Calls by day') + 1] ?? '';
    expect(spark).toMatch(/^ {2}[▁▂▃▄▅▆▇█ ]+$/);
    expect(spark.length).toBeGreaterThan(Math.min(cols, 94) / 2);
  });

  const few = [
    aCall({ call_id: '1', timestamp: '2026-11-16T09:10:00Z', call_duration: 61, agent_id: 1 }),
    aCall({ call_id: '2', timestamp: '2026-11-16T09:20:00Z', call_duration: 30, agent_id: 1 }),
    aCall({ call_id: '3', timestamp: '2026-11-18T17:00:00Z', call_status: 'busy', call_outcome: null, agent_id: 12 }),
  ];
  const small = await ofCalls(few);
  const whole = cases<string>('the whole of it at 40 columns');
  test.each([
    { name: 'NO_COLOR', args: [], colors: { NO_COLOR: '1' } },
    { name: '--no-color', args: ['--no-color'], colors: {} },
  ])('the whole of it with $name, by shades alone', async ({ args, colors }) => {
    expect(await atTerminal(small, [...STATS, ...args], 40, colors)).toBe(`${whole.join('\n')}\n`);
  });

  test('-o table through a pipe: 80 columns, no colours', async () => {
    const { stdout } = await shop.operator.run([...STATS, '-o', 'table']);
    expect(stdout).not.toContain(ESCAPE);
    expect(Math.max(...stdout.split('\n').map(columnsOf))).toBe(80);
  });
});

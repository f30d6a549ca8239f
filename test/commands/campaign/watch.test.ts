/**
 * `vagent campaign watch`: on a real terminal until the end, in a pipe, beside other processes, and while a service is ill. What
 * needs no waiting is in `watch.session`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SNAPSHOT_FIELDS } from '../../../src/campaigns/progress/progress.ts';
import { type CallingService, callTo, setUp } from '../../support/calling-service.ts';
import type { LogCall } from '../../support/hostile-log.ts';
import { BIN, finished, Operator, ROOT, temporaryFolder } from '../../support/program.ts';
import { expectWhole, framesOf, shownBy } from '../../support/screen.ts';
import { CTRL_C, play, playHere } from '../../support/terminal.ts';
import { UnderWay } from '../../support/under-way.ts';

const NOW = '2026-11-20T09:00:00Z';
const CONTACTS = ['--contacts', join(ROOT, 'samples/contacts.csv')];
const FROM = ['--agent', '1', '--from', '+14155550100'];
const PACE = ['--calls-per-hour', '60', '--retry-delay', '10m'];

/** An operator with a campaign on the local engine: 25 contacts, 35 calls, over after 42 minutes. */
async function withCampaign(...flags: string[]): Promise<Operator> {
  const operator = new Operator({ frozenAt: NOW, env: { VAGENT_LOCAL: '1' } });
  await operator.json(['campaign', 'create', '--name', 'Spring', ...FROM, ...CONTACTS, ...PACE, ...flags]);
  return operator;
}

const END = 'Campaign 1, Spring, is over: 25 contacts, 22 reached, 3 not reached.';

describe.each([60, 80, 120])('a terminal of %i columns', (columns) => {
  test('shows a campaign to its end', async () => {
    const operator = await withCampaign();
    const { code, output } = await play(operator, ['campaign', 'watch', '1', '--speed', '1500'], [], { columns });
    expect(code).toBe(0);
    const frames = await framesOf(output, columns);
    expect(frames.length).toBeGreaterThan(5);
    expectWhole(frames, 'Spring');
    for (const { lines } of frames.slice(0, -1)) {
      expect(lines.filter((line) => line.startsWith('Last calls')).length).toBeLessThanOrEqual(1);
      expect(lines.filter((line) => line.includes(' %')).length).toBeLessThanOrEqual(2);
    }
    const last = await shownBy(output, columns);
    expect(last.isCursorVisible).toBe(true);
    expect(last.text).toContain('Spring · campaign 1 · over, began 20 Nov 09:00\n');
    expect(last.text).toMatch(/█+▓+ 100 %\n█ reached 22 {2}▓ not reached 3/);
    expect(last.text).toContain('35 calls, the last 20 Nov 09:42\n');
    expect(last.text.replaceAll('\n', ' ')).toContain(`${END} `);
    expect(last.text).toContain('Next: vagent campaign results 1');
    await expect(last.text).toMatchFileSnapshot(join(ROOT, `test/screens/campaign-watch.${columns}.txt`));
  });
});

test.concurrent('Ctrl-C ends the watch, not the campaign: the last picture stays, and the cursor is there', async () => {
  const operator = await withCampaign();
  const { code, output } = await play(operator, ['campaign', 'watch', '1'], [/waiting 24/, CTRL_C]);
  expect(code).toBe(0);
  const { text, isCursorVisible } = await shownBy(output, 120);
  expect(isCursorVisible).toBe(true);
  expect(text).toMatch(/^Watching\. End with Ctrl-C: the campaign goes on\.\nSpring · campaign 1 · running since/);
  expect(text).toMatch(/\nCampaign 1 goes on: only the watch has ended\.\n$/);
});

test.concurrent('Ctrl-Z gives the shell its cursor, and fg shows all of it again', async () => {
  const operator = await withCampaign();
  const command = `${process.execPath} ${BIN} campaign watch 1\r`;
  const steps = [command, /waiting 24/, '\u001a', /Stopped/, 'fg\r', /Spring · campaign 1.*waiting 24/s, CTRL_C];
  const script = 'exec bash --norc -i';
  const { output } = await play(operator, [], [...steps, /only the watch has ended/, 'exit\r'], { script });
  const [, stopped = ''] = output.split('\u001b[?25h');
  expect(stopped).toContain('Stopped');
  expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
});

test.concurrent('a terminal without UTF-8 gets a picture of ASCII', async () => {
  const operator = await withCampaign();
  const { output } = await play(operator, ['campaign', 'watch', '1'], [/waiting 24/, CTRL_C], { env: { LANG: 'C' } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: whatever is not of ASCII
  expect(output).not.toMatch(/[^\u0000-\u007f]/);
  expect(output).toContain('Spring');
});

describe.concurrent('another size while it is watched', () => {
  const whole = /campaign 1 · running since.*Last calls/s;
  test.each([
    { columns: 40, rows: 12, shown: /Last calls/ },
    { columns: 20, rows: 6, shown: /Spring · running…/ },
    { columns: 200, rows: 50, shown: whole },
    { columns: 120, rows: 3, shown: /Spring/ },
  ])('%j', async ({ columns, rows, shown }) => {
    const operator = await withCampaign();
    await operator.run(['local', 'advance', '20m']);
    const steps = [whole, { columns, rows }, shown, { columns: 120, rows: 40 }, whole, CTRL_C];
    const { code, output } = await play(operator, ['campaign', 'watch', '1'], steps);
    expect(code).toBe(0);
    // After the last size everything is drawn anew.
    const { text, isCursorVisible } = await shownBy(output.slice(output.lastIndexOf('\u001b[?25l')), 120);
    expect(isCursorVisible).toBe(true);
    expect(text).toMatch(/^Spring · campaign 1 · running since 20 Nov 09:00\n█/);
  });
});

test.concurrent('a terminal that cannot repaint gets lines, without a single escape sequence', async () => {
  const operator = await withCampaign();
  const script = `TERM=dumb exec ${process.execPath} ${BIN} campaign watch 1 --speed 3000`;
  const { code, output } = await play(operator, [], [], { script });
  expect(code).toBe(0);
  expect(output).not.toContain('\u001b');
  const lines = output.replaceAll('\r', '').split('\n');
  expect(lines).toContain(
    '20 Nov 09:00  Spring, campaign 1: 1 not reached, 24 waiting; 1 call, at most 60 an hour; ' +
      'ends about 20 Nov 09:44 (in 44 min), at the latest 20 Nov 10:24',
  );
  expect(lines.at(-4)).toMatch(/^20 Nov 09:\d\d {2}Spring, campaign 1: 22 reached, 3 not reached; 35 calls, the last/);
});

// In a pipe -----------------------------------------------------------------------------------------------------------

interface Snapshot extends Record<string, unknown> {
  is_over: boolean;
  attempts: number;
  states: Record<string, number>;
}

const parsed = (stdout: string): Snapshot[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.each([[[]], [['-o', 'ndjson']], [['--json']], [['-o', 'json', '--quiet']]])('in a pipe %j', (flags) => {
  test('a snapshot whenever something has changed, the first at the start, the last at the end', async () => {
    const operator = await withCampaign();
    const { code, stdout, stderr } = await operator.run(['campaign', 'watch', '1', '--speed', '3000', ...flags]);
    expect(code).toBe(0);
    const snapshots = parsed(stdout);
    expect(snapshots.length).toBeGreaterThan(3);
    for (const snapshot of snapshots) {
      expect(Object.keys(snapshot)).toEqual(SNAPSHOT_FIELDS);
      const all = Object.values(snapshot.states).reduce((sum, count) => sum + count, 0);
      expect(all).toBe(25);
    }
    expect(snapshots.map(({ is_over }) => is_over)).toEqual(snapshots.map((_one, at) => at === snapshots.length - 1));
    const changes = snapshots.map(({ attempts }) => attempts);
    expect(changes).toEqual([...new Set(changes)].sort((one, other) => one - other));
    expect(snapshots.at(-1)).toMatchObject({
      ...{ campaign_id: 1, campaign_name: 'Spring', status: 'over', reason: null, contacts: 25, attempts: 35 },
      states: { waiting: 0, calling: 0, reached: 22, not_reached: 3, no_result: 0, excluded: 0, not_called: 0 },
      last_results: { completed: 22, voicemail: 3 },
      ...{ ambiguous: 0, calls_per_hour: 60, start_time: '2026-11-20T09:00:00.000Z', expected_finish: null },
      ...{ first_call: '2026-11-20T09:00:00.000Z', last_call: '2026-11-20T09:42:00.000Z' },
    });
    const quiet = flags.includes('--quiet');
    expect(stderr.includes(END)).toBe(!quiet);
    if (quiet) expect(stderr).toBe('');
  });
});

test.concurrent('a reader that goes ends it with 0', async () => {
  const operator = await withCampaign();
  const script = '("$@"; echo "exit code $?" >&2) | head -1';
  const args = [process.execPath, BIN, 'campaign', 'watch', '-q', '--speed', '3000'];
  const shell = spawn('sh', ['-c', script, 'sh', ...args], { env: operator.environment, cwd: operator.home });
  const { code, stdout, stderr } = await finished(shell);
  expect(parsed(stdout)).toHaveLength(1);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'exit code 0\n' });
});

// Time ----------------------------------------------------------------------------------------------------------------

test.concurrent('without --speed it watches at the pace of the engine, whoever moves its clock', async () => {
  const operator = await withCampaign();
  const running = UnderWay.program(operator, ['campaign', 'watch', '1', '--fields', 'attempts,is_over']);
  await running.lines(1);
  await operator.json(['local', 'advance', '10m']);
  await running.lines(2);
  await operator.json(['local', 'advance', '--until-idle']);
  const { code, stdout } = await running.outcome;
  expect(code).toBe(0);
  const attempts = parsed(stdout).map((snapshot) => snapshot.attempts);
  expect(attempts).toEqual([1, 11, 35]);
});

test.concurrent('two that move the clock at once do each other no harm', async () => {
  const operator = await withCampaign();
  const watches = ['900', '1100'].map((speed) =>
    UnderWay.program(operator, ['campaign', 'watch', '1', '--speed', speed]),
  );
  await watches[0]?.lines(2);
  await operator.json(['local', 'advance', '5m']);
  const outcomes = await Promise.all(watches.map(({ outcome }) => outcome));
  for (const { code, stdout } of outcomes) {
    expect(code).toBe(0);
    const times = parsed(stdout).map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted());
    expect(parsed(stdout).at(-1)).toMatchObject({ attempts: 35, is_over: true });
  }
  const { code } = await operator.run(['local', 'check']);
  expect(code).toBe(0);
});

test.concurrent('Ctrl-C stops the clock', async () => {
  const operator = await withCampaign();
  const running = UnderWay.program(operator, ['campaign', 'watch', '1', '--speed', '60']);
  await running.lines(2);
  expect(await running.interrupt()).toMatchObject({ code: 0 });
  const { now } = await operator.json<{ now: string }>(['local', 'status']);
  expect((await operator.json<{ now: string }>(['local', 'status'])).now).toBe(now);
});

// Several -------------------------------------------------------------------------------------------------------------

describe.concurrent('without a campaign', () => {
  test('all that are not over, and those that begin meanwhile', async () => {
    const operator = await withCampaign();
    const create = (name: string, from: string) =>
      operator.json(['campaign', 'create', '--name', name, '--agent', '1', '--from', from, ...CONTACTS, ...PACE]);
    const steps = [
      /Spring · campaign 1 .*Last calls/s,
      async () => void (await create('Autumn', '+442079460100')),
      /Autumn · campaign 2 · running/,
      async () => void (await operator.run(['local', 'advance', '--until-idle'])),
    ];
    const { code, output } = await play(operator, ['campaign', 'watch'], steps);
    expect(code).toBe(0);
    const { text } = await shownBy(output, 120);
    expect(text).toContain('Spring · campaign 1 · over, began 20 Nov 09:00\n');
    expect(text).toContain('Autumn · campaign 2 · over, began 20 Nov 09:00\n');
    expect(text).toContain('Campaign 2, Autumn, is over: 25 contacts');
  });
});

test('in this process, at a terminal of no size', async () => {
  const operator = await withCampaign();
  const { code, text } = await playHere(operator, ['campaign', 'watch', '1', '--speed', '9000'], [], { columns: 0 });
  expect(code).toBe(0);
  expect(text).toContain(END);
});

// On a service ----------------------------------------------------------------------------------------------------------

/** What runs in one folder runs side by side. */
const together = temporaryFolder();

async function service(): Promise<CallingService> {
  const shop = await setUp(together);
  await shop.create('Spring');
  return shop;
}

function add(shop: CallingService, contact: number, fields: Partial<LogCall> = {}): void {
  shop.calls = [callTo(contact, fields), ...shop.calls];
}

const watchOf = ({ operator }: CallingService, ...flags: string[]) =>
  UnderWay.here(operator, ['campaign', 'watch', '9', ...flags], { cwd: together });

// Made while tests are collected: hooks of vitest do not work inside one.
describe.concurrent('on a service', async () => {
  const lateShop = await service();
  test('it is over when nobody waits any more, and no call is under way: a late entry is waited for', async () => {
    const shop = lateShop;
    const running = watchOf(shop, '--fields', 'states,attempts,is_over');
    await running.lines(1);
    add(shop, 0);
    add(shop, 2, { call_status: 'busy', call_outcome: 'not_connected' });
    await running.lines(2);
    // Now the last one is called, and its entry comes before it is complete.
    add(shop, 1, { call_status: 'in_progress', call_outcome: '', transcript: '' });
    await running.lines(3);
    shop.calls = shop.calls.map((call) => (call.call_id === 'call_1' ? { ...call, call_status: 'completed' } : call));
    // A completed call without an outcome: what it was is not known yet.
    await running.lines(4);
    shop.calls = shop.calls.map((call) =>
      call.call_id === 'call_1' ? { ...call, call_outcome: 'voicemail_left', transcript: 'Beep.' } : call,
    );
    const { code, stdout } = await running.outcome;
    expect(code).toBe(0);
    const snapshots = parsed(stdout);
    expect(snapshots.map(({ is_over }) => is_over)).toEqual([false, false, false, false, true]);
    expect(snapshots.at(-1)).toMatchObject({
      states: { reached: 1, not_reached: 2, waiting: 0, calling: 0 },
      attempts: 3,
    });
  });

  const illShop = await service();
  test('a service that is ill: told once, and told once that it is well; nothing is lost', async () => {
    const shop = illShop;
    add(shop, 0);
    const running = watchOf(shop, '--fields', 'attempts', '--timeout', '3s');
    await running.lines(1);
    shop.instead = { status: 503, body: { message: 'Under repair.' } };
    await running.says('Under repair. Trying again until the service works.');
    const { received } = shop.server;
    const before = received.length;
    await vi.waitUntil(() => received.length > before + 2, { timeout: 60_000 });
    add(shop, 1);
    shop.instead = undefined;
    await running.says('The service works again.');
    expect(await running.lines(2)).toEqual(['{"attempts":1}', '{"attempts":2}']);
    const { code, stderr } = await running.interrupt();
    expect(code).toBe(0);
    expect(stderr.match(/Under repair/g)).toHaveLength(1);
    expect(stderr.match(/works again/g)).toHaveLength(1);
  });

  const illAtFirstShop = await service();
  test('a service that is ill at first: nothing is shown until all was read', async () => {
    const shop = illAtFirstShop;
    shop.instead = { status: 503, body: { message: 'Under repair.' } };
    const running = watchOf(shop);
    await running.says('Under repair.');
    expect((await running.interrupt()).stdout).toBe('');
  });

  for (const [status, code] of [
    [401, 4],
    [404, 5],
  ] as const) {
    const shop = await service();
    test(`a ${status} ends it with ${code}`, async () => {
      shop.instead = { status, body: { message: 'No.' } };
      expect(await shop.operator.run(['campaign', 'watch', '9'])).toMatchObject({ code, stdout: '' });
    });
  }

  const anewShop = await service();
  test('a log that is written anew is counted once', async () => {
    const shop = anewShop;
    add(shop, 0);
    const running = watchOf(shop, '--fields', 'attempts');
    await running.lines(1);
    shop.calls = shop.calls.map((call) => ({ ...call, call_outcome: 'not_interested', notes: 'corrected' }));
    add(shop, 1);
    expect(await running.lines(2)).toEqual(['{"attempts":1}', '{"attempts":2}']);
    expect(await running.interrupt()).toMatchObject({ code: 0 });
  });

  const hostileShop = await service();
  test('nothing that it says acts on the terminal', async () => {
    const shop = hostileShop;
    const hostile = '\u001b[2J\u001b]0;owned\u0007\u202e\r\nowned';
    for (const contact of [0, 1])
      add(shop, contact, { call_outcome: hostile, call_status: contact === 0 ? 'completed' : hostile });
    const env = { VAGENT_LOCAL: '', ...shop.operator.environment };
    const { output } = await play(shop.operator, ['campaign', 'watch', '9'], [/owned.*owned/s, CTRL_C], { env });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what vagent itself writes
    const rest = output.replaceAll(/\u001b\[(\?25[hl]|\?7[hl]|\d*[AKJ]|[\d;]*m)|\r|\n/g, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});

/** An export that is cut off anywhere, and gone on with: the same bytes as one that ran through. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesIn } from '../support/files.ts';
import { isTurnOf } from '../support/full-matrix.ts';
import { type LogCall, someCalls } from '../support/hostile-log.ts';
import { type Answer, sendJson, startServer } from '../support/http.ts';
import { BIN, finished, Operator, type Outcome } from '../support/program.ts';

const PAGES = 25;
const PAGE = 40;
/** Every tenth has a field that nobody documents, and all have what a careless CSV breaks. */
const CALLS: readonly LogCall[] = someCalls(PAGES * PAGE).map((call, at) => ({
  ...call,
  transcript: `Agent: "Hello, ${at}"\nCaller: =1+1`,
  ...(at % 10 === 0 ? { cost: at / 10 } : {}),
}));

/** A quiet log behind HTTP, `PAGE` calls a page, that can be made to see its reader killed or its network gone. */
class QuietLog {
  calls = CALLS;
  #requests = 0;
  onRequest: (request: number) => void = () => {};
  #trouble: { at: number; then: (response: Parameters<Answer>[1]) => void } | undefined;

  readonly answer: Answer = ({ query }, response) => {
    this.#requests += 1;
    this.onRequest(this.#requests);
    if (this.#trouble !== undefined && this.#requests >= this.#trouble.at) return this.#trouble.then(response);
    const offset = Number(query.get('offset') ?? 0);
    const shown = this.calls.slice(offset, offset + Math.min(Number(query.get('limit') ?? 100), PAGE));
    sendJson(response, 200, { success: true, calls: shown, total: this.calls.length, limit: shown.length, offset });
  };

  /** From the request of that number on, this happens in place of an answer. */
  trouble(at: number, then: (response: Parameters<Answer>[1]) => void): void {
    this.#requests = 0;
    this.#trouble = { at, then };
  }

  calm(): void {
    this.#requests = 0;
    this.#trouble = undefined;
    this.onRequest = () => {};
  }

  get requests(): number {
    return this.#requests;
  }
}

interface Shop {
  log: QuietLog;
  /** A person with a home of their own, at the same service. */
  newOperator(): Operator;
}

async function open(): Promise<Shop> {
  const log = new QuietLog();
  const { url } = await startServer(log.answer);
  const env = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '7', VAGENT_API_KEY: 'key-of-tests' };
  return { log, newOperator: () => new Operator({ env }) };
}

const read = ({ home }: Operator, name: string) => readFileSync(join(home, name), 'utf8');
const files = ({ home }: Operator) => namesIn(home);

/** What a kill at these requests of an export would leave, as a home each: files are what they are at that moment. */
async function homesAt(
  { log, newOperator }: Shop,
  flags: readonly string[],
  at: readonly number[],
): Promise<Operator[]> {
  const operator = newOperator();
  const homes: Operator[] = [];
  log.onRequest = (request) => {
    if (at.includes(request)) homes.push(copyOf(operator, newOperator()));
  };
  await operator.run(['logs', 'export', ...flags]);
  log.calm();
  return homes;
}

/**
 * What a kill at one request would leave, of an export in a home where nothing or an earlier one stands. A start of the program
 * for each takes three times as long: those below that kill it show that it comes to the same.
 */
async function leftAt(
  shop: Shop,
  at: number,
  flags: readonly string[],
  operator = shop.newOperator(),
): Promise<Operator> {
  const interrupt = new AbortController();
  const left = shop.newOperator();
  shop.log.trouble(at, (response) => {
    if (!interrupt.signal.aborted) copyOf(operator, left);
    interrupt.abort();
    response.destroy();
  });
  expect(await operator.run(['logs', 'export', ...flags], { signal: interrupt.signal })).toMatchObject({ code: 130 });
  shop.log.calm();
  return left;
}

function copyOf(from: Operator, to: Operator): Operator {
  cpSync(from.home, to.home, { recursive: true });
  return to;
}

/** An export that is killed by `signal` when the service gets its `at`-th request. */
async function cutOff(
  { log, newOperator }: Shop,
  at: number,
  flags: readonly string[],
  signal: NodeJS.Signals,
): Promise<{ operator: Operator; outcome: Outcome }> {
  const operator = newOperator();
  const child = operator.start(['logs', 'export', ...flags]);
  log.trouble(at, () => child.kill(signal));
  const outcome = await finished(child);
  log.calm();
  return { operator, outcome };
}

interface Kind {
  flags: readonly string[];
  /** The request at which it is killed. */
  killed: number;
  /** Others, of which it is seen what a kill would leave. */
  at: readonly number[];
}

/** The last page is full, so one more is asked for. */
const ALL_REQUESTS = Array.from({ length: PAGES + 1 }, (_none, at) => at + 1).filter((at) => isTurnOf(at, 2));

const kinds: Record<string, Kind> = {
  CSV: { flags: ['--out', 'calls'], killed: 11, at: ALL_REQUESTS },
  'CSV, one page at a time': { flags: ['--out', 'calls', '--concurrency', '1'], killed: 14, at: [1, 2, 25] },
  NDJSON: { flags: ['--out', 'calls', '--format', 'ndjson'], killed: 17, at: [2] },
  JSON: { flags: ['--out', 'calls', '--format', 'json'], killed: 6, at: [2, 25] },
  'CSV for a spreadsheet': { flags: ['--out', 'calls', '--excel'], killed: 16, at: [3] },
  'CSV with all columns': { flags: ['--out', 'calls', '--columns', 'all'], killed: 20, at: [2] },
  'CSV of some calls': { flags: ['--out', 'calls', '--search', 'hello, 7'], killed: 20, at: [2] },
};

describe.concurrent('kill -9 at a page, then --resume: the bytes of a run without a break', async () => {
  for (const [name, { flags, killed, at }] of Object.entries(kinds)) {
    const shop = await open();
    test(`${name}: at page ${killed}, and as it stands at ${at.length} others`, async () => {
      const whole = shop.newOperator();
      expect(await whole.run(['logs', 'export', ...flags])).toMatchObject({ code: 0 });
      const { operator, outcome } = await cutOff(shop, killed, flags, 'SIGKILL');
      expect(outcome.signal).toBe('SIGKILL');
      const homes = await homesAt(shop, flags, at);
      expect(homes).toHaveLength(at.length);
      for (const [index, left] of [operator, ...homes].entries()) {
        const request = `request ${[killed, ...at][index]}`;
        expect(existsSync(join(left.home, 'calls')), 'nothing under the name yet').toBe(false);
        const resumed = await left.run(['logs', 'export', ...flags, '--resume']);
        expect(resumed, request).toMatchObject({ code: 0 });
        expect(read(left, 'calls') === read(whole, 'calls'), request).toBe(true);
        expect(files(left)).toEqual(['calls']);
      }
    });
  }
});

/** What a run that was cut off leaves. */
const left = ['.calls.csv.vagent/checkpoint', '.calls.csv.vagent/rows'];

describe.concurrent('an export that is cut off', async () => {
  const OUT = ['--out', 'calls.csv'];
  const interrupted = await open();
  test('Ctrl-C: exit 130, says how to go on, and does not read again what it has', async () => {
    const { operator, outcome } = await cutOff(interrupted, 15, [...OUT, '--concurrency', '1'], 'SIGINT');
    expect(outcome.code).toBe(130);
    expect(outcome.stderr).toContain('560 calls are kept beside calls.csv');
    expect(files(operator)).toEqual(left);
    const resumed = await operator.run(['logs', 'export', ...OUT, '--resume', '--concurrency', '1']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing after 560 calls.') });
    expect(resumed.stderr).toContain('1000 calls written to calls.csv.');
    // The last page is full, so one more is asked for.
    expect(interrupted.log.requests).toBe(PAGES - 14 + 1);
  });

  const anew = await open();
  test('without --resume it begins anew, and what stood under the name stays until the end', async () => {
    const operator = await leftAt(anew, 10, OUT);
    writeFileSync(join(operator.home, 'calls.csv'), 'yesterday\n');
    const again = await operator.run(['logs', 'export', ...OUT]);
    expect(again).toMatchObject({ code: 0, stderr: '1000 calls written to calls.csv.\n' });
    expect(files(operator)).toEqual(['calls.csv']);
  });

  const other = await open();
  test('--resume with other flags: exit 2, nothing is touched', async () => {
    const operator = await leftAt(other, 10, OUT);
    const before = left.map((name) => read(operator, name));
    for (const flags of [['--format', 'ndjson'], ['--status', 'busy'], ['--org', '8'], ['--excel']]) {
      const outcome = await operator.run(['logs', 'export', ...OUT, '--resume', ...flags]);
      expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('was another one') });
    }
    expect(left.map((name) => read(operator, name))).toEqual(before);
  });

  const nothing = await open();
  test('--resume with nothing to continue, or a file shorter than noted, starts from the beginning with a note', async () => {
    const fresh = nothing.newOperator();
    const outcome = await fresh.run(['logs', 'export', ...OUT, '--resume']);
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('starting from the beginning') });

    const operator = await leftAt(nothing, 10, OUT);
    writeFileSync(join(operator.home, '.calls.csv.vagent/rows'), 'short');
    const resumed = await operator.run(['logs', 'export', ...OUT, '--resume']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('starting from the beginning') });
    expect(read(operator, 'calls.csv')).toBe(read(fresh, 'calls.csv'));
  });

  const torn = await open();
  test('a checkpoint whose last line is torn counts up to the line before', async () => {
    const operator = await leftAt(torn, 10, [...OUT, '--concurrency', '1']);
    const path = join(operator.home, '.calls.csv.vagent/checkpoint');
    writeFileSync(path, readFileSync(path).subarray(0, -7));
    const resumed = await operator.run(['logs', 'export', ...OUT, '--resume']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('Continuing after 320 calls.') });
    expect(idsIn(read(operator, 'calls.csv'))).toEqual(CALLS.map(({ call_id }) => call_id));
  });
});

describe.concurrent('what was kept stays, whatever stops the run that goes on with it', async () => {
  const OUT = ['--out', 'calls.csv', '--concurrency', '1'];
  type Trouble = (shop: Shop, operator: Operator) => Promise<Outcome>;

  /** Goes on in a shell that lets no file grow beyond what is kept already. */
  const onAFullDisk: Trouble = (_shop, operator) => {
    const script = `ulimit -f 8; exec "${process.execPath}" "${BIN}" logs export ${OUT.join(' ')} --resume`;
    return finished(spawn('sh', ['-c', script], { cwd: operator.home, env: operator.environment }));
  };
  const killedBy =
    (signal: NodeJS.Signals): Trouble =>
    ({ log }, operator) => {
      const child = operator.start(['logs', 'export', ...OUT, '--resume']);
      log.trouble(3, () => child.kill(signal));
      return finished(child);
    };
  const answered =
    (at: number, then: (response: Parameters<Answer>[1]) => void): Trouble =>
    ({ log }, operator) => {
      log.trouble(at, then);
      return operator.run(['logs', 'export', ...OUT, '--resume', '--timeout', '3s']);
    };
  const troubles: Record<string, [trouble: Trouble, code: number | null, says?: string]> = {
    'a disk that is still full': [onAFullDisk, 9],
    'a key that is refused': [answered(1, (response) => sendJson(response, 401, { message: 'No.' })), 4],
    'a key that is refused later': [answered(3, (response) => sendJson(response, 401, { message: 'No.' })), 4],
    'the network': [answered(2, (response) => response.destroy()), 7, '--resume'],
    'an answer that is none': [answered(2, (response) => response.end('<html>')), 7],
    'Ctrl-C': [killedBy('SIGINT'), 130],
    'a signal to end': [killedBy('SIGTERM'), 130],
    'kill -9': [killedBy('SIGKILL'), null],
  };
  for (const [name, [trouble, code, says = '']] of Object.entries(troubles)) {
    const shop = await open();
    test.skipIf(process.platform === 'win32')(name, async () => {
      const operator = await leftAt(shop, 10, OUT);
      const [checkpoint, rows] = left.map((path) => read(operator, path)) as [string, string];
      for (let times = 0; times < 2; times++) {
        const outcome = await trouble(shop, operator);
        expect(outcome.code, outcome.stderr).toBe(code);
        expect(outcome.stderr).toContain(says);
        shop.log.calm();
        expect(read(operator, left[0] as string).startsWith(checkpoint)).toBe(true);
        expect(read(operator, left[1] as string).startsWith(rows.slice(0, lastBytes(checkpoint)))).toBe(true);
        expect(existsSync(join(operator.home, 'calls.csv'))).toBe(false);
      }
      expect(await operator.run(['logs', 'export', ...OUT, '--resume'])).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^Continuing after \d{3,} calls\.\n1000 calls written/),
      });
      expect(idsIn(read(operator, 'calls.csv'))).toEqual(CALLS.map(({ call_id }) => call_id));
      expect(files(operator)).toEqual(['calls.csv']);
    });
  }

  /** Bytes of the rows that the checkpoint tells of. */
  function lastBytes(checkpoint: string): number {
    return JSON.parse(checkpoint.trimEnd().split('\n').at(-1) ?? '').bytes;
  }
});

describe.concurrent('an export that is gone on with', async () => {
  const OUT = ['--out', 'calls.ndjson', '--format', 'ndjson'];

  const shrunk = await open();
  test('after calls went away: those that moved forward are found all the same', async () => {
    const operator = await leftAt(shrunk, 10, OUT);
    shrunk.log.calls = CALLS.slice(3 * PAGE);
    expect(await operator.run(['logs', 'export', ...OUT, '--resume'])).toMatchObject({ code: 0 });
    const ids = new Set(read(operator, 'calls.ndjson').match(/(?<="call_id":")call_\d+/g));
    expect(shrunk.log.calls.filter(({ call_id }) => !ids.has(call_id))).toEqual([]);
  });

  const kept = await open();
  test('keeps what it has where the service does not answer, also without --resume', async () => {
    const operator = await leftAt(kept, 10, OUT);
    const left = files(operator);
    expect(left).toHaveLength(2);
    kept.log.trouble(1, (response) => response.destroy());
    expect(await operator.run(['logs', 'export', ...OUT])).toMatchObject({ code: 7 });
    expect(files(operator)).toEqual(left);
    kept.log.calm();
    const resumed = await operator.run(['logs', 'export', ...OUT, '--resume']);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringMatching(/Continuing after \d{2,} calls/) });
  });

  const damaged = await open();
  test('refuses a checkpoint that is no checkpoint: exit 9', async () => {
    const operator = await leftAt(damaged, 10, OUT);
    const path = join(operator.home, '.calls.ndjson.vagent/checkpoint');
    const [first] = readFileSync(path, 'utf8').split('\n');
    const page = (fields: object) => JSON.stringify({ bytes: 0, offset: 0, rows: 0, ids: [], ...fields });
    const texts = [
      'null',
      'x',
      '[]',
      ...[page({ bytes: -5 }), page({ offset: '1' }), page({ ids: [1] }), 'null', '{}'],
    ];
    for (const [at, text] of texts.entries()) {
      writeFileSync(path, at < 3 ? `${text}\n` : `${first}\n${text}\n`);
      const outcome = await operator.run(['logs', 'export', ...OUT, '--resume']);
      expect([text, outcome.code]).toEqual([text, 9]);
      expect(outcome.stderr).toContain('is damaged');
    }
  });

  const twoAtOnce = await open();
  test('by two at a time: the second is told who is at it, exit 9, and changes nothing', async () => {
    const operator = twoAtOnce.newOperator();
    const waiting: Parameters<Answer>[1][] = [];
    const isWaiting = new Promise<void>((resolve) => {
      twoAtOnce.log.trouble(5, (response) => {
        waiting.push(response);
        resolve();
      });
    });
    const child = operator.start(['logs', 'export', ...OUT]);
    const first = finished(child);
    await isWaiting;
    const second = await operator.run(['logs', 'export', ...OUT]);
    expect(second).toMatchObject({ code: 9, stderr: expect.stringContaining(`process ${child.pid}`) });
    twoAtOnce.log.calm();
    for (const response of waiting) response.destroy();
    expect(await first).toMatchObject({ code: 0 });
    expect(read(operator, 'calls.ndjson').trimEnd().split('\n')).toHaveLength(PAGES * PAGE);
    expect(readdirSync(operator.home).filter((name) => name.includes('calls.ndjson'))).toEqual(['calls.ndjson']);
  });

  const echoing = await open();
  test('keeps no key: not in the file, and not in what is beside it', async () => {
    echoing.log.calls = CALLS.map((call) => ({ ...call, call_id: `${call.call_id}-key-of-tests`, 'key-of-tests': 1 }));
    const operator = echoing.newOperator();
    echoing.log.trouble(10, (response) => response.destroy());
    expect(await operator.run(['logs', 'export', ...OUT, '--timeout', '3s'])).toMatchObject({ code: 7 });
    for (const name of files(operator)) expect(read(operator, name)).not.toContain('key-of-tests');
    echoing.log.calm();
    expect(await operator.run(['logs', 'export', ...OUT])).toMatchObject({ code: 0 });
    expect(read(operator, 'calls.ndjson')).not.toContain('key-of-tests');
  });

  const digits = await open();
  test('a key of digits alone is masked in numbers, too, and leaves the file JSON', async () => {
    digits.log.calls = [{ call_id: 'call_1', call_duration: 12345678, transcript: 'said 12345678' }];
    const operator = digits.newOperator();
    const env = { VAGENT_API_KEY: '12345678' };
    for (const flags of [OUT, ['--out', 'calls.csv', '--columns', 'all']]) {
      expect(await operator.run(['logs', 'export', ...flags], { env })).toMatchObject({ code: 0 });
    }
    const call = JSON.parse(read(operator, 'calls.ndjson')) as LogCall;
    expect(call).toMatchObject({ call_duration: '<API_KEY>', transcript: 'said <API_KEY>' });
  });
});

function idsIn(csv: string): string[] {
  return [...csv.matchAll(/^call_\d+(?=,)/gm)].map(([id]) => id);
}

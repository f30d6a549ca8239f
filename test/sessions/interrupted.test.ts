/** How a command ends whose user, or whose store, does not let it go on; and how a program is told of an error. */
import { existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendAccepted } from '../http/server/raw.ts';
import { casesBeside } from '../support/cases.ts';
import { illService } from '../support/ill-service.ts';
import { finished, Operator, temporaryFolder } from '../support/program.ts';
import { expectOneError, parseOne } from '../support/told-errors.ts';
import { UnderWay } from '../support/under-way.ts';

const KEY = 'never-to-be-shown-73519';
const service = await illService();

const NUMBER = '+14155550123';
const CALL = ['call', NUMBER, '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
const CAMPAIGN = 'campaign create --name Spring --agent 1 --from +14155550100 --contacts contacts.csv';
const CONTACTS = `phone_number\n${NUMBER}\n+14155550124\n`;
const STORE = '.local/state/vagent/store/store.json';
const CONFIG = '.config/vagent/config.json';

const HANG = `--base-url ${service.url}/hang`;
const cases = casesBeside(import.meta.filename, { KEY, CALL: CALL.join(' '), CAMPAIGN, HANG });
const shared = temporaryFolder();

const words = (line: string) => line.split(' ');

describe.concurrent('a store that another process holds', () => {
  const operator = new Operator();
  const locks = createRequire(import.meta.url)('fs-native-extensions') as { tryLock(fd: number): boolean };

  test('exit 9 after waiting, naming the holder', async () => {
    await operator.run(['local', 'topup', '1']);
    const fd = openSync(join(operator.home, dirname(STORE), 'lock'), 'a+');
    expect(locks.tryLock(fd)).toBe(true);
    const { code, stdout, stderr } = await operator.runProgram([...CALL, '--local']);
    expect(stderr).toMatch(/The store is locked by .*local topup 1.*; waited 10 s\.\n {2}→ Try again/);
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    const read = await operator.run(['logs', 'list', '--local']);
    expect(read.code, 'reading needs no lock').toBe(0);
  });
});

describe.concurrent('errors for programs', () => {
  const operator = new Operator();

  test('the note that the simulator serves does not stand beside the JSON error', async () => {
    const { code, stderr } = await operator.run([...CALL, '--agent', '99', '--json']);
    expect(code).toBe(5);
    expectOneError(stderr, { exit_code: 5 });
  });

  test.each([['--json'], ['-o', 'json'], ['-ojson'], ['--output', 'json'], ['--output=json'], ['-qo', 'json']])(
    '%s %s',
    async (...flags) => {
      const { stderr } = await operator.run(['local', 'agent', '99', '--status', 'paused', ...flags]);
      expectOneError(stderr, { exit_code: 5 });
    },
  );

  test('a value that reads --json asks for none', async () => {
    const { stderr } = await operator.run([...CALL.slice(0, -2), '--first-line=--json', '--agent', '99', '--local']);
    expect(stderr).toBe('vagent: Agent 99 does not exist.\n');
  });

  test('more faults than a person reads are all there for a program', async () => {
    const bad = `phone_number\n${Array.from({ length: 50 }, (_, at) => `x${at}\n`).join('')}`;
    const args = [...words(CAMPAIGN.replace('contacts.csv', '-')), '--local'];
    const told = await operator.run(args, { input: bad });
    expect(told.stderr.split('\n').filter((line) => line.startsWith('  line '))).toHaveLength(20);
    expect(told.stderr).toMatch(/and 30 more/);
    const { stderr } = await operator.run([...args, '--json'], { input: bad });
    expect(parseOne(stderr).error.issues).toHaveLength(50);
  });
});

describe.concurrent('Ctrl-C', () => {
  const env = { VAGENT_API_KEY: KEY, VAGENT_ORG_ID: '7' };

  /** `isProgram`: a signal comes to the program; elsewhere it is told as `bin` tells it. */
  type Interrupted = [name: string, line: string, says: RegExp, more?: { input?: string; isProgram?: true }];

  for (const [name, line, says, { isProgram, ...more } = {}] of cases<Interrupted>('interrupted')) {
    const operator = new Operator();
    test(`${name}: exit 130`, async () => {
      writeFileSync(join(operator.home, 'contacts.csv'), CONTACTS);
      const begin = isProgram ? UnderWay.program : UnderWay.here;
      const command = begin(operator, words(line), { env, ...more });
      await arrival(words(line));
      const { code, signal, stdout, stderr } = await command.interrupt();
      expect(stderr).toMatch(says);
      expect({ code, signal, stdout }).toEqual({ code: 130, signal: null, stdout: '' });
      expect(stderr).not.toContain(KEY);
      expect(readdirSync(operator.home).filter((file) => file.startsWith('calls.csv'))).toEqual([]);
      expect(existsSync(join(operator.home, CONFIG))).toBe(false);
    });
  }

  for (const line of cases<string>('interrupted, for a program')) {
    const operator = new Operator();
    test(line, async () => {
      const command = UnderWay.here(operator, words(line), { env });
      await arrival(words(line));
      expectOneError((await command.interrupt()).stderr, { code: 'interrupted', exit_code: 130 });
    });
  }

  const reader = new Operator();
  test('while contacts are awaited from standard input', async () => {
    const child = reader.start([...words(CAMPAIGN.replace('contacts.csv', '-')), '--local']);
    const ended = finished(child);
    // More than a pipe holds: all of it is taken only when reading has begun.
    await new Promise((taken) => child.stdin?.write(CONTACTS.repeat(20_000), taken));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '', stderr: 'vagent: Interrupted.\n' });
  });

  const host = new Operator();
  test('while serving, which is how it ends: exit 0', async () => {
    const server = UnderWay.program(host, ['serve', '--port', '0'], { env });
    const [url] = await server.lines(1);
    expect(url).toMatch(/^url\thttp/);
    const { code, signal, stderr } = await server.interrupt();
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stderr).toMatch(/End with Ctrl-C\.\n$/);
  });

  const twice = new Operator();
  test('while serving, with a request under way', async () => {
    const server = UnderWay.program(twice, ['serve', '--port', '0', '--fault', '*:hang']);
    const [line = ''] = await server.lines(1);
    const url = line.replace('url\t', '');
    const hanging = twice.run(['voice', 'list', '--base-url', url, '--timeout', '60'], { env, cwd: shared });
    const { answer } = await sendAccepted(url, 'GET /get-voices');
    const outcomes = Promise.all([hanging, answer]);
    expect(await server.interrupt()).toMatchObject({ code: 0 });
    expect(await outcomes).toMatchObject([{ code: 7 }, { body: '' }]);
  });
});

/** Resolves once the service has received the request that `args` make. */
async function arrival(args: readonly string[]): Promise<void> {
  const { pathname } = new URL(args[args.indexOf('--base-url') + 1] ?? '');
  const isIt = ({ path }: { path: string }) => path.startsWith(pathname) && !path.endsWith('/posts/get-agents');
  while (!service.received.some(isIt)) await sleep(10);
}

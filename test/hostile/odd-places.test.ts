/**
 * Places that are not what they are taken for: a pipe where a file should be, a folder that is none, a system without homes or
 * locks. One sentence tells, with exit code 9; it is never a bug, and the program never waits for what will not come.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { EPOCH } from '../support/engine.ts';
import { sendJson, startServer } from '../support/http.ts';
import { BIN, finished, freshEnvironment, type Outcome, ROOT, temporaryFolder } from '../support/program.ts';

/** Milliseconds after which the program has plainly gone to sleep, also on a busy machine. */
const PATIENCE = 30_000;

const service = await startServer((_request, response) => sendJson(response, 200, { success: true, agents: [] }));
const REMOTE = ['--base-url', service.url, '--org', '7'];
const CALL = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];

/** The built program in a process of its own: one that hangs can be ended. */
function run(home: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: home,
    env: { ...freshEnvironment(home), VAGENT_API_KEY: 'key-of-tests', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  return finished(child);
}

const ONE_SENTENCE = /^vagent: [^\n]+\.\n( {2}→ [^\n]+\n)?$/;

function expectSentence({ code, signal, stdout, stderr }: Outcome, says: RegExp = /./): void {
  expect({ code, signal, stdout }).toEqual({ code: 9, signal: null, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain('bug');
}

const sockets: ReturnType<typeof createServer>[] = [];
afterAll(() => {
  for (const socket of sockets) socket.close();
});

/** What may stand where a file should be. */
const THINGS: Record<string, (path: string) => unknown> = {
  'a pipe': (path) => execFileSync('mkfifo', ['-m', '600', path]),
  'a folder': (path) => mkdirSync(path),
  'a socket': (path) =>
    new Promise<void>((resolve) => {
      sockets.push(createServer().listen(path, resolve));
    }),
  'a device without end': (path) => symlinkSync('/dev/zero', path),
};

interface Place {
  path: string;
  command: string[];
}

const TOP_UP = ['local', 'topup', '1', '--store', 'store'];
const PLACES: Record<string, Place> = {
  'the root of a store that is read': {
    path: 'store/store.json',
    command: ['agent', 'list', '--local', '--store', 'store'],
  },
  'the root of a store that is written': { path: 'store/store.json', command: TOP_UP },
  'the lock of a store': { path: 'store/lock', command: TOP_UP },
  'the config': { path: '.config/vagent/config.json', command: ['profile', 'list'] },
  'the register': { path: '.local/state/vagent/register.jsonl', command: [...CALL, ...REMOTE] },
  'the lock of the register': { path: '.local/state/vagent/register.lock', command: [...CALL, ...REMOTE] },
  'the file of an export': { path: 'calls.csv', command: ['logs', 'export', '--local', '--out', 'calls.csv'] },
};

describe.skipIf(process.platform === 'win32').concurrent('what is no ordinary file', () => {
  for (const [place, { path, command }] of Object.entries(PLACES)) {
    for (const [thing, put] of Object.entries(THINGS)) {
      test(`${place}: ${thing}`, async () => {
        const home = temporaryFolder();
        mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 });
        await put(join(home, path));
        expectSentence(await run(home, command), /it is (not an ordinary file|a folder, not a file|a link)/);
      });
    }
  }

  test.each([['agent', 'list', '--local', '--store', 'store'], TOP_UP, ['local', 'check', '--store', 'store']])(
    'a link that leads nowhere as the root of a store: vagent %s %s',
    async (...command) => {
      const home = temporaryFolder();
      mkdirSync(join(home, 'store'));
      symlinkSync(join(home, 'nowhere'), join(home, 'store/store.json'));
      expectSentence(await run(home, command), /store\.json: it is a link that leads nowhere\./);
    },
  );

  test('the calls of a store', async () => {
    const home = temporaryFolder();
    const store = ['--store', 'store', '--local'];
    expect(await run(home, [...CALL, ...store])).toMatchObject({ code: 0 });
    const calls = join(home, 'store/calls/000001.jsonl');
    execFileSync('rm', [calls]);
    execFileSync('mkfifo', [calls]);
    for (const command of [['logs', 'list'], CALL]) expectSentence(await run(home, [...command, ...store]));
  });

  test('a pipe of contacts is read as any file', async () => {
    const home = temporaryFolder();
    const pipe = join(home, 'contacts');
    execFileSync('mkfifo', [pipe]);
    spawn('sh', ['-c', 'printf "phone_number\\n+14155550190\\n" >contacts'], { cwd: home });
    expect(await run(home, ['contacts', 'check', pipe])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^rows\t1\n/),
    });
  });

  for (const store of ['/proc/none', '/proc', '/dev/null', '/dev/null/none', '/sys/none/none']) {
    test.skipIf(!existsSync('/proc/self'))(`a store at ${store}`, async () => {
      expectSentence(await run(temporaryFolder(), ['local', 'topup', '1', '--store', store]));
    });
  }
});

const without = (what: string, env: Record<string, string> = {}) => ({
  NODE_OPTIONS: `--import=${join(ROOT, 'test/support/odd-system.mjs')}`,
  VAGENT_TEST_WITHOUT: what,
  ...env,
});

describe.concurrent('a user without a home', () => {
  const nobody = without('home', { HOME: '' });

  const needy: [name: string, args: string[]][] = [
    ['the store', ['local', 'status']],
    ['the local engine', ['voice', 'list', '--local']],
    ['profiles', ['profile', 'add', 'work', '--local']],
    ['the register', [...CALL, ...REMOTE]],
    ['the campaigns that were sent', ['campaign', 'list', ...REMOTE]],
  ];
  test.each(needy)('what needs one says so: %s', async (_name, args) => {
    service.received.length = 0;
    expectSentence(await run(temporaryFolder(), args, nobody), /HOME is not set.*\n.*VAGENT_STATE_DIR/);
    expect(service.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  const content: string[][] = [
    ['--version'],
    ['--help'],
    ['contacts', 'template'],
    ['contacts', 'check', 'contacts.csv'],
    ['agent', 'list', ...REMOTE],
    ['voice', 'list', '--local', '--store', 'store'],
    ['logs', 'export', '--local', '--store', 'store', '--out', 'calls.csv'],
  ];
  test.each(content.map((args) => [args.join(' '), args] as const))(
    'what needs none works: %s',
    async (_name, args) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'contacts.csv'), 'phone_number\n+14155550190\n');
      expect(await run(folder, args, nobody)).toMatchObject({ code: 0 });
    },
  );

  test('VAGENT_STATE_DIR is enough for the local engine', async () => {
    const env = { ...nobody, VAGENT_STATE_DIR: 'state' };
    expect(await run(temporaryFolder(), ['local', 'topup', '1'], env)).toMatchObject({ code: 0 });
  });
});

describe.concurrent('a file system without locks', () => {
  const writers: string[][] = [
    TOP_UP,
    ['profile', 'add', 'work', '--local'],
    ['logs', 'export', '--local', '--out', 'calls.csv'],
    ['logs', 'sync', '--local', '--out', 'calls.csv'],
    [...CALL, ...REMOTE],
  ];
  test.each(writers.map((args) => [args.slice(0, 2).join(' '), args] as const))(
    '%s says so, and writes nothing',
    async (_name, args) => {
      const home = temporaryFolder();
      service.received.length = 0;
      expectSentence(await run(home, args, without('locks')), /Cannot lock .*: the file system has no locks/);
      const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.filter(({ name }) => !/lock$/.test(name)).map(({ name }) => name)).toEqual([]);
      expect(service.received.filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );

  test('what only reads works', async () => {
    const read = run(temporaryFolder(), ['voice', 'list', '--local'], without('locks'));
    expect(await read).toMatchObject({ code: 0 });
  });
});

describe.concurrent('a store that can only be read', () => {
  /** Where a campaign of an hour ago is to begin in a minute: it was never looked at since. */
  async function withSomethingDue(): Promise<string> {
    const home = temporaryFolder();
    writeFileSync(join(home, 'contacts.csv'), 'phone_number\n+14155550190\n');
    const create = ['campaign', 'create', '--name', 'A', '--agent', '1', '--from', '+14155550100', '--start', '+1m'];
    const clock = { NODE_OPTIONS: `--import=${join(ROOT, 'test/support/frozen-clock.mjs')}` };
    const args = [...create, '--contacts', 'contacts.csv', '--local', '--yes'];
    const created = await run(home, args, { ...clock, VAGENT_TEST_CLOCK: new Date(EPOCH).toISOString() });
    expect(created).toMatchObject({ code: 0 });
    return home;
  }
  const readOnly = (home: string) => without('writing', { VAGENT_TEST_FOLDER: home });
  const WARNING =
    /^Warning: what fell due since the store was last written has not happened, and is not shown\. Cannot lock \S+: the file system is read-only\.\n$/;

  test('is shown as it is stored, which is said', async () => {
    const home = await withSomethingDue();
    const before = readFileSync(join(home, '.local/state/vagent/store/store.json'));
    for (const [args, shows] of [
      [['local', 'status'], /"status":"scheduled"/],
      [['campaign', 'status', '1', '--local'], /attempts\t0\n/],
      [['logs', 'list', '--local', '--json'], /"total": 0/],
    ] as const) {
      const { code, stdout, stderr } = await run(home, args, readOnly(home));
      expect(stderr).toMatch(WARNING);
      expect(code).toBe(0);
      expect(stdout).toMatch(shows);
    }
    expect(readFileSync(join(home, '.local/state/vagent/store/store.json'))).toEqual(before);
    const after = await run(home, ['logs', 'list', '--local', '--json']);
    expect(after).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"total": 1') });
  });

  test('is not written: exit 9', async () => {
    const home = await withSomethingDue();
    for (const args of [
      ['local', 'topup', '1'],
      [...CALL, '--local'],
      ['local', 'advance', '1h'],
    ]) {
      expectSentence(await run(home, args, readOnly(home)), /read-only/);
    }
  });
});

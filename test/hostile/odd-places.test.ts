/**
 * Places that are not what they are taken for: a pipe where a file should be, a folder that is none, a system without homes or
 * locks. One sentence tells, with exit code 9; it is never a bug, and the program never waits for what will not come.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EPOCH } from '../support/engine.ts';
import { sendJson, startServer } from '../support/http.ts';
import { type Line, runInHomes } from '../support/in-homes.ts';
import { BIN, finished, freshEnvironment, Operator, type Outcome, ROOT, temporaryFolder } from '../support/program.ts';

/** Milliseconds after which the program has plainly gone to sleep, also on a busy machine. */
const PATIENCE = 60_000;

const service = await startServer((_request, response) => sendJson(response, 200, { success: true, agents: [] }));
const REMOTE = `--base-url ${service.url} --org 7`;
const CALL = 'call +14155550123 --agent 1 --from +14155550100 --first-line Hello.';

const KEY = { VAGENT_API_KEY: 'key-of-tests' };

/** The built program as it is started: one that hangs can be ended. */
function run(home: string, line: string, env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [BIN, ...line.split(' ')], {
    cwd: home,
    env: { ...freshEnvironment(home), ...KEY, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  return finished(child);
}

/** The same of many, in one process. */
const runAll = (lines: readonly Line[], env: Record<string, string> = {}) =>
  runInHomes(lines, { env: { ...KEY, ...env }, patience: PATIENCE });
const lineIn = (home: string, line: string): Line => ({ home, args: line.split(' ') });

/** In this process, where nothing can hang. */
const operator = () => new Operator({ env: KEY });

const ONE_SENTENCE = /^vagent: [^\n]+\.\n( {2}→ [^\n]+\n)?$/;

function expectSentence(outcome: Outcome | undefined, says: RegExp = /./): void {
  if (outcome === undefined) throw new Error('It has not come to an end, or those before it have not.');
  const { code, signal, stdout, stderr } = outcome;
  expect({ code, signal, stdout }).toEqual({ code: 9, signal: null, stdout: '' });
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain('bug');
}

const sockets: ReturnType<typeof createServer>[] = [];
afterAll(() => {
  for (const socket of sockets) socket.close();
});

type Put = (path: string) => unknown;

/** What may stand where a file should be, and whoever opens it may wait for ever. */
const ENDLESS: Record<string, Put> = {
  'a pipe': (path) => execFileSync('mkfifo', ['-m', '600', path]),
  'a device without end': (path) => symlinkSync('/dev/zero', path),
};
/** And what tells at once that it is no file. */
const OTHERS: Record<string, Put> = {
  'a folder': (path) => mkdirSync(path),
  'a socket': (path) =>
    new Promise<void>((resolve) => {
      sockets.push(createServer().listen(path, resolve));
    }),
};

const TOP_UP = 'local topup 1 --store store';
const PLACES: [place: string, path: string, line: string][] = [
  ['the root of a store that is read', 'store/store.json', 'agent list --local --store store'],
  ['the root of a store that is written', 'store/store.json', TOP_UP],
  ['the lock of a store', 'store/lock', TOP_UP],
  ['the config', '.config/vagent/config.json', 'profile list'],
  ['the register', '.local/state/vagent/vagent.db', `${CALL} ${REMOTE}`],
  ['the file of an export', 'calls.csv', 'logs export --local --out calls.csv'],
];

describe.skipIf(process.platform === 'win32').concurrent('what is no ordinary file', () => {
  const says = /it is (not an ordinary file|a folder, not a file|a link)/;

  async function put(path: string, home: string, thing: Put): Promise<void> {
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 });
    await thing(join(home, path));
  }

  for (const [name, thing] of Object.entries(ENDLESS)) {
    describe(name, () => {
      let outcomes: (Outcome | undefined)[] = [];
      beforeAll(async () => {
        const lines = PLACES.map(([, , line]) => lineIn(temporaryFolder(), line));
        for (const [at, [, path]] of PLACES.entries()) await put(path, lines[at]?.home ?? '', thing);
        outcomes = await runAll(lines);
      });
      for (const [at, [place]] of PLACES.entries()) test(place, () => expectSentence(outcomes[at], says));
    });
  }

  for (const [name, thing] of Object.entries(OTHERS)) {
    test.each(PLACES)(`%s: ${name}`, async (_place, path, line) => {
      const person = operator();
      await put(path, person.home, thing);
      expectSentence(await person.run(line.split(' ')), says);
    });
  }

  test.each(['agent list --local --store store', TOP_UP, 'local check --store store'])(
    'a link that leads nowhere as the root of a store: vagent %s',
    async (line) => {
      const person = operator();
      mkdirSync(join(person.home, 'store'));
      symlinkSync(join(person.home, 'nowhere'), join(person.home, 'store/store.json'));
      expectSentence(await person.run(line.split(' ')), /store\.json: it is a link that leads nowhere\./);
    },
  );

  test('the calls of a store', async () => {
    const { home } = operator();
    const store = '--store store --local';
    expect(await run(home, `${CALL} ${store}`)).toMatchObject({ code: 0 });
    execFileSync('sh', ['-c', 'cd store/calls && rm 000001.jsonl && mkfifo 000001.jsonl'], { cwd: home });
    const lines = ['logs list', CALL].map((line) => lineIn(home, `${line} ${store}`));
    for (const outcome of await runAll(lines)) expectSentence(outcome);
  });

  test('a pipe of contacts is read as any file', async () => {
    const home = temporaryFolder();
    execFileSync('mkfifo', [join(home, 'contacts')]);
    spawn('sh', ['-c', 'printf "phone_number\\n+14155550190\\n" >contacts'], { cwd: home });
    const { code, stdout } = await run(home, 'contacts check contacts');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^rows\t1\n/) });
  });

  for (const store of ['/proc/none', '/proc', '/dev/null', '/dev/null/none', '/sys/none/none']) {
    test.skipIf(!existsSync('/proc/self'))(`a store at ${store}`, async () => {
      expectSentence(await operator().run(['local', 'topup', '1', '--store', store]));
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
  const SAYS = /HOME is not set.*\n.*VAGENT_STATE_DIR/;
  /** The store, the engine, profiles, the register, and the campaigns that were sent. */
  const needy = [
    ...[
      'local status',
      'voice list --local',
      'profile add work --local',
      `${CALL} ${REMOTE}`,
      `campaign list ${REMOTE}`,
    ],
  ];
  const content = [
    ...['--version', '--help', 'contacts template', 'contacts check contacts.csv', `agent list ${REMOTE}`],
    ...['voice list --local --store store', 'logs export --local --store store --out calls.csv'],
  ];

  test('is told so where one is needed, and nothing is sent; what needs none works', async () => {
    service.received.length = 0;
    const lines = [...needy, ...content].map((line) => lineIn(temporaryFolder(), line));
    lines.push({ ...lineIn(temporaryFolder(), 'local topup 1'), env: { VAGENT_STATE_DIR: 'state' } });
    for (const { home } of lines) writeFileSync(join(home, 'contacts.csv'), 'phone_number\n+14155550190\n');
    const outcomes = await runAll(lines, nobody);
    for (const outcome of outcomes.slice(0, needy.length)) expectSentence(outcome, SAYS);
    expect(service.received.filter(({ method }) => method === 'POST')).toEqual([]);
    const codes = outcomes.slice(needy.length).map((outcome) => outcome?.code);
    expect(codes).toEqual(lines.slice(needy.length).map(() => 0));
  });

  test('both of the program as it is started', async () => {
    expectSentence(await run(temporaryFolder(), 'local status', nobody), SAYS);
    expect(await run(temporaryFolder(), 'contacts template', nobody)).toMatchObject({ code: 0 });
  });
});

test('a file system without locks: what writes says so, and writes nothing; what only reads works', async () => {
  const exporting = ['export', 'sync'].map((verb) => `logs ${verb} --local --out calls.csv`);
  const writers = [TOP_UP, 'profile add work --local', ...exporting];
  const lines = [...writers, 'voice list --local'].map((line) => lineIn(temporaryFolder(), line));
  const outcomes = await runAll(lines, without('locks'));
  for (const [at, { home }] of lines.slice(0, writers.length).entries()) {
    expectSentence(outcomes[at], /Cannot lock .*: the file system has no locks/);
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.filter(({ name }) => !/lock$/.test(name)).map(({ name }) => name)).toEqual([]);
  }
  expect(outcomes.at(-1)).toMatchObject({ code: 0 });
});

describe.concurrent('a store that can only be read', () => {
  /** Where a campaign of an hour ago is to begin in a minute: it was never looked at since. */
  async function withSomethingDue(): Promise<Operator> {
    const person = operator();
    writeFileSync(join(person.home, 'contacts.csv'), 'phone_number\n+14155550190\n');
    const create = 'campaign create --name A --agent 1 --from +14155550100 --start +1m --contacts contacts.csv --local';
    const created = await person.run(create.split(' '), { frozenAt: new Date(EPOCH).toISOString() });
    expect(created).toMatchObject({ code: 0 });
    return person;
  }
  const readOnly = (home: string) => without('writing', { VAGENT_TEST_FOLDER: home });
  const NOT_SHOWN = 'what fell due since the store was last written has not happened, and is not shown';
  const WARNING = new RegExp(`^Warning: ${NOT_SHOWN}\\. Cannot lock \\S+: the file system is read-only\\.\n$`);

  test('is shown as it is stored, which is said', async () => {
    const person = await withSomethingDue();
    const { home } = person;
    const root = join(home, '.local/state/vagent/store/store.json');
    const before = readFileSync(root);
    const shown: [line: string, shows: RegExp][] = [
      ['local status', /"status":"scheduled"/],
      ['campaign status 1 --local', /attempts\t0\n/],
      ['logs list --local --json', /"total": 0/],
    ];
    const lines = shown.map(([line]) => lineIn(home, line));
    for (const [at, outcome] of (await runAll(lines, readOnly(home))).entries()) {
      const stdout = expect.stringMatching(shown[at]?.[1] as RegExp);
      expect(outcome).toMatchObject({ code: 0, stdout, stderr: expect.stringMatching(WARNING) });
    }
    expect(readFileSync(root)).toEqual(before);
    const after = await person.run(['logs', 'list', '--local', '--json']);
    expect(after).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"total": 1') });
  });

  test('is not written: exit 9', async () => {
    const { home } = await withSomethingDue();
    const lines = ['local topup 1', `${CALL} --local`, 'local advance 1h'].map((line) => lineIn(home, line));
    const outcomes = await runAll(lines, readOnly(home));
    expect(outcomes).toHaveLength(lines.length);
    for (const outcome of outcomes) expectSentence(outcome, /read-only/);
  });
});

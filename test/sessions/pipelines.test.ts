/**
 * vagent among other programs: a shell runs it in pipelines, and what the next program reads is data and nothing else.
 * Scripts are written as an operator would write them, with `vagent` on the path. What is asked of the data alone is asked of
 * commands that run in the process of the test.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { casesBeside } from '../support/cases.ts';
import { sendJson, startServer } from '../support/http.ts';
import {
  BIN,
  finished,
  freshEnvironment,
  Operator,
  type Outcome,
  type RunOptions,
  temporaryFolder,
} from '../support/program.ts';
import { plainWords } from '../support/session.ts';

const NOTE = 'Simulator: no real call is placed. (--base-url or a profile names a service.)\n';
const CALL = 'vagent call +14155550190 --agent 1 --from +14155550100';
const CALLS = 3000;

/** Runs a command in this process, beside others of the operator. */
async function run(operator: Operator, command: string, options: RunOptions = {}): Promise<Outcome> {
  const words = plainWords(command);
  if (words === undefined) throw new Error(`needs a shell: ${command}`);
  return operator.run(words, { cwd: operator.home, ...options });
}

const path = temporaryFolder();
symlinkSync(BIN, join(path, 'vagent'));

/** Runs a script in the operator's home. bash, where a script asks how each part of a pipeline ended. */
function shell(
  operator: Operator,
  script: string,
  { env = {}, input = '', name = 'sh' }: { env?: Record<string, string>; input?: string; name?: 'sh' | 'bash' } = {},
): Promise<Outcome> {
  const fresh = freshEnvironment(operator.home);
  const child = spawn(name, ['-c', script], {
    cwd: operator.home,
    env: { ...fresh, PATH: `${path}:${fresh.PATH}`, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}).end(input);
  return finished(child);
}

/** Lets the local engine of an operator place so many calls. */
async function place(operator: Operator, calls: number): Promise<void> {
  const numbers = Array.from({ length: calls }, (_, at) => `+1415555${1000 + at}\n`).join('');
  await operator.json(['local', 'topup', '100000']);
  const campaign = ['--name', 'Many', '--agent', '1', '--from', '+14155550100', '--contacts', '-'];
  const pace = ['--calls-per-hour', '3600000', '--retry-attempts', '0'];
  await operator.json(['campaign', 'create', ...campaign, ...pace], { input: `phone_number\n${numbers}` });
  await operator.json(['local', 'advance', '1h']);
}

/** Two agents as a service of another maker might describe them. */
const agents = JSON.parse(readFileSync(join(import.meta.dirname, 'two-agents.json'), 'utf8')) as Record<
  string,
  unknown
>[];
const RESPONSE = { success: true, agents, total: 2, limit: 2, offset: 0, request_id: 'r-1' };
const HEADER = 'agent_id,agent_name,agent_description,status,voice_id,language,created_at,updated_at';
const ROWS = [
  '7,"Ana ""A"", Ltd","two\nlines\r\nand\ta tab",active,3,en,2026-11-20T09:00:00Z,',
  '12,\u001b[31mRed\u001b[0m\u0007\u009b2J,,draft,4,es,,',
];
const TSV =
  '7\tAna "A", Ltd\tactive\ten\t3\ttwo lines  and a tab\n12\t\u001b[31mRed\u001b[0m\u0007\u009b2J\tdraft\tes\t4\t\n';

const service = await startServer(({ path: asked }, response) => {
  if (asked.startsWith('/slow/')) setTimeout(() => sendJson(response, 200, RESPONSE), 1300);
  else sendJson(response, 200, RESPONSE);
});

/** An operator of that service. */
const remote = { VAGENT_BASE_URL: service.url, VAGENT_API_KEY: 'some-api-key', VAGENT_ORG_ID: '7' };
const operator = new Operator();

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const ndjson = (values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const picked = agents.map(({ agent_name, agent_id }) => ({ agent_name, agent_id }));
/** What rows of the cases have in common, as it stands within a text of JSON. */
const NAMES = {
  ...{ CALL, NOTE, CALLS: String(CALLS), SERVICE: service.url, TSV, HEADER, ROWS: ROWS.join('\r\n') },
  ...{ JSON: json(RESPONSE), NDJSON: ndjson(agents) },
  ...{ PICKED: json({ ...RESPONSE, agents: picked }), PICKEDLINES: ndjson(picked) },
};
const inJson = Object.entries(NAMES).map(([name, text]) => [name, JSON.stringify(text).slice(1, -1)]);
const cases = casesBeside(import.meta.filename, Object.fromEntries(inJson));

/** An operator whose log is far longer than any pipe holds, and one whose log is longer than some lines. */
const busy = new Operator();
const quiet = new Operator();
beforeAll(async () => {
  await place(busy, CALLS);
  await place(quiet, 50);
});

describe.concurrent('pipelines', () => {
  type Pipeline = [script: string, stdout: string, more?: { input?: string; stderr?: string }];
  test.each(cases<Pipeline>('pipelines'))('%s', async (script, stdout, { input = '', stderr = NOTE } = {}) => {
    expect(await shell(busy, script, { input })).toEqual({ code: 0, signal: null, stdout, stderr });
  });

  const lines = (text: string) => text.split('\n').slice(0, -1);
  const written: [command: string, read: (stdout: string) => unknown, expected: unknown, stderr?: string][] = [
    ['vagent voice list --language es --json', (text) => JSON.parse(text).voices[0].language, 'es'],
    ['vagent logs list --json', (text) => JSON.parse(text).total, CALLS],
    ['vagent logs list --json', (text) => JSON.parse(text).calls.length, 100],
    ['vagent logs list --all -o ndjson', (text) => lines(text).length, CALLS],
    ['vagent logs list --all', (text) => lines(text).filter((line) => line.split('\t')[5]).length, CALLS],
    [
      'vagent logs list --all --fields call_id,transcript',
      (text) => lines(text).filter((line) => line.startsWith('call_')).length,
      CALLS,
    ],
    ['vagent logs list --limit 2 --offset 1 -o ids', (text) => lines(text).at(-1), 'call_0000002998'],
    ['vagent logs export --format json', (text) => JSON.parse(text).length, CALLS, `${NOTE}${CALLS} calls written.\n`],
    [
      'vagent logs export --out - --fields call_id',
      (text) => lines(text).at(-1),
      'call_0000000001\r',
      `${NOTE}${CALLS} calls written.\n`,
    ],
    ['vagent logs export --out named.csv', (text) => text, '', `${NOTE}${CALLS} calls written to named.csv.\n`],
    ['vagent voice list --quiet', (text) => text !== '', true, ''],
    ['vagent voice list --local', (text) => text !== '', true, ''],
  ];
  test.each(written)('%s', async (command, read, expected, stderr = NOTE) => {
    const outcome = await run(busy, command);
    expect(outcome).toMatchObject({ code: 0, stderr });
    expect(read(outcome.stdout)).toEqual(expected);
  });

  test('vagent logs export --out calls.csv --quiet', async () => {
    const outcome = await run(busy, 'vagent logs export --out calls.csv --quiet');
    expect(outcome).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(busy.home, 'calls.csv'), 'utf8')).toMatch(/^call_id,/);
  });

  test('--quiet hides no error', async () => {
    const { code, stdout, stderr } = await run(busy, 'vagent voice list nonsense --quiet');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^vagent: /);
  });
});

describe.concurrent('a reader that goes away ends it quietly', () => {
  test.each(cases<string>('readers that go away'))('%s', async (pipeline) => {
    const { stdout, stderr } = await shell(busy, `${pipeline} >/dev/null; echo "\${PIPESTATUS[0]}"`, { name: 'bash' });
    expect(stdout).toBe('0\n');
    // A short list may be read whole before its reader goes.
    expect(['', NOTE]).toContain(stderr);
  });

  for (const command of cases<string>('long and short')) {
    for (const room of [0, 1000]) {
      test(`${command}, after ${room} bytes`, async () => {
        const { code, stderr } = await run(quiet, command, { stdoutFails: 'EPIPE', room });
        expect(code).toBe(0);
        expect(['', NOTE]).toContain(stderr);
      });
    }
  }

  test('and says what it wrote only where all of it was read', async () => {
    const { stdout, stderr } = await shell(
      busy,
      'vagent logs export | cat >calls; tail -c 2 calls | od -An -c | tr -d " \\n"',
    );
    expect(stdout).toBe('\\r\\n');
    expect(stderr).toBe(`${NOTE}${CALLS} calls written.\n`);
  });
});

describe.concurrent('an output that cannot be written is a failure of a file', () => {
  const expectFull = ({ code, stderr }: Outcome) => {
    expect(stderr).toMatch(/^(vagent: |\{"error":).*Cannot write standard output: the disk is full\..*\n$/);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(code).toBe(9);
  };
  test.each(cases<string>('onto a full disk'))('%s', async (command) => {
    expectFull(await run(quiet, command, { stdoutFails: 'ENOSPC' }));
  });

  // A disk that is always full, where the system has one. More of them are in test/cli/terminal/standard-output.test.ts.
  test.skipIf(!existsSync('/dev/full'))('vagent logs export --quiet >/dev/full', async () => {
    expectFull(await shell(busy, 'vagent logs export --quiet >/dev/full'));
  });
});

describe.concurrent('formats', () => {
  test.each(cases<[flags: string, stdout: string]>('formats'))('vagent agent list %s', async (flags, stdout) => {
    const outcome = await run(operator, `vagent agent list ${flags}`.trimEnd(), { env: remote });
    expect(outcome).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test('a table shows no control character either', async () => {
    const { stdout } = await run(operator, 'vagent agent list -o table', { env: remote });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(stdout.split('\n')).toHaveLength(4);
  });

  test('a result is one field a line, whatever its values hold', async () => {
    const create = ['agent', 'create', '--local', '--voice', '1', '--prompt', 'x'];
    const { stdout } = await operator.run([...create, '--name', 'a\tb\nc\u001bd'], { cwd: operator.home });
    expect(stdout).toBe('success\ttrue\nagent_id\t2\nagent_name\ta b c\u001bd\nstatus\tactive\n');
  });

  const caller = new Operator();
  beforeAll(async () => {
    await run(caller, `${CALL} --first-line Hello.`);
  });
  test.each(cases<[flags: string, stdout: string]>('exports'))('vagent logs export %s', async (flags, stdout) => {
    expect(await run(caller, `vagent logs export ${flags} --quiet`)).toEqual({
      code: 0,
      signal: null,
      stdout,
      stderr: '',
    });
  });
});

describe.concurrent('flags of every command stand anywhere', () => {
  type Same = [command: string, stdout: string, env?: Record<string, string>];
  test.each(cases<Same>('the same'))('%s', async (command, stdout, env) => {
    const outcome = await run(operator, command, { env: { ...remote, ...env } });
    expect(outcome).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test('--verbose tells each request on stderr, without the key', async () => {
    const { stdout, stderr } = await run(operator, 'vagent agent list --verbose -o ids', { env: remote });
    expect(stdout).toBe('7\n12\n');
    expect(stderr).toMatch(/^GET \/get-agents 200 \d+ ms, attempt 1\n$/);
  });
});

describe.concurrent('values that look like flags', () => {
  interface Body {
    body: Record<string, unknown>;
  }
  test.each(cases<[script: string, body: object]>('values'))('%s', async (script, body) => {
    const words = script.split(' -- ');
    const { code, stdout, stderr } = await run(operator, [`${words[0]} --dry-run`, ...words.slice(1)].join(' -- '));
    expect(stderr).not.toContain('vagent: ');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Body).body).toMatchObject(body);
  });

  test('fields of an operation', async () => {
    const anew = new Operator();
    const misplaced = 'vagent api create-agent agent_name=--json base_prompt=a=b -- voice_id=1 --quiet';
    expect((await run(anew, misplaced)).stderr).toContain('--quiet is not of the form field=value.');
    const { stdout, stderr } = await run(
      anew,
      'vagent api create-agent -- agent_name=-x base_prompt=--json voice_id=1',
    );
    expect(stdout).toContain('"agent_name": "-x"');
    expect(stderr).toBe(NOTE);
  });
});

describe.concurrent('no colour, no spinner', () => {
  const ESCAPE = '\u001b[';

  type Colours = [env: Record<string, string>, flags: string, isColoured: boolean];
  test.each(cases<Colours>('colours'))('%j vagent voice list %s: coloured %s', async (env, flags, isColoured) => {
    const { stdout, stderr } = await run(operator, `vagent voice list --local ${flags}`.trimEnd(), { env });
    expect(stdout.includes(ESCAPE)).toBe(isColoured);
    expect(stderr).toBe('');
  });

  test('work of more than a second shows nothing where nobody looks', async () => {
    const env = { ...remote, VAGENT_BASE_URL: `${service.url}/slow` };
    expect(await run(operator, 'vagent agent list -o ids', { env })).toEqual({
      code: 0,
      signal: null,
      stdout: '7\n12\n',
      stderr: '',
    });
  });

  test('the engine at work for long shows nothing either', async () => {
    for (const [command, note] of [
      ['vagent logs list --all -o table --fields call_id', NOTE],
      ['vagent local advance 30d', ''],
    ] as const) {
      const { stdout, stderr } = await run(busy, command);
      expect(stdout + stderr).not.toContain(ESCAPE);
      expect(stderr).toBe(note);
    }
  });
});

test('a file is replaced in one step, and one beside it is left alone', async () => {
  const folder = join(operator.home, 'reports');
  mkdirSync(folder);
  writeFileSync(join(folder, 'calls.csv'), 'old\n');
  const { stderr } = await run(operator, 'vagent logs export --local --out calls.csv', { cwd: folder });
  expect(readdirSync(folder)).toEqual(['calls.csv']);
  expect(stderr).toBe('0 calls written to calls.csv.\n');
  expect(readFileSync(join(folder, 'calls.csv'), 'utf8')).toMatch(/^call_id,agent_id,.*\r\n$/);
});

/**
 * Standard output is a file, a device or a pipe, and what it is on may fill: every byte reached it, or the exit code is 9.
 * Each command and format once with room for half: some as the program, whose file takes them little by little, and the others
 * over a stream.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { BIN, finished, freshEnvironment, Operator, ROOT } from '../../support/program.ts';

const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
writeFileSync(join(operator.home, 'contacts.csv'), 'phone_number\n+14155550190\n+14155550191\n');
const CALL = 'call +14155550190 --agent 1 --from +14155550100 --first-line Hello.';

beforeAll(async () => {
  for (let call = 0; call < 5; call++) await operator.run(CALL.split(' '));
});

const SHORT_WRITES = `--import=${join(ROOT, 'test/support/short-writes.mjs')}`;

/** Runs the program with a file as its stdout. */
function start(line: string, file: string, env: Record<string, string>): ChildProcess {
  const fd = openSync(file, 'w');
  const child = spawn(process.execPath, [BIN, ...line.split(' ')], {
    cwd: operator.home,
    env: { ...freshEnvironment(operator.home), VAGENT_LOCAL: '1', NODE_OPTIONS: SHORT_WRITES, ...env },
    stdio: ['ignore', fd, 'pipe'],
  });
  closeSync(fd);
  return child;
}

/** The ways to standard output: before the program is loaded, at once, and piece by piece. */
const PROGRAMS = [
  '--version',
  'help call',
  'voice list -o csv',
  'logs export --format ndjson',
  'contacts check contacts.csv --json',
];
const COMMANDS = [
  ...['--help', 'voice list -o table', 'voice list -o tsv', 'voice list -o ids', 'agent list --json', 'doctor'],
  ...['logs list --all -o ndjson', 'logs show call_0000000001 -o table', 'logs stats -o table', 'logs export --out -'],
  ...['logs export --format json', 'contacts check contacts.csv -o table', 'contacts template', 'api get-voices'],
  'campaign rehearse --contacts contacts.csv --agent 1 --from +14155550100 -o table',
  `${CALL} --dry-run`,
];

const FULL = { code: 9, stderr: expect.stringContaining('standard output: the disk is full.') };

describe.concurrent('a stream', () => {
  test.each([...PROGRAMS, ...COMMANDS])('%s', async (line) => {
    const { code, stdout } = await operator.run(line.split(' '));
    expect(code).toBe(0);
    const half = await operator.run(line.split(' '), { stdoutFails: 'ENOSPC', room: stdout.length >> 1 });
    expect(half).toMatchObject(FULL);
    expect(half.stdout.length).toBeLessThanOrEqual(stdout.length >> 1);
  });
});

describe.concurrent('a file', () => {
  test.each(PROGRAMS)('%s', async (line) => {
    const expected = await operator.run(line.split(' '));
    const file = join(operator.home, `out-${PROGRAMS.indexOf(line)}`);
    expect(await finished(start(line, file, {}))).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(expected.stdout);

    const half = text.length >> 1;
    expect(await finished(start(line, file, { VAGENT_TEST_ROOM: String(half) }))).toMatchObject(FULL);
    expect(readFileSync(file, 'utf8')).toBe(text.slice(0, half));
  });

  test('whose file system says at the closing that it has no room', async () => {
    for (const line of ['--version', 'voice list']) {
      const child = start(line, join(operator.home, 'closing'), { VAGENT_TEST_CLOSING: '1' });
      expect(await finished(child)).toMatchObject({ code: 9, stderr: expect.stringContaining('the disk is full') });
    }
  });

  test('that is added to by several commands, one after the other', () => {
    const env = { ...freshEnvironment(operator.home), VAGENT_LOCAL: '1' };
    const script = '(node "$BIN" voice list; echo between; node "$BIN" agent list) >both; wc -l <both';
    const { stdout } = spawnSync('sh', ['-c', script], { cwd: operator.home, env: { ...env, BIN }, encoding: 'utf8' });
    const count = Number(stdout);
    const lines = readFileSync(join(operator.home, 'both'), 'utf8').split('\n');
    expect(count).toBe(lines.length - 1);
    expect(lines).toContain('between');
  });
});

describe.skipIf(process.platform === 'win32').concurrent('the system’s own limits', () => {
  const shell = (script: string) => {
    const env = { ...freshEnvironment(operator.home), VAGENT_LOCAL: '1', NODE: process.execPath, BIN };
    return finished(spawn('sh', ['-c', script], { cwd: operator.home, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  };

  test('a file that may not grow: exit 9', async () => {
    const { code, stderr } = await shell('ulimit -f 1; "$NODE" "$BIN" voice list --json >limited');
    expect(stderr).toContain('larger than is allowed');
    expect(code).toBe(9);
  });

  const hasFull = existsSync('/dev/full');
  /** Data, the version, help, what serve says first, and what follow prints. */
  const lines = ['voice list', '--version', 'call --help', 'serve --port 0', 'logs follow --since 30d'];
  test.skipIf(!hasFull).each(lines)('a full device: %s', async (line) => {
    expect(await shell(`"$NODE" "$BIN" ${line} >/dev/full`)).toMatchObject({ code: 9 });
  });

  test.skipIf(!hasFull)('stderr on a full device: no success is a failure, no failure a success', async () => {
    for (const stderr of ['/dev/full', '/dev/null']) {
      expect(await shell(`"$NODE" "$BIN" agent list -o ids 2>${stderr}`)).toMatchObject({ code: 0, stdout: '1\n' });
      expect(await shell(`"$NODE" "$BIN" agent nope 2>${stderr}`)).toMatchObject({ code: 2 });
      expect(await shell(`"$NODE" "$BIN" agent list >/dev/full 2>${stderr}`)).toMatchObject({ code: 9 });
    }
  });

  test('a reader that is slow gets every byte of a pipe, one that has gone is no failure', async () => {
    const slow = await shell('"$NODE" "$BIN" voice list --json | (sleep 0.3; wc -c)');
    const { stdout } = await operator.run(['voice', 'list', '--json']);
    expect(Number(slow.stdout)).toBe(Buffer.byteLength(stdout));
    expect(await shell('"$NODE" "$BIN" voice list --json | head -1')).toMatchObject({ stdout: '{\n', stderr: '' });
  });
});

/**
 * How long a command takes from nothing, beside bare node doing nothing, or one request. `VAGENT_BENCH_NODES` names more
 * versions of Node.js to start it with: the paths of their programs, with a colon between two.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { printRatios, timeInTurns } from './measure.ts';

const BIN = resolve(import.meta.dirname, '../../bin/vagent.js');
/** Another build of the program, to be compared with. */
const OTHER = process.env.VAGENT_BENCH_OTHER;
const NODES = [process.execPath, ...(process.env.VAGENT_BENCH_NODES?.split(':') ?? [])];
const ROUNDS = 20;

const vagent = (...args: string[]) => [process.execPath, BIN, ...args];
// Node.js 20 reads these certificates at every start, which would hide what the program adds.
delete process.env.NODE_EXTRA_CA_CERTS;
const home = mkdtempSync(join(tmpdir(), 'vagent-bench-'));
const server = spawn(process.execPath, [resolve(import.meta.dirname, 'voices.mjs')]);
try {
  const env = { HOME: home, VAGENT_STORE: join(home, 'store'), VAGENT_LOCAL: '1' };
  const call = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
  for (const node of NODES) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const figures = timeInTurns(
      [
        { name: 'node -e 0', argv: [node, '-e', '0'] },
        { name: 'vagent --version', argv: [node, BIN, '--version'], env },
        { name: 'vagent --help', argv: [node, BIN, '--help'], env },
        { name: 'vagent voice list (local engine)', argv: [node, BIN, 'voice', 'list'], env },
        { name: 'Tab: the flags of a command', argv: [node, BIN, 'complete', 'bash', '--', 'logs list --'], env },
        { name: 'Tab: agents of the local engine', argv: [node, BIN, 'complete', 'bash', '--', 'call --agent '], env },
        { name: 'vagent call (local engine)', argv: [node, BIN, ...call], env },
      ],
      ROUNDS,
    );
    printRatios(`Start-up with Node.js ${version}, median of ${ROUNDS}`, figures, {
      'vagent --version': 1.2,
      'vagent --help': 1.3,
      'vagent call (local engine)': 1.8,
    });
  }

  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const remote = { HOME: home, VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'key-of-bench' };
  const bare = [process.execPath, '-e', `require('node:http').get('${url}', (response) => response.resume())`];
  const commands = [
    { name: 'one request of node:http', argv: bare, env: remote },
    { name: 'vagent voice list (remote)', argv: vagent('voice', 'list'), env: remote },
  ];
  if (OTHER !== undefined) {
    const argv = [process.execPath, OTHER, 'voice', 'list'];
    commands.push({ name: `the same of ${OTHER}`, argv, env: remote });
  }
  printRatios(`A request, median of ${ROUNDS}`, timeInTurns(commands, ROUNDS), { 'vagent voice list (remote)': 2.4 });
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true });
}

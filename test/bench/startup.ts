/**
 * How long a command takes from nothing, beside bare node doing nothing, or one request. `VAGENT_BENCH_NODES` names more
 * versions of Node.js to start it with: the paths of their programs, with a colon between two.
 */
import { execFileSync } from 'node:child_process';
import { BIN, CALL, compare, measureIn } from './workplace.ts';

/** Another build of the program, to be compared with. */
const OTHER = process.env.VAGENT_BENCH_OTHER;
const NODES = [process.execPath, ...(process.env.VAGENT_BENCH_NODES?.split(':') ?? [])];
const ROUNDS = 20;

// Node.js 20 reads these certificates at every start, which would hide what the program adds.
delete process.env.NODE_EXTRA_CA_CERTS;
await measureIn(async (place) => {
  for (const node of NODES) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const env = { VAGENT_STORE: place.path('store') };
    const vagent = (...args: string[]) => place.time([node, BIN, ...args], env);
    const runs = {
      'node -e 0': () => place.time([node, '-e', '0']),
      'vagent --version (at most 1.2×)': () => vagent('--version'),
      'vagent --help (at most 1.3×)': () => vagent('--help'),
      'vagent voice list (local engine)': () => vagent('voice', 'list'),
      'Tab: the flags of a command': () => vagent('complete', 'bash', '--', 'logs list --'),
      'Tab: agents of the local engine': () => vagent('complete', 'bash', '--', 'call --agent '),
      'vagent call (local engine, at most 1.8×)': () => vagent(...CALL),
    };
    compare(`Start-up with Node.js ${version}`, ROUNDS, runs, { isWarm: true });
  }

  const url = await place.service('voices.mjs');
  const request = `require('node:http').get('${url}', (response) => response.resume())`;
  const voices = (bin: string) => () => place.time([process.execPath, bin, 'voice', 'list']);
  const runs = {
    'one request of node:http': () => place.time([process.execPath, '-e', request]),
    'vagent voice list (remote, at most 2.4×)': voices(BIN),
    ...(OTHER !== undefined && { [`the same of ${OTHER}`]: voices(OTHER) }),
  };
  compare('A request', ROUNDS, runs, { isWarm: true });
});

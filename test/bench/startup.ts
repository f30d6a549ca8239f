/** How long a command takes from nothing, beside bare node doing nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { printRatios, timeInTurns } from './measure.ts';

const BIN = resolve(import.meta.dirname, '../../bin/vagent.js');
const ROUNDS = 10;

const home = mkdtempSync(join(tmpdir(), 'vagent-bench-'));
try {
  const env = { HOME: home, VAGENT_STORE: join(home, 'store'), VAGENT_LOCAL: '1' };
  const call = ['call', '+14155550123', '--agent', '1', '--from', '+14155550100', '--first-line', 'Hello.'];
  const figures = timeInTurns(
    [
      { name: 'node -e 0', argv: [process.execPath, '-e', '0'] },
      { name: 'vagent --version', argv: [process.execPath, BIN, '--version'], env },
      { name: 'vagent voice list', argv: [process.execPath, BIN, 'voice', 'list'], env },
      { name: 'vagent call (local engine)', argv: [process.execPath, BIN, ...call], env },
    ],
    ROUNDS,
  );
  printRatios(`Start-up, median of ${ROUNDS}`, figures, {
    'vagent --version': 1.25,
    'vagent call (local engine)': 2.2,
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}

// The limit that playing a campaign is held against: the same entries, stringified and written, and nothing else.
// Reads them from a store's segments outside the clock, so that memory stays small, and prints the milliseconds it took.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [store = '', out = ''] = process.argv.slice(2);
const CHUNK_CHARACTERS = 1 << 20;
const calls = join(store, 'calls');
const fd = openSync(out, 'w');
let milliseconds = 0;
for (const name of readdirSync(calls).sort()) {
  const entries = readFileSync(join(calls, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const started = performance.now();
  let pending = '';
  for (const entry of entries) {
    pending += `${JSON.stringify(entry)}\n`;
    if (pending.length >= CHUNK_CHARACTERS) {
      writeSync(fd, pending);
      pending = '';
    }
  }
  writeSync(fd, pending);
  milliseconds += performance.now() - started;
}
const started = performance.now();
fsyncSync(fd);
closeSync(fd);
process.stdout.write(`${milliseconds + performance.now() - started}\n`);

// Runs command lines one after the other through the built program, all in this one process: a start for each of thousands
// would take minutes. Says `ready`, begins at the first byte of stdin, and tells each result as one line of JSON.
//
//     node commands.mjs '[["local", "topup", "1"], …]'            each once; one that finds the store locked, until it is not
//     node commands.mjs '[["local", "status"], …]' until-closed   again and again, until stdin is closed
import { Readable, Writable } from 'node:stream';
import { main } from '../../dist/main.cjs';

const [commands, mode] = process.argv.slice(2);
const { signal } = new AbortController();
let isClosed = false;
const begun = new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.on('end', () => {
  isClosed = true;
});

function gather() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

async function run(argv) {
  const stdout = gather();
  const stderr = gather();
  const streams = { stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
  const start = performance.now();
  const code = await main({ argv, env: process.env, streams, signal });
  const ms = Math.round(performance.now() - start);
  // On a busy machine the others may hold the lock for longer than a command waits. It has changed nothing then.
  if (stderr.text().includes('"code":"store_locked"')) return run(argv);
  const line = `${JSON.stringify({ argv, code, ms, stdout: stdout.text(), stderr: stderr.text() })}\n`;
  await new Promise((resolve) => process.stdout.write(line, resolve));
}

process.stdout.write('ready\n');
await begun;
do {
  for (const argv of JSON.parse(commands)) await run(argv);
  // Where nobody waits for a lock or a disk, the event loop would never come to hear that stdin was closed.
  await new Promise((resolve) => setImmediate(resolve));
} while (mode === 'until-closed' && !isClosed);
process.stdin.destroy();

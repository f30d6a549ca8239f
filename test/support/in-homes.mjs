// Runs command lines one after the other through the built program, each in a home of its own, all in this one process: a start
// for each takes ten times as long. Tells each outcome as one line of JSON as soon as it is there: of a command that hangs there
// is none, and the process can be ended.
//
//     node in-homes.mjs '[{"home": "/…", "args": ["local", "topup", "1"], "env": {"HOME": "/…"}}, …]'
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../dist/main.cjs';

const { signal } = new AbortController();
for (const { home, args: argv, env } of JSON.parse(process.argv[2])) {
  process.chdir(home);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shown = Promise.all([text(stdout), text(stderr)]);
  const code = await main({ argv, env, streams: { stdin: Readable.from([]), stdout, stderr }, signal });
  // What was given up at the end has its say.
  await new Promise((resolve) => setImmediate(resolve));
  stdout.end();
  stderr.end();
  const [data, talk] = await shown;
  process.stdout.write(`${JSON.stringify({ code, signal: null, stdout: data, stderr: talk })}\n`);
}

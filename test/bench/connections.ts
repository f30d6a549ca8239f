/** An export over TLS and a network of 20 ms, beside the same pages each on a connection of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { printRatios, timeInTurns } from './measure.ts';
import { BIN, Workplace } from './workplace.ts';

const PAGES = 200;
const CONCURRENCY = '4';
const ROUNDS = 5;

const beside = (name: string) => resolve(import.meta.dirname, name);
const place = new Workplace();
const server = spawn(process.execPath, [beside('far-log.mjs'), String(PAGES)]);
try {
  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const env = {
    HOME: place.folder,
    NODE_EXTRA_CA_CERTS: beside('../support/certificates/authority.pem'),
    VAGENT_BASE_URL: url,
    VAGENT_ORG_ID: '1',
    VAGENT_API_KEY: 'key-of-bench',
  };
  const bare = [process.execPath, beside('bare-pages.mjs'), url, String(PAGES), CONCURRENCY];
  const exported = (bin: string) => [
    ...[process.execPath, bin, 'logs', 'export', '--concurrency', CONCURRENCY],
    ...['--out', place.path('calls.csv')],
  ];
  const commands = [
    { name: 'node:https, a connection a page', argv: bare, env },
    { name: 'logs export', argv: exported(BIN), env },
  ];
  // Another build of the program, to be compared with.
  const other = process.env.VAGENT_BENCH_OTHER;
  if (other !== undefined) commands.push({ name: `logs export of ${other}`, argv: exported(other), env });
  const title = `${PAGES} pages behind TLS and 20 ms, ${CONCURRENCY} at a time, median of ${ROUNDS}`;
  printRatios(title, timeInTurns(commands, ROUNDS), { 'logs export': 0.77 });
} finally {
  server.kill();
  place.remove();
}

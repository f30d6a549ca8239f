/** `logs export` and `logs stats` of a million calls beside a bare loop, and an export over HTTP by its concurrency. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { printRatios, timeInTurns } from './measure.ts';
import { BIN, type Measured, printMeasured, Workplace } from './workplace.ts';

const CALLS = Number(process.env.VAGENT_BENCH_CALLS ?? 1_000_000);
const ROUNDS = 3;
/** Pages of the log behind HTTP, and milliseconds for each. */
const PAGES = 50;
const LATENCY = 100;

const beside = (name: string) => resolve(import.meta.dirname, name);
const place = new Workplace();
try {
  const store = place.path('store');
  place.vagent('local', 'topup', '900000', '--store', store);
  const flags = ['--contacts', place.contacts(CALLS), '--calls-per-hour', '3600000', '--retry-attempts', '0'];
  const create = ['campaign', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100', ...flags];
  place.vagent(...create, '--store', store);
  place.vagent('local', 'advance', '--until-idle', '--store', store);

  const bare: Measured[] = [];
  const exported: Measured[] = [];
  const counted: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(place.node([beside('bare-export.mjs'), store, place.path('bare.csv')]));
    exported.push(place.vagent('logs', 'export', '--out', place.path('calls.csv'), '--store', store));
    counted.push(place.vagent('logs', 'stats', '--json', '--store', store));
  }
  process.stdout.write(`${CALLS} calls of a local store, median of ${ROUNDS}\n`);
  printMeasured('read, parsed and written with csv-stringify', bare, bare);
  printMeasured('logs export (at most 2×, 200 MB)', exported, bare);
  printMeasured('logs stats (at most 1.5× of the export)', counted, exported);

  const server = spawn(process.execPath, [beside('slow-log.mjs'), String(PAGES), String(LATENCY)]);
  const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const env = { HOME: place.folder, VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'key-of-bench' };
  const out = place.path('remote.csv');
  const by = (pages: string) => ({
    name: `--concurrency ${pages}`,
    argv: [process.execPath, BIN, 'logs', 'export', '--out', out, '--concurrency', pages],
    env,
  });
  const title = `logs export of ${PAGES} pages, ${LATENCY} ms each, median of ${ROUNDS}`;
  printRatios(title, timeInTurns([by('1'), by('4')], ROUNDS), { '--concurrency 4': 1 / 3 });
  server.kill();
} finally {
  place.remove();
}

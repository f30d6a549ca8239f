/**
 * `campaign results` over HTTP where campaigns call the same people at the same time, and others call them too: beside
 * `logs export` of the same calls, which tells whose they are of none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Measured, printMeasured, Workplace } from './workplace.ts';

const ROUNDS = 3;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Shape {
  campaigns: number;
  contacts: number;
  /** Campaigns with the same agent, number and contacts of which nothing is known here. */
  elsewhere: number;
  /** Seconds that the results may take. */
  most: number;
}

const SHAPES: Shape[] = [
  { campaigns: 20, contacts: 500, elsewhere: 0, most: 2 },
  { campaigns: 8, contacts: 4_000, elsewhere: 4, most: 10 },
];

for (const shape of SHAPES) await measure(shape);

async function measure({ campaigns, contacts, elsewhere, most }: Shape): Promise<void> {
  const place = new Workplace();
  const server = spawn(process.execPath, [resolve(import.meta.dirname, 'dialling-log.mjs')]);
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    place.connection = { VAGENT_BASE_URL: url, VAGENT_ORG_ID: '1', VAGENT_API_KEY: 'key-of-bench' };
    const now = Date.now();
    const post = (path: string, body: unknown) => fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    await post('/clock', { now });
    const file = place.contacts(contacts);
    const from = ['--agent', '1', '--from', '+14155550100', '--retry-attempts', '1', '--again', '--yes'];
    const startOf = (nth: number) => new Date(now + (nth + 1) * MINUTE).toISOString();
    for (let nth = 0; nth < campaigns; nth++) {
      const flags = ['--contacts', file, '--calls-per-hour', '3600', '--start', startOf(nth), ...from];
      place.vagent('campaign', 'create', '--name', `Bench ${nth}`, ...flags);
    }
    const people = Array.from({ length: contacts }, (_none, row) => ({ phone_number: `+1415${5_560_000 + row}` }));
    for (let nth = 0; nth < elsewhere; nth++)
      await post('/create-campaign', { contacts: people, start_time: startOf(nth), calls_per_hour: 1800 });
    await post('/clock', { now: now + DAY });

    const exported: Measured[] = [];
    const results: Measured[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      exported.push(place.vagent('logs', 'export', '--out', place.path('calls.csv')));
      results.push(place.vagent('campaign', 'results', '1', '--out', place.path('results.csv')));
    }
    const calls = (campaigns + elsewhere) * contacts;
    process.stdout.write(`${campaigns} campaigns to the same ${contacts}, ${calls} calls, median of ${ROUNDS}\n`);
    printMeasured('logs export of their calls', exported, exported);
    printMeasured(`campaign results (at most ${most} s)`, results, exported);
  } finally {
    server.kill();
    place.remove();
  }
}

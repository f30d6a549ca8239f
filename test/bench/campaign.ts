/** A campaign of a million contacts: created, and played to its end, beside bare loops over the same data. */
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { median } from './measure.ts';
import { type Measured, Workplace } from './workplace.ts';

const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const ROUNDS = 3;

const bare = (name: string) => resolve(import.meta.dirname, name);
const place = new Workplace();
try {
  const contacts = place.contacts(CONTACTS);
  const create = ['campaign', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100', '--quiet'];
  const flags = ['--contacts', contacts, '--calls-per-hour', '3600000'];
  const created: Measured[] = [];
  const read: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rmSync(place.path('created'), { recursive: true, force: true });
    place.vagent('local', 'topup', '900000', '--store', place.path('created'));
    read.push(place.node([bare('bare-csv.mjs'), contacts]).milliseconds);
    created.push(place.vagent(...create, ...flags, '--store', place.path('created')));
  }
  report(`campaign create, ${CONTACTS} contacts, beside a bare csv-parse pass`, created, read, 2.5);

  const played: Measured[] = [];
  const written: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const store = place.path('played');
    rmSync(store, { recursive: true, force: true });
    cpSync(place.path('created'), store, { recursive: true });
    played.push(place.vagent('local', 'advance', '--until-idle', '--store', store));
    written.push(Number(place.node([bare('bare-writer.mjs'), store, place.path('bare.jsonl')]).stdout));
  }
  report('playing it to the end, beside a bare loop that writes the same entries', played, written, 1.6);
} finally {
  place.remove();
}

function report(title: string, ours: Measured[], bareTimes: number[], limit: number): void {
  const mine = median(ours.map(({ milliseconds }) => milliseconds));
  const bareTime = median(bareTimes);
  const memory = Math.max(...ours.map(({ megabytes }) => megabytes));
  process.stdout.write(
    `${title}, median of ${ROUNDS}\n` +
      `  bare ${(bareTime / 1000).toFixed(2)} s, vagent ${(mine / 1000).toFixed(2)} s: ` +
      `${(mine / bareTime).toFixed(2)}× (at most ${limit}), ${memory.toFixed(0)} MB at the peak\n`,
  );
}

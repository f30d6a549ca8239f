/** `campaign results` beside `logs export` of the same calls: of 500,000 contacts and about 1.2 million calls of a local store. */
import { median } from './measure.ts';
import { type Measured, Workplace } from './workplace.ts';

const CONTACTS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 500_000);
const ROUNDS = 3;

const place = new Workplace();
try {
  const store = place.path('store');
  place.vagent('local', 'topup', '900000', '--store', store);
  // With two retries, a contact is called about two and a half times.
  place.vagent('local', 'scenario', '--answer-rate', '0.2', '--store', store);
  const flags = ['--contacts', place.contacts(CONTACTS), '--calls-per-hour', '3600000', '--retry-attempts', '2'];
  const create = ['campaign', 'create', '--name', 'Bench', '--agent', '1', '--from', '+14155550100', ...flags];
  place.vagent(...create, '--store', store);
  place.vagent('local', 'advance', '--until-idle', '--store', store);

  const exported: Measured[] = [];
  const results: Measured[] = [];
  const tables: Measured[] = [];
  const withTranscripts: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    exported.push(place.vagent('logs', 'export', '--out', place.path('calls.csv'), '--store', store));
    const command = ['campaign', 'results', '1', '--store', store];
    results.push(place.vagent(...command, '--out', place.path('results.csv')));
    tables.push(place.vagent(...command, '--output', 'table'));
    withTranscripts.push(place.vagent(...command, '--transcripts', '--out', place.path('results.ndjson')));
  }
  process.stdout.write(`${CONTACTS} contacts of a local store, median of ${ROUNDS}\n`);
  print('logs export of their calls (at most 250 MB)', exported);
  print('campaign results (at most 3×, 250 MB)', results);
  print('campaign results -o table (at most 250 MB)', tables);
  print('campaign results --transcripts', withTranscripts);

  function print(title: string, measured: readonly Measured[]): void {
    const time = (all: readonly Measured[]) => median(all.map(({ milliseconds }) => milliseconds));
    const memory = Math.max(...measured.map(({ megabytes }) => megabytes));
    const figures = `${(time(measured) / 1000).toFixed(2)} s  ${(time(measured) / time(exported)).toFixed(2)}×`;
    process.stdout.write(`  ${title.padEnd(46)} ${figures}  ${memory.toFixed(0)} MB\n`);
  }
} finally {
  place.remove();
}

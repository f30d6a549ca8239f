/** `contacts check` of a million rows, beside a bare csv-parse pass over the same file; and a quote that is never closed. */
import { resolve } from 'node:path';
import { median } from './measure.ts';
import { BIN, type Measured, Workplace } from './workplace.ts';

const ROWS = Number(process.env.VAGENT_BENCH_CONTACTS ?? 1_000_000);
const ROUNDS = 5;
/** What `contacts check` exits with where rows or a file cannot be used. */
const REFUSED = 3;

const bareCsv = resolve(import.meta.dirname, 'bare-csv.mjs');
const place = new Workplace();
try {
  compare('numbers in E.164 (at most 1.8×, 300 MB)', place.contacts(ROWS), []);

  const national = place.file('national.csv', 'Name;Mobile Number\n', ROWS, (row) => {
    const digits = String(2_000_000 + row);
    return `Person ${row};(415) ${digits.slice(0, 3)}-${digits.slice(3)}\n`;
  });
  compare('numbers in national form, with --country US (at most 5×)', national, ['--country', 'US']);

  const damaged = place.file('damaged.csv', 'phone_number,name\n', ROWS, (row) => `1.41556E+10,Person ${row}\n`);
  compare('every row damaged', damaged, ['--skip-invalid', '--rejects', place.path('rejects.csv')]);

  // 75 bytes a row: about 1 GB.
  const swallowed = '+14155550102,Somebody whose row is swallowed by the quote that was opened\n';
  const unclosed = place.file('unclosed.csv', 'phone_number,name\n+14155550101,"Ann\n', 14 * ROWS, () => swallowed);
  const refused = place.node([BIN, 'contacts', 'check', unclosed], REFUSED);
  print('a quote that is never closed, at the start of 1 GB (at most 2 s, 200 MB)', told(refused));

  const commas = place.file('commas.csv', '', 500, () => ','.repeat(1 << 20));
  const endless = place.node([BIN, 'contacts', 'check', commas], REFUSED);
  print('500 MB of commas on one line (at most 2 s, 200 MB)', told(endless));
} finally {
  place.remove();
}

function compare(title: string, file: string, flags: string[]): void {
  const bare: Measured[] = [];
  const ours: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(place.node([bareCsv, file]));
    ours.push(place.vagent('contacts', 'check', file, '--json', ...flags));
  }
  const [theirs, mine] = [summary(bare), summary(ours)];
  const ratio = (mine.milliseconds / theirs.milliseconds).toFixed(2);
  print(title, `bare csv-parse ${told(theirs)}; vagent ${told(mine)}: ${ratio}×`);
}

function summary(all: readonly Measured[]): Pick<Measured, 'milliseconds' | 'megabytes'> {
  return {
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
    megabytes: Math.max(...all.map(({ megabytes }) => megabytes)),
  };
}

function told({ milliseconds, megabytes }: Pick<Measured, 'milliseconds' | 'megabytes'>): string {
  return `${(milliseconds / 1000).toFixed(2)} s, ${megabytes.toFixed(0)} MB`;
}

function print(title: string, figures: string): void {
  process.stdout.write(`contacts check, ${ROWS} rows: ${title}\n  ${figures}\n`);
}

/** Workbooks of 100,000 rows, in and out, beside the same as CSV: at most four times as long, and 250 MB. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { workbookOf } from '../../src/text/workbook/write-workbook.ts';
import { campaignOf, compare, measureIn, phoneAt, sizeOf } from './workplace.ts';

const ROWS = sizeOf('ROWS', 100_000);
const ROUNDS = sizeOf('ROUNDS', 3);
const COLUMNS = ['phone_number', 'custom_first_line', 'custom_instruction', 'custom_identifiers'];

function* rows() {
  for (let at = 0; at < ROWS; at += 1000) {
    yield Array.from({ length: 1000 }, (_, one) => {
      const row = at + one;
      const texts = [phoneAt(row), `Hello ${row} this is Ava`, 'Offer the check-up in December', `crm-${row}`];
      return Object.fromEntries(COLUMNS.map((name, column) => [name, texts[column]]));
    });
  }
}

await measureIn(async (place) => {
  const csv = place.contacts(ROWS);
  const xlsx = place.path('contacts.xlsx');
  const sheet = { name: 'Contacts', times: new Set<string>(), zone: 'UTC' };
  const layout = { columns: COLUMNS, hasHeader: true, redact: (text: string) => text, sheet };
  await pipeline(workbookOf(rows(), layout), createWriteStream(xlsx));
  const check = (file: string) => () => place.vagent('contacts', 'check', file, '--json');
  compare(`contacts check, ${ROWS} rows`, ROUNDS, { CSV: check(csv), 'workbook (at most 4×, 250 MB)': check(xlsx) });

  place.vagent('local', 'topup', '1000000');
  place.vagent(...campaignOf('--contacts', csv, '--calls-per-hour', '100000', '--retry-attempts', '0'));
  place.vagent('local', 'advance', '--until-idle');
  const results = (out: string) => () => place.vagent('campaign', 'results', '1', '--out', place.path(out));
  compare(`campaign results, ${ROWS} rows`, ROUNDS, {
    CSV: results('results.csv'),
    'workbook (at most 4×, 250 MB)': results('results.xlsx'),
  });
  const log = (out: string) => () => place.vagent('logs', 'export', '--out', place.path(out));
  compare(`logs export, ${ROWS} calls`, ROUNDS, {
    CSV: log('calls.csv'),
    'workbook (at most 4×, 250 MB)': log('calls.xlsx'),
  });
});

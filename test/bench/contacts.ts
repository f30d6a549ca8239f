/** `contacts check` of a million rows, beside a bare csv-parse pass over the same file; and a quote that is never closed. */
import { BIN, beside, CONTACTS, compare, measureIn, print } from './workplace.ts';

const ROUNDS = 5;
/** What `contacts check` exits with where rows or a file cannot be used. */
const REFUSED = 3;

await measureIn((place) => {
  const check = (title: string, limit: string, file: string, ...flags: string[]) =>
    compare(`contacts check, ${CONTACTS} rows: ${title}`, ROUNDS, {
      'bare csv-parse': () => place.node([beside('bare-csv.mjs'), file]),
      [`vagent${limit}`]: () => place.vagent('contacts', 'check', file, '--json', ...flags),
    });
  check('numbers in E.164', ' (at most 1.8×, 300 MB)', place.contacts());
  const national = place.file('national.csv', 'Name;Mobile Number\n', CONTACTS, (row) => {
    const digits = String(2_000_000 + row);
    return `Person ${row};(415) ${digits.slice(0, 3)}-${digits.slice(3)}\n`;
  });
  check('numbers in national form, with --country US', ' (at most 5×)', national, '--country', 'US');
  const damaged = place.file('damaged.csv', 'phone_number,name\n', CONTACTS, (row) => `1.41556E+10,Person ${row}\n`);
  check('every row damaged', '', damaged, '--skip-invalid', '--rejects', place.path('rejects.csv'));

  // 75 bytes a row: about 1 GB.
  const swallowed = '+14155550102,Somebody whose row is swallowed by the quote that was opened\n';
  const unclosed = place.file('unclosed.csv', 'phone_number,name\n+14155550101,"Ann\n', 14 * CONTACTS, () => swallowed);
  const commas = place.file('commas.csv', '', 500, () => ','.repeat(1 << 20));
  const refused = (file: string) => [place.node([BIN, 'contacts', 'check', file], REFUSED)];
  print('files that are no table (at most 2 s, 200 MB)', {
    'a quote that is never closed, at the start of 1 GB': refused(unclosed),
    '500 MB of commas on one line': refused(commas),
  });
});

/** What stands above the header of a contacts file: it is told which line looks like the header, and --header-line is obeyed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import type { ContactsReport } from '../../../src/contacts/report/report.ts';
import { casesBeside } from '../../support/cases.ts';
import { Operator } from '../../support/program.ts';
import fc from '../../support/properties.ts';

const cases = casesBeside(import.meta.filename);
const operator = new Operator({ env: { VAGENT_LOCAL: '1' } });
const TABLE = 'Name;Handy\nAnna;+493023125001\nBernd;+493023125002\n';

const check = (input: string | Buffer, ...flags: string[]) =>
  operator.run(['contacts', 'check', '-', '--json', ...flags], { input });

async function errorOf(input: string | Buffer, ...flags: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await check(input, ...flags);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  return JSON.parse(stderr).error;
}

async function reportOf(input: string | Buffer, ...flags: string[]): Promise<ContactsReport> {
  return JSON.parse((await check(input, ...flags)).stdout);
}

describe('a title above the header', () => {
  /** What stands above the table, and the line that must be named. */
  test.each(cases<[what: string, above: string, line: number]>('titles'))(
    '%s: the line of the header is told, and taken when it is said',
    async (_what, above, line) => {
      const { code, message, hint } = await errorOf(above + TABLE);
      expect(message).toMatch(new RegExp(`line ${line} looks like the header\\.$`));
      expect(hint).toContain(`--header-line ${line}`);
      expect(['no_phone_column', 'duplicate_header', 'unclosed_quote']).toContain(code);

      const report = await reportOf(above + TABLE, '--header-line', String(line));
      expect(report).toMatchObject({
        rows: 2,
        accepted: 2,
        header_line: line,
        delimiter: ';',
        columns: { phone_number: 'Handy' },
        preview: [{ phone_number: '+493023125001' }, { phone_number: '+493023125002' }],
      });
    },
  );

  test('in every encoding and behind what else may begin a file', async () => {
    const text = `Kunden für "Ü"\n\n${TABLE}`;
    const forms: [bytes: Buffer, line: number][] = [
      [Buffer.from(`\ufeff${text}`), 3],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 3],
      [Buffer.from(`sep=;\n${text}`), 4],
      [Buffer.from(`\ufeffsep=;\r\n${text}`), 4],
    ];
    for (const [bytes, line] of forms) {
      expect((await errorOf(bytes)).hint).toContain(`--header-line ${line}`);
      expect(await reportOf(bytes, '--header-line', `${line}`)).toMatchObject({ accepted: 2, header_line: line });
    }
    const latin = Buffer.from(text, 'latin1');
    expect((await errorOf(latin, '--encoding', 'latin1')).hint).toContain('--header-line 3');
  });

  test('with --map, --delimiter and templates', async () => {
    const table = TABLE.replace('Handy', 'Nummer').replaceAll(';', '^');
    const flags = ['--map', 'phone_number=Nummer', '--delimiter', '^', '--first-line', 'Hallo {{Name}}'];
    const { code, message } = await errorOf(`Kunden\n${table}`, ...flags);
    expect({ code, message }).toMatchObject({
      code: 'unknown_column',
      message: expect.stringContaining('line 2 looks'),
    });
    const { preview } = await reportOf(`Kunden\n${table}`, ...flags, '--header-line', '2');
    expect(preview[0]).toEqual({ phone_number: '+493023125001', custom_first_line: 'Hallo Anna' });
  });

  test('of a list of numbers never to call is an error that names the line', async () => {
    const list = join(operator.home, 'never.csv');
    writeFileSync(list, 'Never call\n\nName,Phone\nAnna,+493023125001\n');
    const { message, hint } = await errorOf(TABLE, '--exclude', list);
    expect(message).toContain('line 3 looks like the header');
    expect(hint).toContain('Remove the lines above');
  });
});

describe('nothing is mistaken for a title', () => {
  test.each(cases<[string, string]>('no title'))('%s', async (_what, text) => {
    expect((await reportOf(text)).accepted).toBeGreaterThan(0);
  });

  test('no line is named where none looks like a header', async () => {
    for (const text of ['a,b\n1,2\n', 'Name,Nummer\nAnna,+493023125001\n', 'Kunden\nName\nMobile\nAnna\n']) {
      expect((await errorOf(text)).message).not.toContain('looks like');
    }
  });
});

describe('--header-line', () => {
  test('takes a first row that would be taken for a title', async () => {
    const text = 'Telefon;\nHandy;Name\n+493023125001;Anna\n';
    expect(await reportOf(text, '--header-line', '1', '--skip-invalid')).toMatchObject({
      columns: { phone_number: 'Telefon' },
      rows: 2,
      accepted: 1,
    });
  });

  test.each(cases<[string, string, string, string, RegExp]>('refused'))(
    'on %s is refused',
    async (_what, text, line, code, says) => {
      const error = await errorOf(text.replace('…', TABLE), '--header-line', line);
      expect(error.code).toBe(code);
      expect(`${error.message} ${error.hint}`).toMatch(says);
    },
  );

  test.each([
    ['', ''],
    ['--delimiter', '^'],
    ['--encoding', 'utf-8'],
  ])('rejects are read again with the same flags %s %s', async (flag, value) => {
    const rejects = join(operator.home, 'to-fix.csv');
    const flags = ['--header-line', '4', '--rejects', rejects, ...(flag === '' ? [] : [flag, value])];
    const text = `Kunden\n\n"x\n${TABLE.replace('+493023125002', '12')}`.replaceAll(';', value === '^' ? '^' : ';');
    const { problems } = await reportOf(text, ...flags);
    expect(problems).toMatchObject([{ line: 6, value: '12' }]);
    const fixed = readFileSync(rejects, 'utf8').replace(/12(\r\n)$/, '+493023125002$1');
    expect(await reportOf(fixed, ...flags)).toMatchObject({ rows: 1, accepted: 1, header_line: 4 });
  });
});

test('every problem has the line of the file, whatever stands above the header', async () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  const title = fc.array(fc.constantFrom('Kunden', '', 'a,b', '"x" y', '"', ';;', 'Telefon'), { maxLength: 5 });
  const row = fc.tuple(fc.constantFrom('+493023125001', '12'), fc.constantFrom('x', 'a\nb', '\r\n', '"', 'é;,'));
  await fc.assert(
    fc.asyncProperty(title, fc.array(row, { minLength: 1, maxLength: 6 }), ends, async (above, rows, end) => {
      const before = above.map((line) => line + end).join('');
      const body = stringify([['Phone', 'Note'], ...rows], { record_delimiter: end, quoted: true });
      const flags = ['--header-line', String(above.length + 1), '--duplicates', 'keep'];
      const { problems, rows: read } = await reportOf(before + body, ...flags);
      const expected = parse(body, { info: true, record_delimiter: end }) as unknown as { record: string[] }[];
      let line = above.length + 1;
      const bad: number[] = [];
      for (const { record } of expected) {
        if (record[0] === '12') bad.push(line);
        line += 1 + (record.join('').match(/\r\n|\n|\r/g)?.length ?? 0);
      }
      expect({ read, lines: problems.map((problem) => problem.line) }).toEqual({ read: rows.length, lines: bad });
    }),
    { numRuns: 60 },
  );
});
